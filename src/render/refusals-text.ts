import type { Address } from "../model/address.ts";
import { allowingFlag, type Refusal } from "../messages/refusals.ts";
import type { Plan } from "../model/plan.ts";
import { allowingFlags, committable, flagsForRest, leavingOutFlags } from "./allowing-flags.ts";
import { escapeControls } from "../lib/escape.ts";
import { longestHint } from "../lib/shorten.ts";
import { layOut, layOutText, onOneLine, printable, type Page } from "./layout.ts";
import { groupByCause, listSome, positionText, replaceAddress } from "./shared-cause.ts";

/** Lays out what is refused, and the consent that each needs; a cause that many share is given once, with their addresses. */
export function renderRefusals(plan: Pick<Plan, "refusals" | "steps" | "isSaved">, page: Page): string[] {
  const { refusals, isSaved = false } = plan;
  if (refusals.length === 0) return [];
  const isAllowable = refusals.every(({ flag }) => flag !== undefined);
  // A saved plan is applied as a whole.
  const leaving = isSaved ? [] : isAllowable ? leavingOutFlags(plan) : flagsForRest(plan);
  const flags = isAllowable ? allowingFlags(plan) : [];
  // The manifest still declares the changes that an undo takes back, so nothing in it would help.
  const isUndo = plan.steps.some(({ reason }) => reason.is === "undo");
  const resolved = isUndo
    ? ""
    : isSaved
      ? ", or is resolved in the manifest and a new plan is saved"
      : " or resolved in the manifest";
  const title = `Refused: ${refusals.length}. Nothing is applied until each refusal is allowed by a flag${resolved}.`;
  const [only] = refusals.length === 1 && flags.length === 1 ? flags : [];
  const isTold = only !== undefined && refusals.every((each) => allowingFlag(each) !== undefined);
  return [
    ...layOutText(page, page.paint("bold", title)),
    ...groupRefusals(refusals).flatMap((group) => renderGroup(group, isTold ? only : undefined, page)),
    ...(flags.length > 0 && !isTold ? layOutFlags(`  ${page.paint("cyan", "to allow all:")}`, flags, page) : []),
    ...(leaving.length > 0 ? layOutFlags(`  ${page.paint("cyan", "to apply the rest:")}`, leaving, page) : []),
    ...layOutEntries(isUndo ? [] : committable(plan), isSaved, page),
  ];
}

/** Lays out the lines that consent to deletions in git, ready to be pasted; they are not broken. */
function layOutEntries(addresses: readonly Address[], isSaved: boolean, { paint }: Page): string[] {
  if (addresses.length === 0) return [];
  const entries = addresses.map((address) => `      - { address: ${JSON.stringify(address)}, action: delete }`);
  return [
    `  ${paint("cyan", `or commit at the top level of a manifest file${isSaved ? ", and save a new plan" : ""}:`)}`,
    "    removed:",
    ...entries.map(escapeControls),
  ];
}

const groupRefusals = (refusals: readonly Refusal[]) =>
  groupByCause(refusals, ({ address, code, summary, hint }) => ({ address, words: [code, summary, hint] }));

/** `quoted`: the flag of a single refusal as a shell takes it. */
function renderGroup(group: readonly Refusal[], quoted: string | undefined, page: Page): string[] {
  const [first] = group;
  if (!first) return [];
  const { address, summary, hint, alternatives = [] } = first;
  const { paint } = page;
  const isOne = group.length === 1;
  const forAll = (text: string, word: string) => (isOne ? text : replaceAddress(text, address, word));
  const addresses = isOne
    ? []
    : listSome(group, (each) => `${escapeControls(each.address ?? "")}${positionText(each.at)}`);
  const flag = allowingFlag(isOne ? first : { ...first, address: "ADDRESS" as Address });
  const note = (label: string, text: string) =>
    layOutText(page, `      ${paint("cyan", label)} ${printable(page, forAll(text, "ADDRESS"), longestHint)}`, 8);
  return [
    ...layOutText(
      page,
      `${paint("red", "  ✗")} ${printable(page, forAll(summary, `each of these ${group.length}`))}${isOne ? positionText(first.at) : ""}`,
      6,
    ),
    ...addresses.flatMap((line) => layOutText(page, `      ${printable(page, line)}`, 8)),
    // A flag stands for itself; the other hints say in a sentence what to do, as those of diagnostics do.
    ...(flag === undefined || address === undefined
      ? note("help:", hint)
      : [
          ...layOutFlags(`      ${paint("cyan", "to allow it:")}`, [quoted ?? flag], page),
          ...alternatives.flatMap((each) => note("or:", each)),
        ]),
  ];
}

/** Lays flags out so that a shell takes them when they are pasted, also where a line is too short for them. */
function layOutFlags(label: string, flags: readonly string[], page: Page): string[] {
  const words = flags.flatMap((flag) => {
    const [, name = flag, value] = /^(\S+) (.+)$/u.exec(flag) ?? [];
    return [name, ...(value === undefined ? [] : [value])].map((word) => printable(page, word));
  });
  const continued = " \\";
  const whole = onOneLine(page, [[label, ...words]]);
  if (whole !== undefined) return [whole];
  const lines = layOut({ ...page, width: page.width - continued.length }, [[label, ...words]], 8);
  return lines.map((line, index) => (index < lines.length - 1 ? line + continued : line));
}
