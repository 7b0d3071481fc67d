import { spawnSync } from "node:child_process";

/** Returns the shortest of some runs of node, in milliseconds. Throws an Error if a run fails. */
export function best(times, args, env = {}, expected = 0) {
  const durations = Array.from({ length: times }, () => {
    const started = performance.now();
    runOnce(args, env, expected);
    return performance.now() - started;
  });
  return Math.min(...durations);
}

/** Runs node once, and returns its output. Throws an Error if it ends with another status. */
export function runOnce(args, env = {}, expected = 0) {
  const { status, stdout, stderr, output } = spawnSync(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  if (status !== expected) throw new Error(`node ${args.join(" ")} ended with ${status}: ${stderr}`);
  return { stdout, beside: output[3] };
}

const tellPeak =
  'import { writeSync } from "node:fs"; process.on("exit", () => writeSync(3, String(process.resourceUsage().maxRSS)));';

/** Returns the largest memory of a run of node, in MB. */
export function peakMemory(args, env) {
  const tell = `data:text/javascript,${encodeURIComponent(tellPeak)}`;
  return Number(runOnce(["--import", tell, ...args], env).beside) / 1024;
}
