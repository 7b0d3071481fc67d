// Preloaded into each measured process: on its exit, and at SIGUSR2, it writes a line with its CPU time (user and system, all threads;
// microseconds) and its largest memory (kB).
const { writeSync } = require("node:fs");

function report() {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  writeSync(3, `${JSON.stringify({ cpu: userCPUTime + systemCPUTime, peak: maxRSS })}\n`);
}

process.on("exit", report);
process.on("SIGUSR2", report);
