import type { Rehearsal } from "../model/report.ts";
import { printable, type Page, paint } from "./layout.ts";
import { counted } from "../lib/shorten.ts";
import { listSome } from "./shared-cause.ts";

const mostDetails = 20;

/** Renders the proofs of a rehearsal, the claims that did not hold, and its limits. */
export function renderRehearsal(rehearsal: Rehearsal, page: Page): string {
  const { objects, steps, calls, cuts, findings, milliseconds } = rehearsal;
  const crashes = `${cuts} simulated ${cuts === 1 ? "crash" : "crashes"}`;
  const proved = [
    ["seed", `from the same live state the same ${steps === 1 ? "step is" : `${steps} steps are`} planned`],
    ["run", `${counted(calls, "call")} run; a second plan has no changes`],
    ["cut", `${counted(calls, "call")}, ${crashes}, each recovered, and nothing created twice`],
  ].slice(0, cuts === undefined ? 2 : 3);
  const broken = proved.findIndex(([stage]) => findings.some((finding) => finding.stage === stage));
  const held = broken === -1 ? proved : proved.slice(0, broken);
  const lines = [
    paint(page, "bold", `Rehearsed on the embedded service, filled with ${counted(objects, "live object")}:`),
    ...held.map(([, text]) => `  ${paint(page, "green", "proved")}  ${text}`),
    ...findings.flatMap(({ summary, details }) => [
      `  ${paint(page, "red", "failed")}  ${printable(page, summary)}:`,
      ...listSome(details, (line) => printable(page, line), mostDetails).map((line) => `      ${line}`),
    ]),
    `  ${(milliseconds / 1000).toFixed(1)} s. A rehearsal cannot show how the vendor's service differs: its limits, delays and errors, and names already taken in lists that this plan does not read.`,
  ];
  return `\n${lines.join("\n")}\n`;
}
