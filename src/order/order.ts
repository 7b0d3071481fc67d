import { kindNamed, kinds } from "../kinds/index.ts";
import { locate, uniqueNamesAt } from "../kinds/derived/collection.ts";
import { addressOfParent, parentsOf } from "../kinds/derived/parents.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { BodyValue, HttpCall, Param } from "../model/http-call.ts";
import type { Step, StepId } from "../model/plan.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { holderConstraints, nameConstraints } from "./name-constraints.ts";
import { type Ordered, withoutOutages } from "./avoid-outages.ts";
import { delegationConstraints, targetConstraints } from "./target-constraints.ts";
import { mayChangeAnswers, readDelegations, readZones, type Zones } from "./zones.ts";
import { addTo, getOrMake } from "../lib/collect.ts";
import { openFields, partsOf } from "../model/body.ts";
import { jsonText, type Json } from "../model/json.ts";
import type { Desired, Fields } from "../model/resource.ts";
import { lookAtEnd, lookBefore, type ValueAt } from "./availability.ts";
import { findAnswer, typesNeeded } from "./is-answered.ts";

/**
 * One graph over single steps: references, requirements, slots, deletes reversed. Among the orders that it allows one is taken in which
 * no name stops answering, and a record comes after the host that it names, and goes before it; what cannot be avoided is stated in the
 * `gaps` of the step that begins it. Where nothing is required, creations and updates come before deletions, parents' kinds before
 * children's, then by address; so the same input gives the same order.
 */
export function orderSteps(input: PlanInput, steps: readonly Step[]): Ordered {
  // Most of the creations in a large plan wait for nothing.
  const edges = new Map<StepId, Set<StepId>>();
  const waitFor = (id: StepId, before: StepId) => getOrMake(edges, id, () => new Set()).add(before);
  const index = indexSteps(steps);
  const countedUp = new Set<StepId>();
  for (const step of steps) {
    for (const before of step.after) waitFor(step.id, before);
    for (const before of step.detaches ? [] : [...needs(input, index, step), ...freedSlots(index, step)]) {
      if (before !== step.id) waitFor(step.id, before);
    }
    for (const parent of abandonedParents(input, index, step)) {
      waitFor(parent, step.id);
      if (locate(step.address).kind.availability?.answers) countedUp.add(parent);
    }
  }
  for (const [removed, created] of succeededParents(input, index)) waitFor(removed, created);
  const linked = steps.map((step) => {
    const before = edges.get(step.id);
    const calls = countedUp.has(step.id) ? step.calls.map(withoutEtag) : step.calls;
    return before || calls !== step.calls ? { ...step, after: [...(before ?? [])].sort(), calls } : step;
  });
  let known: Zones | undefined;
  const readAll = () => (known ??= readZones(input, linked));
  const zones: Zones = mayChangeAnswers(input, linked) ? readAll() : new Map();
  const ordered = linked.toSorted(byRank).map((step) => withCallsInOrder(input, readAll, step));
  return withoutOutages(
    ordered,
    [...nameConstraints(zones), ...holderConstraints(linked)],
    [...targetConstraints(zones), ...delegationConstraints(zones, readDelegations(input, linked, zones))],
  );
}

/**
 * A zone counts each change of its records, so those that go before it make its version out of date: with it, each such zone would
 * cost a refused call and the list of zones read again.
 */
const withoutEtag = (call: HttpCall): HttpCall => (call.operation === "delete" ? { ...call, etag: undefined } : call);

type StepIndex = ReturnType<typeof indexSteps>;

const byAddress = (some: readonly Step[]) => new Map(some.map(({ address, id }) => [address, id]));

function indexSteps(steps: readonly Step[]) {
  const removing = steps.filter(({ action }) => action === "delete");
  const freed = new Map<string, { shared: boolean; id: StepId }[]>();
  for (const { id, address } of removing) {
    for (const { name, shared } of uniqueNamesAt(address)) addTo(freed, name, { shared, id });
  }
  return {
    // An update may bring what a reference waits for; where there is a creation, it is that.
    writers: byAddress(
      steps.filter(({ action, detaches }) => action === "create" || (action === "update" && detaches !== true)),
    ),
    enabling: byAddress(steps.filter(({ action }) => action === "create")),
    removers: byAddress(removing),
    freed,
    /** Resources that let go of their parents in a step of their own. */
    detached: new Set(steps.flatMap(({ address, detaches }) => (detaches ? [address] : []))),
  };
}

/** Returns the steps that must come first: for parents that this plan creates, and for resources whose id or fields a call refers to. */
function needs({ desired }: PlanInput, { enabling, writers }: StepIndex, step: Step): StepId[] {
  if (step.action === "delete") return [];
  const { kind, key } = locate(step.address);
  const followed = (kind.relations?.follows?.(key) ?? []).map(addressOfParent);
  const read = step.calls.flatMap(fieldReferences);
  return [
    ...[...wantedParents(desired, step.address), ...followed].flatMap((address) => enabling.get(address) ?? []),
    // An object that comes along with another is looked up by the update of its fields.
    ...step.calls.flatMap(idReferences).flatMap((address) => enabling.get(address) ?? writers.get(address) ?? []),
    ...read.flatMap((address) => writers.get(address) ?? []),
  ];
}

const wantedParents = ({ resources }: Desired, address: Address): Address[] => {
  const resource = resources.get(address);
  return resource ? parentsOf(kindNamed(resource.kind), resource.key, {}, resource.fields).flat() : [];
};

/** Resources whose id a call holds. */
export const idReferences = (call: HttpCall): Address[] =>
  [call.params, call.query, call.inBody ?? {}]
    .flatMap((params): (Param | BodyValue)[] => Object.values(params))
    .concat(valuesOf(call))
    .flatMap((each) => (typeof each === "object" && "idOf" in each ? each.idOf : []));

/** Resources whose read-only fields a call holds. */
export const fieldReferences = (call: HttpCall): Address[] =>
  valuesOf(call)
    .flatMap((value) => ("parts" in value ? value.parts : []))
    .flatMap((part) => (typeof part === "object" && "ref" in part ? part.ref : []));

const valuesOf = (call: HttpCall): readonly BodyValue[] => (call.operation === "delete" ? [] : call.values);

/** Deletions that free what this step will hold. */
function freedSlots({ freed }: StepIndex, step: Step): StepId[] {
  if (step.action !== "create") return [];
  return uniqueNamesAt(step.address).flatMap(({ name, shared }) =>
    (freed.get(name) ?? []).flatMap((holder) => (shared && holder.shared ? [] : [holder.id])),
  );
}

/** Pairs each deletion of a parent with the creation of another parent that a resource below it may have as well, and that takes its place. */
function succeededParents(
  { live }: PlanInput,
  { enabling, removers }: StepIndex,
): [removed: StepId, created: StepId][] {
  if (enabling.size === 0 || removers.size === 0) return [];
  return [...live.resources.values()].flatMap(({ address, kind, key, remotes }) => {
    if (removers.has(address)) return [];
    return parentsOf(kindNamed(kind), key, remotes[0]?.fields ?? {}).flatMap((alternatives) => {
      const created = alternatives.flatMap((parent) => (removers.has(parent) ? [] : (enabling.get(parent) ?? [])));
      const removed = alternatives.flatMap((parent) => (enabling.has(parent) ? [] : (removers.get(parent) ?? [])));
      return removed.flatMap((id) => created.map((other): [StepId, StepId] => [id, other]));
    });
  });
}

/** Returns the steps that delete a current parent of this resource. They wait until this step has deleted or moved the resource. */
function abandonedParents({ live, desired }: PlanInput, { removers, detached }: StepIndex, step: Step): StepId[] {
  const resource = live.resources.get(step.address);
  const letsGoBefore = detached.has(step.address) && step.detaches !== true;
  if (!resource || step.action === "create" || letsGoBefore) return [];
  // A child stays with a parent that is created again.
  const isKept = step.action === "update" && step.detaches !== true;
  const kept = new Set(isKept ? wantedParents(desired, step.address) : []);
  return parentsOf(kindNamed(resource.kind), resource.key, resource.remotes[0]?.fields ?? {})
    .flat()
    .flatMap((address) => {
      const remover = removers.get(address);
      return remover === undefined || remover === step.id || kept.has(address) ? [] : [remover];
    });
}

const kindRank: ReadonlyMap<string, number> = new Map(kinds.map((kind, index) => [kind.name, index]));

function byRank(a: Step, b: Step): number {
  const deleting = Number(a.action === "delete") - Number(b.action === "delete");
  if (deleting !== 0) return deleting;
  const kind = (kindRank.get(kindOf(a.address)) ?? 0) - (kindRank.get(kindOf(b.address)) ?? 0);
  if (kind !== 0) return a.action === "delete" ? -kind : kind;
  return a.address < b.address ? -1 : a.address > b.address ? 1 : 0;
}

/**
 * Puts the calls of a set whose records name hosts in an order in which some host has an address all the while: first those that take away
 * no record of use, in the order that they have.
 */
function withCallsInOrder({ live, desired }: PlanInput, zones: () => Zones, step: Step): Step {
  const resource = desired.resources.get(step.address);
  if (step.action !== "update" || step.calls.length < 2 || !resource) return step;
  const { availability: { answers } = {}, members } = kindNamed(resource.kind);
  const bodies = resource.members ?? [];
  if (!answers || !members || members.single(resource.key)) return step;
  if (bodies.some(({ fields }) => partsOf(fields[members.identity]))) return step;
  const wanted = bodies.map(({ fields }) => openFields(fields));
  const remotes = new Map<string, Fields>(
    (live.resources.get(step.address)?.remotes ?? []).map(({ id, fields }) => [id, fields]),
  );
  const types = typesNeeded(resource.key["type"] ?? "");
  const isOfUse = (fields: Fields | undefined, look: ValueAt) => {
    if (!fields || !answers.counts(fields)) return false;
    const hosts = answers.targets(resource.key, fields);
    return hosts.every((host) => findAnswer({ zones: zones(), look, hosts: true }, host, types) !== undefined);
  };
  const namesHost = (fields: Fields) => answers.targets(resource.key, fields).length > 0;
  if (![...remotes.values(), ...wanted].some(namesHost)) return step;
  const byIdentity = new Map(wanted.map((fields) => [jsonText(fields[members.identity]), fields]));
  const identityIn = (call: HttpCall): Json | undefined => {
    const sent = valuesOf(call).find(({ field }) => field === members.identity);
    return sent && "value" in sent ? sent.value : undefined;
  };
  const created = step.calls.flatMap((call) => (call.operation === "create" ? (identityIn(call) ?? []) : []));
  const isLoss = (call: HttpCall) => {
    const id = call.params["id"];
    const old = typeof id === "string" ? remotes.get(id) : undefined;
    // A deletion whose identity comes again goes first: a server refuses a second object of one identity.
    if (call.operation === "delete" && created.includes(old?.[members.identity] ?? null)) return false;
    const made = byIdentity.get(jsonText(identityIn(call) ?? null));
    return isOfUse(old, lookBefore) && !isOfUse(made && { ...members.always, ...made }, lookAtEnd);
  };
  const losses = new Set(step.calls.filter(isLoss));
  return { ...step, calls: step.calls.toSorted((a, b) => Number(losses.has(a)) - Number(losses.has(b))) };
}
