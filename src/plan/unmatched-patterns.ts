import { collectionOf } from "../kinds/derived/collection.ts";
import { ignoringPatterns } from "../kinds/derived/matches-ignore.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { CollectionPolicy } from "../model/resource.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { getOrMake } from "../lib/collect.ts";

/** One pattern of `ignore:`, and the collections that it is about: mailboxes and aliases stand beside the same list. */
interface AddressPattern {
  readonly text: string;
  readonly at: NonNullable<CollectionPolicy["ignoreAt"]>[number];
  readonly policies: CollectionPolicy[];
}

/**
 * Returns a notice for each name of `ignore:` that names nothing which is live; what is declared cannot be ignored. A pattern with `*`
 * may wait for what others make at times, such as the record of an ACME challenge: to take it out would let `exclusive` delete that.
 */
export function unmatchedPatterns({ desired, live, selection }: PlanInput): Diagnostic[] {
  // A run about some addresses does not judge what the rest of the manifest says.
  if (selection.only.length + selection.except.length > 0) return [];
  const named = namedPatterns(desired.collections.values(), live);
  return patternsOf(desired.collections.values()).flatMap(({ text, at, policies }): Diagnostic[] => {
    if (text.includes("*")) return [];
    const read = policies.map((policy) => live.collections.get(collectionIdOf(policy)));
    const isKnown = read.every((collection) => collection && collection.incomplete === undefined);
    if (!isKnown || policies.some((policy) => named.get(policy)?.has(text))) return [];
    return [
      {
        severity: "notice",
        code: "ignores_nothing",
        summary: `ignore: "${text}" matches nothing that is live or declared`,
        hint: "take it out, or check its spelling: NAME or NAME/TYPE for records, else the name of the resource",
        at,
      },
    ];
  });
}

function patternsOf(policies: Iterable<CollectionPolicy>): AddressPattern[] {
  const patterns = new Map<string, AddressPattern>();
  for (const policy of policies) {
    for (const [index, text] of policy.ignore.entries()) {
      const at = policy.ignoreAt?.[index];
      if (!at) continue;
      const place = `${at.file}:${at.line}:${at.col}`;
      getOrMake(patterns, place, () => ({ text, at, policies: [] })).policies.push(policy);
    }
  }
  return [...patterns.values()];
}

const collectionIdOf = ({ kind, scope }: CollectionPolicy) => collectionOf(kindNamed(kind), scope).id;

/** Returns the patterns without `*` that name something live, by the collection that they stand beside. */
function namedPatterns(policies: Iterable<CollectionPolicy>, { collections, resources }: PlanInput["live"]) {
  const named = new Map<CollectionPolicy, Set<string>>();
  for (const policy of policies) {
    const names = { ...policy, ignore: policy.ignore.filter((pattern) => !pattern.includes("*")) };
    const addresses = names.ignore.length > 0 ? (collections.get(collectionIdOf(policy))?.addresses ?? []) : [];
    const found = addresses.flatMap((address) => {
      const key = resources.get(address)?.key;
      return key ? [...ignoringPatterns(kindNamed(policy.kind), names, key)] : [];
    });
    named.set(policy, new Set(found.map((place) => names.ignore[place] ?? "")));
  }
  return named;
}
