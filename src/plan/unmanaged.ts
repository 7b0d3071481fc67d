import { bindKind, type BoundKind } from "../contract/bound-kind.ts";
import { isImplicit, tellsOwner } from "../contract/offered.ts";
import { hasServersValue, isComparable } from "../contract/taken-values.ts";
import { isOff, isWhollyPlatformOwned, keptElsewhere } from "../kinds/derived/server-made.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Address } from "../model/address.ts";
import { looksSecret } from "../kinds/derived/looks-secret.ts";
import type { Contract } from "../model/contract.ts";
import type { Change, Plan } from "../model/plan.ts";
import { isPartial, type PlanInput } from "../model/plan-input.ts";
import type { LiveResource, Remote, CollectionPolicy } from "../model/resource.ts";
import { ignoringGlob, placesIgnoring } from "../policy/deletions.ts";
import type { PreparedInput } from "./context.ts";
import { showMember } from "./shown.ts";
import { collectionOf } from "../kinds/derived/collection.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { getOrMake } from "../lib/collect.ts";

/**
 * Returns the live resources that the manifest does not name, sorted, by collection. What the server makes by itself, and what `ignore:`
 * names, is left out.
 * @param touched addresses that the plan changes, or takes along with a change.
 */
export function findUnmanaged(input: PreparedInput, touched: ReadonlySet<Address>): Plan["unmanaged"] {
  const untouched = input.undeclared.filter(({ address }) => !touched.has(address));
  const unmanaged = unnamed(input, untouched).filter((resource) => ignoringGlob(input, resource) === undefined);
  const names = new Set(unmanaged.map(({ address }) => address));
  return [...input.live.collections.values()]
    .flatMap(({ id, addresses }) => {
      const named = addresses.filter((address) => names.has(address));
      return named.length === 0 ? [] : [{ collection: id, addresses: named.sort() }];
    })
    .toSorted((a, b) => (a.collection < b.collection ? -1 : 1));
}

/** Returns the live resources that the manifest names by an `ignore:` pattern alone. */
export const findIgnored = (input: PlanInput): Address[] =>
  unnamed(input, undeclaredIn(input)).flatMap((resource) =>
    ignoringGlob(input, resource) === undefined ? [] : [resource.address],
  );

/** Returns the live resources that no block of the manifest names. */
export const undeclaredIn = ({ desired, live }: Pick<PlanInput, "desired" | "live">): LiveResource[] =>
  [...live.resources.values()].filter(({ address }) => !desired.resources.has(address));

/** Returns those of undeclared resources that no entry of the manifest names either, without those that the server makes by itself. */
function unnamed({ desired, live, contract }: PlanInput, undeclared: readonly LiveResource[]): LiveResource[] {
  const all = undeclared.filter(({ address }) => !desired.removed.has(address));
  if (all.length === 0) return [];
  const kept = new Set<Address>();
  for (const each of live.resources.values()) for (const address of keptElsewhere(each)) kept.add(address);
  return all.filter((each) => !isServers(contract, each, kept));
}

/** Returns whether a resource is as the server made it, or belongs to the platform. */
function isServers(contract: Contract, resource: LiveResource, kept: ReadonlySet<Address>): boolean {
  const kind = bindKind(contract, resource.kind);
  if (isWhollyPlatformOwned(resource) || isOff(resource)) return true;
  const mayBePlatforms = kept.has(resource.address) || kind.serverMade?.mayBeOwn?.(resource.key) === true;
  if (mayBePlatforms && !tellsOwner(contract, kind)) return true;
  return isImplicit(contract, kind) && resource.remotes.every((remote) => isUntouched(kind, resource, remote));
}

/** Returns whether each field that a manifest could write has the server's own value. */
function isUntouched(kind: BoundKind, { key }: LiveResource, { fields }: Remote): boolean {
  return Object.entries(kind.fields).every(
    ([field, rules]) =>
      !isComparable(rules) || fields[field] === undefined || hasServersValue({ kind, key }, field, fields),
  );
}

/** Returns the values of a live resource that identify it to a person. A value that may be a secret is masked. */
export function showUnmanaged({ kind: name, key, remotes }: LiveResource): Change[] {
  const kind = kindNamed(name);
  const { members } = kind;
  const ofKey = new Set(Object.keys(kind.naming.toFields(key)));
  const after = { is: "absent" } as const;
  if (members) return remotes.map(({ fields }) => ({ path: "value", before: showMember(members, fields), after }));
  return remotes.slice(0, 1).flatMap(({ fields }) =>
    Object.entries(kind.fields).flatMap(([path, field]): Change[] => {
      const value = fields[path] ?? null;
      if (!isComparable(field) || ofKey.has(path) || value === null) return [];
      return [{ path, before: looksSecret(kind, path, value) ? { is: "sensitive" } : { is: "value", value }, after }];
    }),
  );
}

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
export function unmatchedPatterns(input: PlanInput): Diagnostic[] {
  const { desired, live, selection } = input;
  // A run about some addresses does not judge what the rest of the manifest says.
  if (isPartial(selection)) return [];
  const named = namedPatterns(input);
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
function namedPatterns({ contract, desired, live: { collections, resources } }: PlanInput) {
  const named = new Map<CollectionPolicy, Set<string>>();
  for (const policy of desired.collections.values()) {
    const names = { ...policy, ignore: policy.ignore.filter((pattern) => !pattern.includes("*")) };
    const addresses = names.ignore.length > 0 ? (collections.get(collectionIdOf(policy))?.addresses ?? []) : [];
    const found = addresses.flatMap((address) => {
      const resource = resources.get(address);
      return resource ? placesIgnoring(contract, names, resource) : [];
    });
    named.set(policy, new Set(found.map((place) => names.ignore[place] ?? "")));
  }
  return named;
}
