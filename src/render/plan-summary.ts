import type { Plan } from "../model/plan.ts";
import { escapeControls } from "./escape.ts";
import type { Paint } from "./paint.ts";
import { tallyCollections, tallyKinds, type Tally } from "./plan-counts.ts";
import { alignColumns } from "./table.ts";

/** Plans of so many steps are read from the end anyway. */
const longest = 20;
const topCollections = 5;

/** The head of a long plan: what it does by kind, and the collections with most of it. Empty for a short one. */
export function renderSummary(plan: Plan, paint: Paint): string {
  if (plan.steps.length <= longest) return "";
  const collections = tallyCollections(plan);
  const top = collections.slice(0, topCollections);
  const more = collections.length - top.length;
  const lines = alignColumns([
    ["KIND", ...titles],
    ...tallyKinds(plan).map(cells),
    [],
    [`MOST IN`, ...titles],
    ...top.map(cells),
  ]).map((line) => `  ${line}`.trimEnd());
  const heads = new Set([0, lines.length - top.length - 1]);
  return [
    ...lines.map((line, index) => (heads.has(index) ? paint("bold", line) : line)),
    ...(more > 0 ? [`  and ${more} more ${more === 1 ? "collection" : "collections"}`] : []),
  ].join("\n");
}

const titles = ["ADD", "CHANGE", "DESTROY", "REPLACE"];
const cells = ({ name, add, change, destroy, replace }: Tally) => [
  escapeControls(name),
  ...[add, change, destroy, replace].map(String),
];
