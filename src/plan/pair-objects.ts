import type { ObjectPair } from "../contract/set-calls.ts";
import { isPlatformOwned, ownObjects } from "../kinds/derived/server-made.ts";
import type { Kind, Members } from "../kinds/kind.ts";
import { impliedValues, isUnknown, knownValue, openFields } from "../model/body.ts";
import { getOrMake } from "../lib/collect.ts";
import type { Body, Key, LiveResource, Remote, Resource, Values } from "../model/resource.ts";
import { compareDesired, differs, indexLive } from "./compare-values.ts";
import { isReadWrite } from "../kinds/derived/field-access.ts";

// A cache only: it depends on the kind alone.
const impliedIn = new WeakMap<Members, Values>();

/** The objects of an address, each desired one with the live one that it is or that will become it. */
export interface Pairing {
  readonly pairs: readonly ObjectPair[];
  /** The live objects that may be written; `live`: with the platform's own among the members of a set. */
  readonly remotes: readonly Remote[];
  readonly live: readonly Remote[];
  /** The values that all objects share. */
  readonly shared: Body;
}

/**
 * Pairs the objects of an address so that the fewest calls are needed: a resource is paired with its one object. The members of a set are
 * paired by identity; the platform's own are left out on both sides.
 */
export function pairObjects(kind: Kind, resource: Resource, live: LiveResource | undefined): Pairing {
  const { members: rules } = kind;
  const all = live?.remotes ?? [];
  if (!rules)
    return { pairs: [pairOf(kind, resource, all[0], resource)], remotes: all.slice(0, 1), live: all, shared: resource };
  // Neither the order of a manifest nor that of a list may change what is planned.
  const identityOf = ({ fields }: Remote) => knownValue(fields[rules.identity] ?? null);
  const remotes = sorted(ownObjects(kind, all), (a, b) => compareDesired(identityOf(a), identityOf(b)));
  const platforms = all.length > remotes.length ? all.filter((each) => isPlatformOwned(kind, each)) : [];
  const kept = platforms.length > 0 ? indexLive(platforms, rules.identity) : undefined;
  const { members: declared = [] } = resource;
  const unkept = kept ? declared.filter(({ fields }) => kept(fields[rules.identity]).length === 0) : declared;
  const own = sorted(unkept, (a, b) => compareDesired(a.fields[rules.identity], b.fields[rules.identity]));
  const implied = getOrMake(impliedIn, rules, () => impliedValues(rules.always));
  const pairings = sharedBodies(rules, resource, remotes).map((shared) => {
    // Many times as fast as properties that are added to a spread copy.
    const members = own.map(({ fields }) => ({ fields: Object.assign({}, implied, shared.fields, fields) }));
    return { remotes, live: all, shared, pairs: pairMembers(kind, rules, { members, remotes, shared }) };
  });
  // Live mixtures are drift: where no TTL is known, that one stays which most records have; of equals the lowest, which resolvers go by.
  const callsIn = ({ pairs }: Pairing) => pairs.filter(needsCall).length;
  return pairings.reduce((best, each) => (callsIn(each) < callsIn(best) ? each : best));
}

/** Live objects for which nothing is desired. */
export const unpaired = (remotes: readonly Remote[]): ObjectPair[] =>
  remotes.map((remote) => ({ body: undefined, remote, changed: [] }));

/** Whether something has to be sent for the objects of a pair. */
export const needsCall = ({ body, remote, changed }: ObjectPair): boolean => !body || !remote || changed.length > 0;

const pairOf = (kind: Kind, body: Body | undefined, remote: Remote | undefined, shared: Body): ObjectPair => ({
  body,
  remote,
  changed: remote ? changedFields(kind, body ?? shared, remote) : [],
});

/** All members share one TTL: the written one or the zone's; where neither is known, one of the live ones, the lowest first. */
function sharedBodies(rules: Members, resource: Resource, remotes: readonly Remote[]): readonly Body[] {
  let bodies: readonly Body[] = [resource];
  for (const name of rules.shared) {
    if (resource.fields[name] !== undefined) continue;
    const values = [...new Set(remotes.map(({ fields }) => fields[name] ?? null))].filter((value) => value !== null);
    if (values.length === 0) continue;
    const lowestFirst = values.toSorted((a, b) => Number(a) - Number(b));
    bodies = bodies.flatMap((body) =>
      lowestFirst.map((value) => ({ fields: { ...body.fields, [name]: knownValue(value) } })),
    );
  }
  return bodies;
}

const sorted = <T>(list: readonly T[], compare: (a: T, b: T) => number) =>
  list.length > 1 ? list.toSorted(compare) : list;

interface SetSides {
  readonly members: readonly Body[];
  readonly remotes: readonly Remote[];
  readonly shared: Body;
}

/** Pairs by identity first; what remains on both sides is paired in order, but a disabled or commented object is not given another value. */
function pairMembers(kind: Kind, rules: Members, { members, remotes, shared }: SetSides): ObjectPair[] {
  const pair = (body: Body | undefined, remote: Remote | undefined) => pairOf(kind, body, remote, shared);
  const sameAs = indexLive(remotes, rules.identity);
  // Of several live objects that are the member: one that is right already, else one that nothing else can be made of.
  const cost = (each: ObjectPair) => 2 * Number(needsCall(each)) + Number(rules.reusable(each.remote?.fields ?? {}));
  const same = members.map((member) => {
    const found = sameAs(member.fields[rules.identity]);
    if (found.length <= 1) return pair(member, found[0]);
    return found.map((remote) => pair(member, remote)).reduce((best, each) => (cost(each) < cost(best) ? each : best));
  });
  if (remotes.length === 1 && same.length === 1 && same[0]?.remote) return same;
  const taken = new Set(same.map(({ remote }) => remote));
  const free = remotes.filter((remote) => !taken.has(remote));
  if (free.length === 0 && !taken.has(undefined)) return same;
  const reusable = free.filter(({ fields }) => rules.reusable(fields));
  const paired = same.map((each) => (each.remote ? each : pair(each.body, reusable.shift())));
  const used = new Set(paired.map(({ remote }) => remote));
  return [...paired, ...free.filter((remote) => !used.has(remote)).map((remote) => pair(undefined, remote))];
}

/** The fields whose live value is not the desired one. Write-only ones are never compared; unknown ones count as changed. */
export function changedFields(kind: Kind, { fields }: Body, remote: Remote): string[] {
  const changed: string[] = [];
  for (const name in fields) {
    // A server keeps a field that it does not mention at the value that is always managed.
    const live = remote.fields[name] ?? kind.members?.always[name];
    if (!isReadWrite(kind, name) || remote.redacted?.includes(name) === true) continue;
    // A server that hides a field which cannot change must not be asked again and again.
    const isHidden = kind.fields[name]?.access === "immutable" && (live ?? null) === null && !isUnknown(fields[name]);
    if (!isHidden && differs(live, fields[name])) changed.push(name);
  }
  return changed.sort();
}

/** Pairs in the order of their calls. Of what is only ever one the old goes first; otherwise the old goes once the new answers. */
export function inOrder(kind: Kind, key: Key, pairs: readonly ObjectPair[]): ObjectPair[] {
  const identity = kind.members?.identity ?? "";
  const anew = pairs.flatMap(({ body, remote }) => (remote ? [] : [body?.fields[identity]]));
  // A server refuses a second object of one identity. What comes again does so before the next goes: one of them answers all the while.
  const comesAgain = ({ body, remote }: ObjectPair) =>
    !body && anew.some((value) => value && !differs(remote?.fields[identity], value));
  const rank = kind.members?.single(key)
    ? ({ body }: ObjectPair) => (body ? 1 : 0)
    : (pair: ObjectPair) => (comesAgain(pair) ? 1 : rankOf(kind, pair));
  return pairs.toSorted((a, b) => rank(a) - rank(b));
}

function rankOf({ availability: { answers } = {}, members }: Kind, { body, remote }: ObjectPair): number {
  if (!remote) return 1;
  if (!body) return 3;
  const answered = answers?.counts(remote.fields) !== false;
  if (!answered) return 0;
  if (answers?.counts(openFields(body.fields)) === false) return 2;
  // A value that only apply will know may be one that the others give up. Its record answers all the while.
  return isUnknown(body.fields[members?.identity ?? ""]) ? 4 : 0;
}
