import { writeFileSync } from "node:fs";

/** Targets: for the ratio to the floor, or for the figure itself. */
export const atMost = (limit) => ({ of: "ratio", text: `≤ ${limit} ×`, holds: (ratio) => ratio <= limit, limit });
export const atLeast = (limit) => ({ of: "ratio", text: `≥ ${limit} ×`, holds: (ratio) => ratio >= limit, limit });
export const exactly = (limit) => ({ of: "ratio", text: `${limit} ×`, holds: (ratio) => ratio === limit, limit });
export const noMoreThan = (limit, unit) => ({
  of: "ours",
  text: `≤ ${limit} ${unit}`,
  holds: (ours) => ours <= limit,
  limit,
});

const columns = ["unit", "ours", "floor", "ratio", "target", "met"];

/** Starts a table that is printed row by row. `print`: receives each line. */
export function newTable(print) {
  const rows = [];
  print(line("", columns));
  return {
    rows,
    /** Adds a measurement. `floor`: undefined if there is none. `target`: undefined if there is none. `more`: other figures, for the JSON. */
    add: ({ what, unit, ours, floor, target, ...more }) => {
      const ratio = floor === undefined ? undefined : ours / floor;
      const met = target === undefined ? undefined : target.holds(target.of === "ratio" ? ratio : ours);
      const figures = { ours: rounded(ours), floor: rounded(floor), ratio: rounded(ratio) };
      const others = Object.fromEntries(Object.entries(more).map(([name, value]) => [name, rounded(value)]));
      rows.push({ what, unit, ...figures, target: target?.text, met, ...others });
      const digits = unit === "%" || unit === "exponent" ? 2 : 0;
      const cells = [ours.toFixed(digits), floor?.toFixed(digits) ?? "", ratio?.toFixed(2) ?? "", target?.text ?? ""];
      print(line(what, [unit, ...cells, met === undefined ? "" : met ? "yes" : "NO"]));
    },
  };
}

/** Writes all rows as JSON. */
export const writeTable = (file, facts) =>
  writeFileSync(file, `${JSON.stringify({ node: process.version, ...facts }, undefined, 2)}\n`);

const rounded = (number) => (number === undefined ? undefined : Math.round(number * 100) / 100);

const line = (what, cells) => what.padEnd(70) + cells.map((cell) => cell.padStart(10)).join("");
