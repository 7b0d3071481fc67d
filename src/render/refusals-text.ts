import type { Plan, Refusal } from "../model/plan.ts";
import { allowingFlags } from "./allowing-flags.ts";
import { escapeControls } from "./escape.ts";
import type { Paint } from "./paint.ts";
import { groupByCause, listSome, placeOf, replaceAddress } from "./shared-cause.ts";

/** What is refused, and the consent that each needs; a cause that many share is told once, with their addresses. */
export function renderRefusals(plan: Pick<Plan, "refusals" | "steps">, paint: Paint): string {
  const { refusals } = plan;
  if (refusals.length === 0) return "";
  const flags = allowingFlags(plan);
  const which = refusals.every(({ flag }) => flag !== undefined) ? "all" : "those that a flag can allow";
  return [
    paint(
      "bold",
      `Refused: ${refusals.length}. Nothing is applied until each refusal is allowed by a flag or resolved in the manifest.`,
    ),
    ...groupRefusals(refusals).flatMap((group) => renderGroup(group, paint)),
    ...(flags.length > 0 ? [`  ${paint("cyan", `to allow ${which}:`)} ${escapeControls(flags.join(" "))}`] : []),
  ].join("\n");
}

const groupRefusals = (refusals: readonly Refusal[]) =>
  groupByCause(refusals, ({ address, code, summary, hint }) => ({ address, words: [code, summary, hint] }));

function renderGroup(group: readonly Refusal[], paint: Paint): string[] {
  const [first] = group;
  if (!first) return [];
  const { address, summary, hint } = first;
  const isOne = group.length === 1;
  const what = isOne ? summary : replaceAddress(summary, address, `each of these ${group.length}`);
  const help = isOne ? hint : replaceAddress(hint, address, "ADDRESS");
  const addresses = isOne ? [] : listSome(group, (each) => `${escapeControls(each.address ?? "")}${placeOf(each.at)}`);
  return [
    `${paint("red", "  ✗")} ${escapeControls(what)}${isOne ? placeOf(first.at) : ""}`,
    ...addresses.map((line) => `      ${line}`),
    `      ${paint("cyan", `${labelOf(hint)}:`)} ${escapeControls(help)}`,
  ];
}

/** Most hints are a flag, which stands for itself; the others say in a sentence what to do, as those of diagnostics do. */
const labelOf = (hint: string) => (hint.startsWith("--") ? "to allow it" : "help");
