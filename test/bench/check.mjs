import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { newTable } from "./table.mjs";

const file = fileURLToPath(new URL("ratios.json", import.meta.url));
/** Groups whose rows take seconds. */
const short = ["start", "plans-1000", "plans-10000", "service"];
const runs = 5;
const tolerance = 1.15;

/**
 * Measures the short rows five times, and compares the median of each ratio, of CPU time if the row has it, with the committed one: it may be
 * 15 % worse. Sets the exit
 * code to 1 if a row is worse. With `isToBeWritten` the medians are committed instead.
 */
export async function checkRatios(groups, { folder, isToBeWritten }) {
  const ratios = new Map();
  for (let run = 0; run < runs; run += 1) {
    const { rows, add } = newTable(() => undefined);
    for (const name of short)
      await groups[name]({ add, folder: mkdtempSync(join(folder, "check-")), runs: (times) => Math.ceil(times / 3) });
    for (const { what, unit, ratio: printed, cpu_ratio: ratio = printed } of rows)
      if (ratio !== undefined)
        ratios.set(what, { isRate: unit === "per CPU s", all: [...(ratios.get(what)?.all ?? []), ratio] });
    console.log(`run ${run + 1} of ${runs}`);
  }
  const medians = [...ratios].map(([what, { isRate, all }]) => ({ what, isRate, ratio: median(all) }));
  if (isToBeWritten) {
    const texts = Object.fromEntries(medians.map(({ what, ratio }) => [what, ratio]));
    writeFileSync(file, `${JSON.stringify(texts, undefined, 2)}\n`);
  } else compare(medians);
}

const median = (numbers) => numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)];

function compare(medians) {
  const committed = JSON.parse(readFileSync(file, "utf8"));
  for (const { what, isRate, ratio } of medians) {
    const before = committed[what];
    const growth = isRate ? before / ratio : ratio / before;
    const isWorse = growth > tolerance;
    const verdict = before === undefined ? "not committed" : isWorse ? "WORSE" : "";
    console.log(`${what.padEnd(70)}${String(before).padStart(8)}${ratio.toFixed(2).padStart(8)}  ${verdict}`);
    if (isWorse) process.exitCode = 1;
  }
}
