import type { Address } from "../model/address.ts";
import type { Plan, Refusal } from "../model/plan.ts";
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
  const isTold = only !== undefined && refusals.every(({ hint }) => isFlag(hint));
  return [
    ...layOutText(page, page.paint("bold", title)),
    ...groupRefusals(isTold ? refusals.map((each) => withFlag(each, only)) : refusals).flatMap((group) =>
      renderGroup(group, page),
    ),
    ...(flags.length > 0 && !isTold ? layOutFlags(`  ${page.paint("cyan", "to allow all:")}`, flags, page) : []),
    ...(leaving.length > 0 ? layOutFlags(`  ${page.paint("cyan", "to apply the rest:")}`, leaving, page) : []),
    ...layOutEntries(isUndo ? [] : committable(plan), isSaved, page),
  ];
}

/** Returns a refusal whose hint has its flag as a shell takes it. */
const withFlag = (refusal: Refusal, quoted: string): Refusal => ({
  ...refusal,
  hint: refusal.hint.replace(`${refusal.flag} ${refusal.address}`, () => quoted),
});

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

function renderGroup(group: readonly Refusal[], page: Page): string[] {
  const [first] = group;
  if (!first) return [];
  const { address, summary, hint } = first;
  const { paint } = page;
  const isOne = group.length === 1;
  const what = isOne ? summary : replaceAddress(summary, address, `each of these ${group.length}`);
  const help = isOne ? hint : replaceAddress(hint, address, "ADDRESS");
  const addresses = isOne
    ? []
    : listSome(group, (each) => `${escapeControls(each.address ?? "")}${positionText(each.at)}`);
  return [
    ...layOutText(page, `${paint("red", "  ✗")} ${printable(page, what)}${isOne ? positionText(first.at) : ""}`, 6),
    ...addresses.flatMap((line) => layOutText(page, `      ${printable(page, line)}`, 8)),
    ...(isFlag(hint)
      ? layOutAllowing(help, page)
      : layOutText(page, `      ${paint("cyan", "help:")} ${printable(page, help, longestHint)}`, 8)),
  ];
}

/** Most hints are a flag, which stands for itself; the others say in a sentence what to do, as those of diagnostics do. */
const isFlag = (hint: string) => hint.startsWith("--");

/** Lays out a flag, ready to be pasted, and below it what else would do. */
function layOutAllowing(hint: string, page: Page): string[] {
  const [flag = "", ...others] = hint.split(", or ");
  return [
    ...layOutFlags(`      ${page.paint("cyan", "to allow it:")}`, [flag], page),
    ...others.flatMap((other) =>
      layOutText(page, `      ${page.paint("cyan", "or:")} ${printable(page, other, longestHint)}`, 8),
    ),
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
