import { hash } from "node:crypto";
import { addTo, getOrMake } from "../../lib/collect.ts";
import type { Address } from "../../model/address.ts";
import type { Json } from "../../model/json.ts";
import type { Shown, Step } from "../../model/plan.ts";
import { isDanger } from "../../policy/danger.ts";

/** The plan of an account, and the names in it that no other account has: all of its domains, also those that the plan leaves alone. */
export interface AccountChanges {
  readonly account: string;
  readonly domains: readonly string[];
  /** Its name, and other names and ids of its own, such as that of its service. */
  readonly names: readonly string[];
  readonly steps: readonly Step[];
}

/**
 * A change as it is for each account of a group. `<account>` stands for its name, and `<domain>` for each of its domains: a change of some of
 * them has their names.
 */
export interface SharedChange extends Pick<
  Step,
  "address" | "action" | "replaces" | "purchase" | "changes" | "gaps" | "on_refusal"
> {
  /** Present where the change takes back what others did, also in part. */
  readonly origin?: "drift" | "both";
  /** Other resources that are deleted with it. */
  readonly takesAlong: readonly Address[];
  /** Whether it deletes, reroutes, interrupts or costs something. */
  readonly isDanger: boolean;
}

/** Accounts whose changes are equal but for their own names. */
export interface ChangeGroup {
  /** Sorted by address; those of one account alone with its own names. */
  readonly changes: readonly SharedChange[];
  /** In the order given. */
  readonly accounts: readonly string[];
  /** Steps of all of these accounts. */
  readonly steps: number;
}

/**
 * Groups accounts by their changes, those unlike the rest first: those with a danger that the largest group does not have, then those of
 * the fewest accounts. Linear in the steps.
 */
export function groupChanges(accounts: readonly AccountChanges[]): readonly ChangeGroup[] {
  const members = new Map<string, AccountChanges[]>();
  const contents = new Map<string, ReadonlyMap<string, SharedChange>>();
  for (const account of accounts) {
    const shared = sharedChanges(account);
    // The changes of a large fleet need not be held for each account.
    const key = hash("sha256", [...shared.keys()].join("\n"));
    addTo(members, key, account);
    getOrMake(contents, key, () => shared);
  }
  const groups = [...members].map(([key, group]) => {
    const keys = contents.get(key) ?? new Map<string, SharedChange>();
    return {
      keys,
      changes: group.length > 1 ? [...keys.values()] : group.flatMap((each) => [...changesWithNames(each)]),
      accounts: group.map(({ account }) => account),
      steps: group.reduce((sum, { steps }) => sum + steps.length, 0),
    };
  });
  const usual = groups.toSorted((a, b) => b.accounts.length - a.accounts.length)[0]?.keys;
  return groups
    .map((group) => ({
      group,
      isUnlike: [...group.keys].some(([key, change]) => change.isDanger && usual?.has(key) !== true),
    }))
    .toSorted((a, b) => Number(b.isUnlike) - Number(a.isUnlike) || a.group.accounts.length - b.group.accounts.length)
    .map(({ group: { keys: _keys, ...group } }) => group);
}

const lower = (names: readonly string[]) => new Set(names.map((name) => name.toLowerCase()));

/** Returns the changes of an account by their texts in one order: without its own names where these are not needed to tell what is changed. */
function sharedChanges({ domains, names, steps }: AccountChanges): ReadonlyMap<string, SharedChange> {
  const all = lower(domains);
  const isBelow = (domain: string) =>
    [...domain.matchAll(/\./gu)].some(({ index }) => all.has(domain.slice(index + 1)));
  const own = { domains: new Set([...all].filter((domain) => !isBelow(domain))), names: new Set(names) };
  const byText = new Map<string, { step: Step; change: SharedChange; found: ReadonlySet<string> }[]>();
  for (const step of steps) {
    const found = new Set<string>();
    const change = withoutNames(step, own, found);
    addTo(byText, JSON.stringify(change), { step, change, found });
  }
  const shared = [...byText.values()].flatMap((equal) => {
    const found = equal.flatMap((each) => [...each.found]);
    const count = found.length === 0 ? 1 : own.domains.size;
    const isOfEach =
      equal.length === count && Math.max(1, found.length) === count && new Set(found).size === found.length;
    return isOfEach
      ? equal.slice(0, 1).map(({ change }) => change)
      : equal.map(({ step }) => withoutNames(step, noNames));
  });
  const keyed = shared.map((change) => [JSON.stringify(change), change] as const);
  return new Map(keyed.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))));
}

const changesWithNames = (account: AccountChanges) => sharedChanges({ ...account, domains: [], names: [] }).values();

/** The names of one account; domains in lower case, since an account named `a` is not the record type A. */
interface OwnNames {
  readonly domains: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

const noNames: OwnNames = { domains: new Set(), names: new Set() };

const word = /[\p{L}\p{N}_.-]+/gu;

/** No name has more characters. Each dot of a word may begin one, so that a longer word would take the square of its length. */
const longestName = 255;

/**
 * Returns a word with a placeholder for an own name: for a domain at its end, as in `www.shop.example`, and for another name at its
 * beginning, as in `shop17_blog`. A part of a longer label is not a name: `shop.example` is not in `my-shop.example`.
 */
function replaceName(text: string, { domains, names }: OwnNames, found: Set<string>): string {
  if (text.length > longestName) return text;
  const end = text.endsWith(".") ? "." : "";
  const name = text.slice(0, text.length - end.length).toLowerCase();
  for (let at = 0; at >= 0; at = name.indexOf(".", at) + 1 || -1) {
    const domain = name.slice(at);
    if (domains.has(domain)) return found.add(domain) && `${text.slice(0, at)}<domain>${end}`;
  }
  for (const { index } of [...name.matchAll(/$|[_.-]/gu)].reverse())
    if (names.has(text.slice(0, index))) return `<account>${text.slice(index)}`;
  return text;
}

/** @param found gets the domains that a placeholder stands for. */
function withoutNames(step: Step, own: OwnNames, found = new Set<string>()): SharedChange {
  const text = (value: string) => value.replaceAll(word, (each) => replaceName(each, own, found));
  const json = (value: Json): Json => {
    if (typeof value === "string") return text(value);
    if (typeof value === "number") return text(String(value)) === "<account>" ? "<account>" : value;
    if (Array.isArray(value)) return value.map(json);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [text(name), json(each)]));
  };
  const named = (each: Address) => text(each) as Address;
  const side = (shown: Shown): Shown => (shown.is === "value" ? { ...shown, value: json(shown.value) } : shown);
  const { address, action, replaces, purchase, changes, origin, takesAlong = [] } = step;
  const gaps = step.gaps?.map((gap) => ({ ...gap, name: text(gap.name), until: text(gap.until) }));
  const lost = (step.on_refusal ?? []).filter(({ is }) => is === "lost");
  return {
    address: named(address),
    action,
    replaces,
    purchase,
    ...((origin === "drift" || origin === "both") && { origin }),
    changes: changes.map((was) => ({ ...was, path: text(was.path), before: side(was.before), after: side(was.after) })),
    takesAlong: takesAlong.map(named),
    ...(gaps && { gaps }),
    ...(lost.length > 0 && { on_refusal: lost.map((each) => ({ ...each, address: named(each.address) })) }),
    isDanger: isDanger(step),
  };
}
