import { createCall, deleteCall, updateCall } from "../contract/binding.ts";
import type { BoundKind } from "../contract/bound-kind.ts";
import { offers } from "../contract/entry.ts";
import { setCalls, type SetMember } from "../contract/set-calls.ts";
import { writesSets } from "../contract/sets.ts";
import { trimmed } from "../lib/collect.ts";
import { isPlatformOwned, ownObjects } from "../kinds/derived/server-made.ts";
import type { Kind, Members } from "../kinds/kind.ts";
import { impliedValues, isUnknown, knownValue, openFields, partsOf, pickValues } from "../model/body.ts";
import type { Contract } from "../model/contract.ts";
import type { HttpCall, SetCall } from "../model/http-call.ts";
import { jsonText, type Json } from "../model/json.ts";
import type { Change, Shown } from "../model/plan.ts";
import type { Body, Fields, LiveResource, Remote, Resource } from "../model/resource.ts";
import { isAsDesired } from "./is-as-desired.ts";
import { mistaken, nothing, type Planning, type Planned } from "./context.ts";
import { compareDesired, differs, indexLive } from "./compare-values.ts";
import { absent, showDesired, showLive, showValue } from "./shown.ts";
import { mayBeUnread, refuseUnknown, whyCreated } from "./unread.ts";
import { notOffered, stepBase } from "./resource-steps.ts";

/** A desired member and the live one that will become it; either may be missing. */
export interface MemberPair {
  readonly member: Body | undefined;
  readonly remote: Remote | undefined;
}

/**
 * The step that brings a set (an RRset) from what is live to what is desired, with the fewest calls: unchanged members keep their
 * object, the rest are paired as updates; then creations, then what stops answering, so that the name keeps answering where it can.
 */
export function planMembers(
  input: Planning,
  kind: BoundKind,
  resource: Resource,
  live: LiveResource | undefined,
): Planned {
  const { members: rules } = kind;
  if (!rules || (live && isAsDesired(kind, rules, resource, live))) return nothing;
  const { remotes, shared, pairs: matched } = matchMembers(kind, rules, resource, live);
  // Without knowing which members there are, nothing can be said of the set.
  if (remotes.some(({ redacted }) => redacted?.includes(rules.identity))) return nothing;
  if (!matched.some((pair) => needsCall(rules, pair))) return nothing;
  const canUpdate = offers(input.contract, kind, "update");
  const pairs = canUpdate ? matched : matched.flatMap((pair) => withoutUpdate(rules, pair));
  const missing = missingOperation(input.contract, kind, pairs);
  if (missing) {
    const needs = remotes.length === 0 ? "does not exist" : "is not as it is declared";
    return refuseUnknown(input, resource) ?? mistaken(notOffered(resource, needs, missing));
  }
  const calls = writesSets(kind.entry)
    ? setCallsOf(input, kind, resource, { live, shared, pairs })
    : inOrder(kind, rules.single(resource.key), pairs).flatMap((pair) => callsOf(input, kind, resource, pair));
  if (calls.length === 0) return nothing;
  const action = remotes.length === 0 ? "create" : "update";
  const unsure = mayBeUnread(input, resource);
  return {
    ...nothing,
    steps: [
      {
        ...stepBase(resource, action),
        changes: trimmed([
          ...sharedChanges(rules, shared, resource, remotes),
          ...pairs.flatMap((pair) => memberChanges(rules, pair)),
        ]),
        calls: trimmed(calls),
        reason: action === "create" ? whyCreated(unsure) : { is: "values_differ", unsure },
      },
    ],
  };
}

/** A change of a member as the API can make it that offers no update: the old one goes, and the new one comes. */
const withoutUpdate = (rules: Members, pair: MemberPair): MemberPair[] =>
  pair.member && pair.remote && needsCall(rules, pair)
    ? [
        { member: undefined, remote: pair.remote },
        { member: pair.member, remote: undefined },
      ]
    : [pair];

/** The operation that the pairs need and the API does not offer. */
function missingOperation(
  contract: Contract,
  kind: Kind,
  pairs: readonly MemberPair[],
): "creation" | "deletion" | undefined {
  if (!offers(contract, kind, "create") && pairs.some(({ remote }) => !remote)) return "creation";
  return !offers(contract, kind, "delete") && pairs.some(({ member }) => !member) ? "deletion" : undefined;
}

/** The desired members, each with the live one that is it or will become it; the platform's own are left out on both sides. */
export function matchMembers(
  kind: Kind,
  rules: Members,
  resource: Resource,
  live: LiveResource | undefined,
): Pairing & { readonly remotes: readonly Remote[] } {
  // Neither the order of a manifest nor that of a list may change what is planned.
  const all = live?.remotes ?? [];
  const remotes = ownObjects(kind, all).toSorted((a, b) => compareDesired(identityOf(rules, a), identityOf(rules, b)));
  const kept = indexLive(
    all.filter((remote) => isPlatformOwned(kind, remote)),
    rules.identity,
  );
  const own = (resource.members ?? [])
    .filter(({ fields }) => kept(fields[rules.identity]).length === 0)
    .toSorted((a, b) => compareDesired(a.fields[rules.identity], b.fields[rules.identity]));
  const pairing = fewestCalls(
    sharedBodies(rules, resource, remotes).map((body) => {
      const common = { ...impliedValues(rules.always), ...body.fields };
      const members = own.map((member) => ({ fields: { ...common, ...member.fields } }));
      return { shared: body, pairs: pairMembers(rules, members, remotes) };
    }),
    rules,
  );
  return { remotes, ...pairing };
}

interface Pairing {
  readonly shared: Body;
  readonly pairs: readonly MemberPair[];
}

/** All members share one TTL: the written one or the zone's; where neither is known, one of the live ones, so that a new member does not differ from its siblings. */
function sharedBodies(rules: Members, resource: Resource, remotes: readonly Remote[]): Body[] {
  return rules.shared.reduce<Body[]>(
    (bodies, name) => {
      const values = [...new Set(remotes.map(({ fields }) => fields[name] ?? null))].filter((value) => value !== null);
      if (resource.fields[name] !== undefined || values.length === 0) return bodies;
      const lowestFirst = values.toSorted((a, b) => Number(a) - Number(b));
      return bodies.flatMap((body) =>
        lowestFirst.map((value) => ({ fields: { ...body.fields, [name]: knownValue(value) } })),
      );
    },
    [{ fields: resource.fields }],
  );
}

/** Live mixtures are drift: where no TTL is known, that one stays which most records have; of equals the first, the lowest, which resolvers go by. */
function fewestCalls(pairings: readonly Pairing[], rules: Members): Pairing {
  const [only] = pairings;
  if (only && pairings.length === 1) return only;
  const counted = pairings.map((pairing) => ({
    ...pairing,
    calls: pairing.pairs.filter((pair) => needsCall(rules, pair)).length,
  }));
  return counted.reduce((best, each) => (each.calls < best.calls ? each : best));
}

const needsCall = (rules: Members, { member, remote }: MemberPair) =>
  !member || !remote || changedIn(rules, member, remote).length > 0;

const identityOf = (rules: Members, { fields }: Remote) => knownValue(fields[rules.identity] ?? null);

/** Pairs by identity first; what is left on both sides is paired in order, but a disabled or commented object is not given another value. */
function pairMembers(rules: Members, members: readonly Body[], remotes: readonly Remote[]): MemberPair[] {
  const sameAs = indexLive(remotes, rules.identity);
  const same = members.map((member): MemberPair => ({
    member,
    remote: keeper(rules, member, sameAs(member.fields[rules.identity])),
  }));
  const taken = new Set(same.flatMap(({ remote }) => (remote ? [remote] : [])));
  const left = remotes.filter((remote) => !taken.has(remote));
  const reusable = left.filter(({ fields }) => rules.reusable(fields));
  const paired = same.map(({ member, remote }) => ({ member, remote: remote ?? reusable.shift() }));
  const used = new Set(paired.map(({ remote }) => remote));
  return [...paired, ...left.filter((remote) => !used.has(remote)).map((remote) => ({ member: undefined, remote }))];
}

/** Of several live objects that are the member: one that is right already, else one that nothing else can be made of. */
function keeper(rules: Members, member: Body, remotes: readonly Remote[]): Remote | undefined {
  const cost = (remote: Remote) =>
    2 * Number(needsCall(rules, { member, remote })) + Number(rules.reusable(remote.fields));
  return remotes.length < 2 ? remotes[0] : remotes.toSorted((a, b) => cost(a) - cost(b))[0];
}

function callsOf(input: Planning, kind: BoundKind, resource: Resource, { member, remote }: MemberPair): HttpCall[] {
  const { address, key } = resource;
  if (!member) return remote ? [deleteCall(input, kind, key, remote)] : [];
  if (!remote) return [createCall(input, kind, key, member)];
  const changed = changedIn(kind.members, member, remote);
  if (changed.length === 0) return [];
  const before = Object.fromEntries(
    changed.flatMap((field) => (remote.fields[field] === undefined ? [] : [[field, remote.fields[field]]])),
  );
  return [updateCall(input, { address, kind, key, remote }, { ...member, before })];
}

/** The requests that write a set whose members changed; the platform's own stay in it. */
function setCallsOf(
  input: Planning,
  kind: BoundKind,
  { address, key }: Resource,
  { live, shared, pairs }: Pairing & { readonly live: LiveResource | undefined },
): SetCall[] {
  const identity = kind.members?.identity ?? "";
  const remotes = live?.remotes ?? [];
  const changed = new Set<string>();
  const own = pairs.flatMap(({ member, remote }): SetMember[] => {
    const fields = member && remote ? changedIn(kind.members, member, remote) : [identity];
    // Where no member stays, none tells that what they share is another.
    const ofAll = remote ? changedIn(kind.members, shared, remote) : [];
    for (const name of [...fields, ...ofAll]) changed.add(name);
    if (!member) return [];
    // Another value is another member, which shares nothing with the old one.
    return remote && !fields.includes(identity)
      ? [{ stays: remote, fields: pickValues(member.fields, (name) => fields.includes(name)) }]
      : [{ fields: member.fields }];
  });
  if (changed.size === 0) return [];
  const kept = remotes.filter((remote) => isPlatformOwned(kind, remote)).map((stays) => ({ stays, fields: {} }));
  const place = new Map(remotes.map((remote, index) => [remote, index]));
  const placeOf = ({ stays }: SetMember) => (stays && place.get(stays)) ?? remotes.length;
  const members = [...own, ...kept].toSorted((a, b) => placeOf(a) - placeOf(b));
  return setCalls(input, kind, { address, key, live: remotes, members, shared: shared.fields, changed });
}

/** The fields in which a live member is not as desired. */
export function changedIn(rules: Members | undefined, member: Body, remote: Remote): string[] {
  // A server keeps a field that it does not mention at the value that is always managed.
  const isOther = (name: string) => differs(remote.fields[name] ?? rules?.always[name], member.fields[name]);
  return Object.keys(member.fields)
    .filter((name) => isOther(name) && remote.redacted?.includes(name) !== true)
    .sort();
}

/** Pairs in the order of their calls. Of what is only ever one the old goes first; otherwise the old goes once the new answers. */
function inOrder(kind: Kind, isSingle: boolean, pairs: readonly MemberPair[]): MemberPair[] {
  const identity = kind.members?.identity ?? "";
  const anew = pairs.flatMap(({ member, remote }) => (remote ? [] : [member?.fields[identity]]));
  // A server refuses a second object of one identity.
  const comesAgain = ({ member, remote }: MemberPair) =>
    !member && anew.some((value) => value && !differs(remote?.fields[identity], value));
  const rank = isSingle
    ? ({ member }: MemberPair) => (member ? 1 : 0)
    : (pair: MemberPair) => (comesAgain(pair) ? 0 : rankOf(kind, pair));
  return pairs.toSorted((a, b) => rank(a) - rank(b));
}

function rankOf({ availability: { answers } = {}, members }: Kind, { member, remote }: MemberPair): number {
  if (!remote) return 1;
  if (!member) return 3;
  const answered = answers?.counts(remote.fields) !== false;
  if (!answered) return 0;
  if (answers?.counts(openFields(member.fields)) === false) return 2;
  // A value that only apply will know may be one that the others give up. Its record answers all the while.
  return isUnknown(member.fields[members?.identity ?? ""]) ? 4 : 0;
}

function sharedChanges(rules: Members, shared: Body, resource: Resource, remotes: readonly Remote[]): Change[] {
  return rules.shared.flatMap((path): Change[] => {
    const value = shared.fields[path];
    const live = [...new Set(remotes.map(({ fields }) => fields[path]))];
    const after = showDesired(shared, path);
    if (value === undefined || (live.length === 1 && !differs(live[0], value))) return [];
    if (live.length === 0) return resource.fields[path] === undefined ? [] : [{ path, before: absent, after }];
    const before: Json | undefined = live.length > 1 ? live.map(jsonText).join(" and ") : live[0];
    return [{ path, before: showValue(before), after }];
  });
}

/** A member's change, shown as one value (`10 mx1.example.com.`) and, where they changed, the fields beside it. */
function memberChanges(rules: Members, { member, remote }: MemberPair): Change[] {
  if (!member) return [{ path: "value", before: remote ? showMember(rules, remote.fields) : absent, after: absent }];
  const identity = member.fields[rules.identity];
  const isWrittenOut = partsOf(identity) === undefined;
  const after = isWrittenOut ? showMember(rules, openFields(member.fields)) : showDesired(member, rules.identity);
  if (!remote) return [{ path: "value", before: absent, after }];
  const changed = changedIn(rules, member, remote).filter((field) => !rules.shared.includes(field));
  // Most updates of many sets change what their members share.
  if (changed.length === 0) return [];
  const before = isWrittenOut ? showMember(rules, remote.fields) : showLive(remote.fields[rules.identity], identity);
  const isValue = (field: string) => field === rules.identity || field === "priority";
  const value: Change[] = changed.some(isValue) ? [{ path: "value", before, after }] : [];
  const beside = changed.filter((field) => !isValue(field));
  const live = { ...rules.always, ...remote.fields };
  return [
    ...value,
    ...beside.map((path) => ({
      path,
      before: showLive(live[path], member.fields[path]),
      after: showDesired(member, path),
    })),
  ];
}

/** A member's value in one text, its priority before it. */
export function showMember(rules: Members, fields: Fields): Shown {
  const priority = fields["priority"];
  const identity = jsonText(fields[rules.identity]);
  return {
    is: "value",
    value: priority === undefined || priority === null ? identity : `${jsonText(priority)} ${identity}`,
  };
}
