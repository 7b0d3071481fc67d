import { exponentOf, runOnce } from "../measure.mjs";
import { noMoreThan } from "../table.mjs";

const alone = new URL("../engine-alone.mjs", import.meta.url).pathname;

/** Measures how matching, diffing and ordering in memory grow with the number of resources. */
export function measureEngine({ add }, sizes, newSizes) {
  const row = (kind, words, counts) => {
    const args = ["--max-old-space-size=8192", alone, kind, "5", ...counts.map(String)];
    const points = JSON.parse(runOnce(args).stdout);
    const [first, last] = [points[0], points.at(-1)];
    const range = `${first.size.toLocaleString("en")} to ${last.size.toLocaleString("en")}`;
    const times = Object.fromEntries(points.map(({ size, time }) => [`ms_${size}`, time]));
    const what = `engine alone, ${range} resources, ${words}`;
    add({ what, unit: "exponent", ours: exponentOf(points), target: noMoreThan(1.1, ""), ...times });
  };
  row("changed", "1 % changed", sizes);
  row("new", "all new", newSizes);
}
