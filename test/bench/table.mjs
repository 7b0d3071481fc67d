import { writeFileSync } from "node:fs";

const head = ["hostform", "floor", "ratio", "target", "met"];

/** Starts a table that is printed row by row. */
export function newTable(title) {
  const rows = [];
  console.log(`${title}\n\n${line("", head)}`);
  return {
    /** Adds a measurement. `target`: the largest ratio to the floor; undefined where there is none. */
    add: (what, ours, floor, target) => {
      const ratio = ours / floor;
      const met = target === undefined ? undefined : ratio <= target;
      rows.push({ what, hostform: rounded(ours), floor: rounded(floor), ratio: rounded(ratio), target, met });
      const cells = [ours.toFixed(0), floor.toFixed(0), ratio.toFixed(2)];
      console.log(line(what, [...cells, target?.toFixed(2) ?? "", met === undefined ? "" : met ? "yes" : "no"]));
    },
    /** Writes all rows as JSON. */
    write: (file, facts) =>
      writeFileSync(file, `${JSON.stringify({ node: process.version, ...facts, rows }, undefined, 2)}\n`),
  };
}

const rounded = (number) => Math.round(number * 100) / 100;

const line = (what, cells) => what.padEnd(58) + cells.map((cell) => cell.padStart(9)).join("");
