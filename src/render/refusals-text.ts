import { type Address, kindOf } from "../model/address.ts";
import { aboutOthers, allowingFlag, type Refusal } from "../messages/refusals.ts";
import { addressesOf, goneAfter, type Plan } from "../model/plan.ts";
import { escapeControls, quoted } from "../lib/escape.ts";
import { harmless, longestHint } from "../lib/shorten.ts";
import { layOut, layOutText, onOneLine, printable, type Page, paint } from "./layout.ts";
import { groupByCause, listSome, positionText } from "./shared-cause.ts";
import { collectionAt, normaliseAddress } from "../kinds/derived/collection.ts";
import { kindNamed } from "../kinds/index.ts";
import { countEach, groupBy } from "../lib/collect.ts";
import { matchesGlob } from "../model/glob.ts";
import { nameAt, namesAbove } from "../policy/delete-scopes.ts";
import { addressesBehind } from "../policy/waiting-steps.ts";

/** Lays out what is refused, and the consent that each needs; a cause that many share is given once, with their addresses. */
export function renderRefusals(plan: Pick<Plan, "refusals" | "steps" | "isSaved">, page: Page): string[] {
  const { refusals, isSaved = false } = plan;
  if (refusals.length === 0) return [];
  const { title, flags, leaving, entries } = viewRefusals(plan);
  const [only] = refusals.length === 1 && flags.length === 1 ? flags : [];
  const isShown = only !== undefined && refusals.every((each) => allowingFlag(each) !== undefined);
  return [
    ...layOutText(page, paint(page, "bold", title)),
    ...groupRefusals(refusals).flatMap((group) => renderGroup(group, isShown ? only : undefined, page)),
    ...(flags.length > 0 && !isShown ? layOutFlags(`  ${paint(page, "cyan", "to allow all:")}`, flags, page) : []),
    ...(leaving.length > 0 ? layOutFlags(`  ${paint(page, "cyan", "to apply the rest:")}`, leaving, page) : []),
    ...layOutEntries(entries, isSaved, page),
  ];
}

/**
 * Returns what a refused plan says beside its refusals: a title, the flags that allow all or leave out what is refused, and the lines to be
 * committed. `entries`: of `removed:`; they stand whole, because an entry that is pasted is of use only so.
 */
export function viewRefusals(plan: Pick<Plan, "refusals" | "steps" | "isSaved">) {
  const { refusals, isSaved = false } = plan;
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
  const entries = (isUndo ? [] : committable(plan)).map((address) =>
    escapeControls(`- { address: ${JSON.stringify(address)}, action: delete }`),
  );
  return { title, flags, leaving, entries };
}

/** Lays out the lines that consent to deletions in git, ready to be pasted; they are not broken. */
function layOutEntries(entries: readonly string[], isSaved: boolean, page: Page): string[] {
  if (entries.length === 0) return [];
  return [
    `  ${paint(page, "cyan", `or commit at the top level of a manifest file${isSaved ? ", and save a new plan" : ""}:`)}`,
    "    removed:",
    ...entries.map((entry) => `      ${entry}`),
  ];
}

export const groupRefusals = (refusals: readonly Refusal[]) =>
  groupByCause(refusals, (refusal) => {
    const { code, summary, hint } = aboutOthers(refusal, "ADDRESS");
    return [code, summary, hint];
  });

/** Returns a group of refusals in the words of one: its own, or about all of them, with a hint and a flag for each. */
export function wordsOfGroup(
  group: readonly [Refusal, ...Refusal[]],
): Pick<Refusal, "summary" | "hint" | "alternatives"> & { readonly flag: string | undefined } {
  const [first] = group;
  if (group.length === 1) return { ...first, flag: allowingFlag(first) };
  const each = { ...aboutOthers(first, "ADDRESS"), address: "ADDRESS" as Address };
  return { ...each, summary: aboutOthers(first, `each of these ${group.length}`).summary, flag: allowingFlag(each) };
}

/** `quoted`: the flag of a single refusal as a shell takes it. */
function renderGroup(group: readonly [Refusal, ...Refusal[]], quoted: string | undefined, page: Page): string[] {
  const [first] = group;
  const isOne = group.length === 1;
  const { summary, hint, alternatives = [], flag } = wordsOfGroup(group);
  const addresses = isOne ? [] : listSome(group, (each) => `${harmless(each.address ?? "")}${positionText(each.at)}`);
  const note = (label: string, text: string) =>
    layOutText(page, `      ${paint(page, "cyan", label)} ${printable(page, text, longestHint)}`, 8);
  return [
    ...layOutText(
      page,
      `${paint(page, "red", "  ✗")} ${printable(page, summary)}${isOne ? positionText(first.at) : ""}`,
      6,
    ),
    ...addresses.flatMap((line) => layOutText(page, `      ${printable(page, line)}`, 8)),
    // A flag stands for itself; the other hints say in a sentence what to do, as those of diagnostics do.
    ...(flag === undefined
      ? note("help:", hint)
      : [
          ...layOutFlags(`      ${paint(page, "cyan", "to allow it:")}`, [quoted ?? flag], page),
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

/** Deletions of one kind that are named one by one; beyond it, a number stands for them. */
const mostNamed = 5;

/** The flags that would allow all that a plan refuses and any flag can allow, quoted for a shell. */
export function allowingFlags({ refusals, steps }: Pick<Plan, "refusals" | "steps">): string[] {
  const refused = (flag: string) =>
    new Set(refusals.flatMap((each) => (each.flag === flag && each.address !== undefined ? [each.address] : [])));
  const rollback = refusals.some(({ flag }) => flag === "--rollback");
  return [
    ...deletions(refused("--allow-delete"), steps).map((value) => `--allow-delete ${quoted(value)}`),
    ...[...refused("--allow-purchase")].map((address) => `--allow-purchase ${quoted(address)}`),
    ...(rollback ? ["--rollback"] : []),
  ];
}

/**
 * A name covers the deletions of a service, domain or zone with all that stands below it. A number of a kind counts every deletion of that
 * kind, so only those are behind it. An update is always named.
 */
function deletions(refused: ReadonlySet<Address>, steps: Plan["steps"]): string[] {
  const deleted = addressesOf(steps, "delete");
  const names = removedNames(refused, deleted);
  const covered = new Set([...names.values()].flat());
  const others = [...refused].filter((address) => !covered.has(address));
  const going = countEach(others.filter((address) => deleted.has(address)).map(kindOf));
  const counted = [...going].flatMap(([kind, count]) => (count > mostNamed ? [kind] : []));
  const inKinds = countEach([...deleted].map(kindOf));
  return [
    ...[...names].map(([name, { length }]) => `${name}=${length}`),
    ...counted.map((kind) => `${kind}/*=${inKinds.get(kind)}`),
    ...others.filter((address) => !(deleted.has(address) && counted.includes(kindOf(address)))),
  ];
}

/** The deletions below each name whose service, domain or zone is refused as a deletion, where more than that one is refused. */
function removedNames(
  refused: ReadonlySet<Address>,
  deleted: ReadonlySet<Address>,
): ReadonlyMap<string, readonly Address[]> {
  const names = [...refused].flatMap((address) => (deleted.has(address) ? (nameAt(address) ?? []) : []));
  const below = new Map(names.map((name): [string, Address[]] => [name, []]));
  for (const address of deleted) for (const name of namesAbove(address)) below.get(name)?.push(address);
  return new Map([...below].filter(([, all]) => all.filter((address) => refused.has(address)).length > 1));
}

/** Returns the flags that leave out all that is refused, so that the rest of the plan can be applied; none where there is no rest. */
export const leavingOutFlags = ({ refusals, steps }: Pick<Plan, "refusals" | "steps">): string[] =>
  leaveOut(refusals, steps).flags;

/**
 * Returns all flags with which a plan is applied of which no flag allows a part: they leave that part out, and allow the rest. None where
 * there is no rest.
 */
function flagsForRest({ refusals, steps }: Pick<Plan, "refusals" | "steps">): string[] {
  const never = refusals.filter(({ flag }) => flag === undefined);
  const { flags, isOut } = leaveOut(never, steps);
  if (flags.length === 0) return [];
  const rest = {
    refusals: refusals.filter(({ address }) => address === undefined || !isOut(address)),
    steps: steps.filter(({ address }) => !isOut(address)),
  };
  return [...allowingFlags(rest), ...flags];
}

const nothingLeftOut = { flags: [], isOut: () => false };

/** The flags that leave out what is refused, and the addresses that these leave out, with all that waits for them. */
function leaveOut(refusals: readonly Refusal[], steps: Plan["steps"]) {
  const refused = new Set(refusals.flatMap(({ address }) => address ?? []));
  const all = new Set([...refused, ...addressesBehind(steps, (address) => refused.has(address))]);
  const lists = groupBy([...all].sort(), collectionAt);
  const others = new Set(steps.flatMap(({ address }) => (all.has(address) ? [] : [collectionAt(address)])));
  const globsOf = (isShort: boolean) =>
    [...lists].flatMap(([id, addresses]) =>
      addresses.length > 1 && addresses.every((each) => each.startsWith(`${id}/`)) && (isShort || !others.has(id))
        ? [`${id}/*`]
        : addresses,
    );
  // A pattern that leaves out more than it must is better than none.
  const globs = [globsOf(false), globsOf(true)].find(({ length }) => length <= mostLeftOut) ?? [];
  if (globs.length === 0 || refusals.some(({ address }) => address === undefined)) return nothingLeftOut;
  const out = addressesBehind(steps, (address) => globs.some((glob) => matchesGlob(glob, address)));
  const isOut = (address: Address) => refused.has(address) || out.has(address);
  const hasRest = steps.some(({ address }) => !isOut(address));
  return { flags: hasRest ? globs.map((glob) => `--except ${quoted(glob)}`) : [], isOut };
}

/** Returns the deletions to which entries under `removed:` in git would consent; none where those would not allow the whole plan. */
export function committable({ refusals, steps }: Pick<Plan, "refusals" | "steps">): Address[] {
  const deleted = goneAfter(steps.filter(({ reason }) => reason.is !== "named_in_removed"));
  const byFlag = refusals.flatMap(({ address, flag }) => (flag === "--allow-delete" ? (address ?? []) : []));
  const others = new Set(refusals.flatMap(({ address, flag }) => (flag === "--allow-delete" ? [] : address)));
  const isPossible = (address: Address) =>
    deleted.has(address) &&
    normaliseAddress(address) !== undefined &&
    kindNamed(kindOf(address)).guard?.refuse === undefined;
  const all = [...new Set(byFlag)];
  return others.size === 0 && all.every(isPossible) ? all : [];
}

/** Beyond so many, a person chooses with other patterns. */
const mostLeftOut = 10;
