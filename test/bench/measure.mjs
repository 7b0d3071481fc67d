import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const cost = fileURLToPath(new URL("cost.cjs", import.meta.url));

/** Runs node once. Returns milliseconds on the clock and of CPU, the largest memory in MB, and its output. Throws an Error if it ends with another status. */
export function runOnce(args, env = {}, { status: expected = 0, cwd } = {}) {
  const started = performance.now();
  const { status, stdout, stderr, output } = spawnSync(process.execPath, ["-r", cost, ...args], {
    env: { PATH: process.env.PATH, ...env },
    cwd,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  const wall = performance.now() - started;
  if (status !== expected)
    throw new Error(`node ${args.join(" ")} ended with ${status}: ${stderr}${stdout.slice(-2000)}`);
  const { cpu, peak } = JSON.parse(output[3]);
  return { wall, cpu: cpu / 1000, peak: peak / 1024, stdout };
}

/** Returns the least of each figure of some measurements. */
export const least = (runs) => ({
  wall: Math.min(...runs.map(({ wall }) => wall)),
  cpu: Math.min(...runs.map(({ cpu }) => cpu)),
  peak: Math.min(...runs.map(({ peak }) => peak)),
});

/** Returns the least of each figure of some runs of node. */
export const best = (times, args, env, options) =>
  least(Array.from({ length: times }, () => runOnce(args, env, options)));

/** Returns the slope of a line through points on two logarithmic scales: the exponent of a growth. */
export function exponentOf(points) {
  const logs = points.map(({ size, time }) => [Math.log(size), Math.log(time)]);
  const mean = (at) => logs.reduce((sum, each) => sum + each[at], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const above = logs.reduce((sum, each) => sum + (each[0] - x) * (each[1] - y), 0);
  return above / logs.reduce((sum, each) => sum + (each[0] - x) ** 2, 0);
}
