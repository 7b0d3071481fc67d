// Prints how long hostform takes against the least that the same machine needs for the same work, and writes the same to dist/bench.json.
// README.md says how each floor is measured. `--quick`: shows in seconds that each row can be measured. `--check`: see check.mjs.
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkRatios } from "./check.mjs";
import { measureApplies, measureLargeApply } from "./rows/applies.mjs";
import { measureEngine } from "./rows/engine.mjs";
import { measureFleet } from "./rows/fleet.mjs";
import { measureLatency, measureToldLimit, measureUntoldLimit } from "./rows/pace.mjs";
import { measurePlans, measureValidation } from "./rows/plans.mjs";
import { measureService } from "./rows/service.mjs";
import { measureStart } from "./rows/start.mjs";
import { newTable, writeTable } from "./table.mjs";

const isQuick = process.argv.includes("--quick");
const isCheck = process.argv.includes("--check");
const only = process.argv.find((each) => each.startsWith("--only="))?.slice("--only=".length);
const full = {
  plans: [1_000, 10_000, 100_000],
  validated: 50_000,
  engine: [1_000, 10_000, 100_000, 1_000_000],
  engineNew: [1_000, 10_000, 100_000],
  applied: 10_000,
  largeApply: 100_000,
  latency: { count: 2_000, milliseconds: 50 },
  // With the reads, two calls more than a minute takes: so one minute passes.
  told: { count: 560, limit: 600 },
  untold: { count: 1_000, limit: 100 },
  fleet: 50,
};
const quick = {
  plans: [100],
  validated: 200,
  engine: [100, 200],
  engineNew: [100, 200],
  applied: 100,
  largeApply: 200,
  latency: { count: 100, milliseconds: 5 },
  told: { count: 100, limit: 6_000 },
  untold: { count: 100, limit: 100 },
  fleet: 1,
};

/** Measures every group of rows, or those that `--only=NAME` names. */
export const groups = (sizes) => ({
  start: measureStart,
  validation: (bench) => measureValidation(bench, sizes.validated),
  ...Object.fromEntries(
    sizes.plans.map((count) => [`plans-${count}`, (bench) => measurePlans(bench, count, count === sizes.plans.at(-1))]),
  ),
  engine: (bench) => measureEngine(bench, sizes.engine, sizes.engineNew),
  service: measureService,
  applies: (bench) => measureApplies(bench, sizes.applied),
  latency: (bench) => measureLatency(bench, sizes.latency.count, sizes.latency.milliseconds),
  untold: (bench) => measureUntoldLimit(bench, sizes.untold.count, sizes.untold.limit),
  told: (bench) => measureToldLimit(bench, sizes.told.count, sizes.told.limit),
  fleet: (bench) => measureFleet(bench, sizes.fleet),
  large: (bench) => measureLargeApply(bench, sizes.largeApply),
});

const folder = mkdtempSync(join(tmpdir(), "hostform-bench-"));
const started = performance.now();
try {
  if (isCheck) await checkRatios(groups(full), { folder, isToBeWritten: process.argv.includes("--write") });
  else await measureAll(groups(isQuick ? quick : full));
} finally {
  rmSync(folder, { recursive: true });
}

async function measureAll(all) {
  const names = Object.keys(all);
  if (only !== undefined && !names.includes(only)) {
    console.error(`There is no group ${only}: write --only= with one of ${names.join(", ")}`);
    process.exitCode = 2;
    return;
  }
  console.log(`node ${process.version}, ${availableParallelism()} cores\n`);
  console.log(
    isQuick
      ? "These sizes only show that each row can be measured: the ratios mean nothing, nor whether they meet a target.\n"
      : "Where other work runs beside this, the ratios mislead.\n",
  );
  const { rows, add } = newTable((text) => console.log(text));
  for (const [name, measure] of Object.entries(all))
    if (only === undefined || name === only)
      await measure({ add, folder: mkdtempSync(join(folder, `${name}-`)), runs: (times) => (isQuick ? 1 : times) });
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`\n${seconds} s`);
  writeTable(fileURLToPath(new URL("../../dist/bench.json", import.meta.url)), { quick: isQuick, seconds, rows });
}
