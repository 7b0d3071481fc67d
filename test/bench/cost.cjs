// Preloaded into each measured process: on its exit it writes its CPU time (user and system, all threads; microseconds) and its largest memory (kB).
const { writeSync } = require("node:fs");

process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  writeSync(3, JSON.stringify({ cpu: userCPUTime + systemCPUTime, peak: maxRSS }));
});
