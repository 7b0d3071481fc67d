import { offers } from "../contract/entry.ts";
import { addressOfParent, parentsOf, withoutReferences } from "../kinds/derived/parents.ts";
import { kindNamed } from "../kinds/index.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { Plan, Step } from "../model/plan.ts";
import type { Desired, Key, Live, Resource, Body, Fields, LiveResource, Remote } from "../model/resource.ts";
import type { CannotUndo, SavedPlan } from "../model/saved-plan.ts";
import { nothingAllowed, type PlanInput } from "../model/plan-input.ts";
import { madeAnew } from "../plan/belongings.ts";
import { prepare, forgetReferences } from "../plan/prepare.ts";
import { remoteOf } from "./pin-live.ts";
import { byItself } from "./portable-desired.ts";
import { planPossible } from "./plan-possible.ts";
import { isReadWrite } from "../kinds/derived/field-access.ts";
import { savePlan, type Saved, type SaveOptions } from "./save-plan.ts";
import { changeOfOwnership, ownedAfter } from "./ownership-change.ts";
import { invertPlan, type InversePlan } from "./invert-plan.ts";
import { collectionAt, locate } from "../kinds/derived/collection.ts";
import { groupBy } from "../lib/collect.ts";
import { isOff, isPlatformOwned, keptElsewhere, ownObjects } from "../kinds/derived/server-made.ts";
import type { Kind, Members, Parent } from "../kinds/kind.ts";
import { openFields, pickValues } from "../model/body.ts";
import { indexLive } from "../plan/compare-values.ts";

/**
 * The plan that takes another one back, saved: what is live now is what it desires, planned against what the other will leave. It
 * allows nothing that needs consent, and names what cannot be brought back.
 */
export function planUndo(input: PlanInput, made: Plan, options: SaveOptions): Saved {
  const { desired: prepared, live } = prepare(input);
  const desired = forgetReferences(
    prepared,
    madeAnew({ ...input, desired: prepared, live }, made.steps),
    input.contract,
  );
  const after = simulate(live, desired, made);
  const back = invertPlan({ ...input, desired, live }, { made, after }, options.holdsSecret);
  const wanted: Desired = {
    name: input.desired.name,
    resources: withParents(back, after, input),
    collections: new Map(),
    removed: new Map(back.removals.map((removal) => [removal.address, removal])),
    protect: input.desired.protect,
  };
  const undoing: PlanInput = {
    ...input,
    desired: wanted,
    live: after,
    consent: nothingAllowed,
    ...byItself(wanted, input.ownership.inventory),
  };
  const { desired: possible, made: undo, cannot } = planPossible(undoing, new Set(made.owned.preventDestroy));
  const asked = { ...undoing, desired: possible };
  const end = simulate(after, prepare(asked).desired, undo);
  const known = [...back.cannot, ...cannot];
  return savePlan(asked, undo, {
    ...options,
    undo: {
      cannot_undo: [...known, ...notRestored(live, end, made, known)],
      ownership: ownershipBefore(input, made, { removed: wanted.removed, end }),
    },
  });
}

/** Returns the addresses whose existence the undo does not restore and that are not reported yet. */
function notRestored(before: Live, end: Live, { steps }: Plan, known: readonly CannotUndo[]): CannotUndo[] {
  const reported = new Set(known.map(({ address }) => address));
  const touched = new Set(steps.flatMap(({ address, takesAlong = [] }) => [address, ...takesAlong]));
  return [...touched].flatMap((address): CannotUndo[] => {
    const [was, is] = [before.resources.has(address), end.resources.has(address)];
    if (reported.has(address) || was === is || kindNamed(kindOf(address)).members) return [];
    return [{ address, reason: is ? "it stays, because what it belongs to stays" : "it is not made again" }];
  });
}

/**
 * Returns the ownership before a plan, as far as the plan changes that, of the resources that are there again once it is taken back. A
 * resource that the plan made and that cannot be taken away stays ours.
 */
function ownershipBefore(
  { ownership, live }: PlanInput,
  made: Plan,
  { removed, end }: { readonly removed: Desired["removed"]; readonly end: Live },
): SavedPlan["ownership"] {
  const isThere = (address: Address) => {
    const [was, { kind, key }] = [live.resources.get(address), locate(address)];
    // The signing of a zone that was off is not listed, and is there as long as its zone.
    const wasOff = kind.serverMade?.absent !== undefined && (was === undefined || isOff(was));
    return end.resources.has(address) || (wasOff && isHeld(end.resources, kind, key));
  };
  const isMade = (address: Address) => !live.resources.has(address) && end.resources.has(address);
  const { inventory } = ownership;
  const then = ownedAfter(made);
  const addresses = new Set([...then.addresses].filter((address) => !removed.has(address)));
  return inventory && changeOfOwnership({ ...then, addresses }, inventory, isThere, (address) => !isMade(address));
}

/** The resources, and what must be there for them, which is only referred to. */
function withParents({ resources, removals }: InversePlan, after: Live, { contract }: PlanInput): Desired["resources"] {
  const removed = new Set(removals.map(({ address }) => address));
  const all = new Map(resources.map((resource): [Address, Resource] => [resource.address, resource]));
  for (const { kind, key, fields, at } of resources) {
    for (const address of parentsOf(kindNamed(kind), key, {}, fields).flat()) {
      const parent = after.resources.get(address);
      const parentKind = kindNamed(kindOf(address));
      if (!parent || all.has(address) || removed.has(address) || !offers(contract, parentKind, "create")) continue;
      all.set(address, { address, kind: parentKind.name, key: parent.key, fields: {}, at });
    }
  }
  return all;
}

/**
 * Returns the state that would be live once a plan is applied, as far as that is known. Values that the server adds by itself, secrets
 * and references that only apply will know are not there. An object that the plan makes has no id of its own.
 */
export function simulate(live: Live, desired: Desired, { steps }: Plan): Live {
  const resources = new Map(live.resources);
  for (const step of steps) {
    const resource = desired.resources.get(step.address);
    for (const address of step.takesAlong ?? []) takeAlong(resources, live.resources.get(address), step);
    if (step.action === "delete") resources.delete(step.address);
    else if (resource && step.action !== "renew")
      resources.set(step.address, written(resource, live.resources.get(step.address), step));
  }
  for (const { action, address } of steps)
    if (action === "delete") leavePlatforms(resources, live.resources.get(address));
  for (const address of steps.flatMap(({ takesAlong = [] }) => takesAlong)) dropKept(resources, address);
  if (steps.some(({ action }) => action === "delete")) dropReferences(resources, live);
  return { ...live, resources, collections: withAddresses(live, resources, steps) };
}

/** Takes the names of what is gone out of what names it, as the server does with the grants on a database. */
function dropReferences(resources: Map<Address, LiveResource>, before: Live): void {
  const gone = new Set([...before.resources.keys()].filter((address) => !resources.has(address)));
  const isGone = (parent: Parent) => gone.has(addressOfParent(parent));
  for (const was of resources.values()) {
    const stays = withoutReferences(kindNamed(was.kind), was.key, was.remotes[0]?.fields ?? {}, isGone);
    if (Object.keys(stays).length === 0) continue;
    const remotes = was.remotes.map((remote) => ({ ...remote, fields: { ...remote.fields, ...stays } }));
    resources.set(was.address, { ...was, remotes });
  }
}

/** Leaves the platform's own members of a deleted set in place, which no step deletes. */
function leavePlatforms(resources: Map<Address, LiveResource>, was: LiveResource | undefined): void {
  if (!was || resources.has(was.address)) return;
  const kind = kindNamed(was.kind);
  const kept = was.remotes.filter((remote) => isPlatformOwned(kind, remote));
  if (kept.length > 0 && isHeld(resources, kind, was.key)) resources.set(was.address, { ...was, remotes: kept });
}

/** Takes the server's own members out of a set, unless something that is there in the end has the server keep them. */
function dropKept(resources: Map<Address, LiveResource>, address: Address): void {
  const was = resources.get(address);
  const kind = kindNamed(kindOf(address));
  if (!was || !kind.members) return;
  const isKept = (holder: LiveResource) => keptElsewhere(holder).includes(address);
  if (isHeld(resources, kind, was.key) && [...resources.values()].some(isKept)) return;
  const remotes = ownObjects(kind, was.remotes);
  if (remotes.length > 0) resources.set(address, { ...was, remotes });
  else resources.delete(address);
}

const isHeld = (resources: Live["resources"], kind: Kind, key: Key) =>
  parentsOf(kind, key, {}).every((parents) => parents.some((parent) => resources.has(parent)));

/** Takes an object away with its parent; where that is replaced, it comes again as the server makes it. */
function takeAlong(resources: Map<Address, LiveResource>, was: LiveResource | undefined, { replaces }: Step): void {
  if (!was || kindNamed(was.kind).members) return;
  const [remote] = was.remotes;
  const own = pickValues(remote?.fields ?? {}, (name) => !isReadWrite(kindNamed(was.kind), name));
  if (replaces && remote) resources.set(was.address, { ...was, remotes: [remoteOf(own, undefined)] });
  else resources.delete(was.address);
}

function written(resource: Resource, was: LiveResource | undefined, step: Step): LiveResource {
  const kind = kindNamed(resource.kind);
  const { address, key } = resource;
  const remotes = kind.members
    ? writtenMembers(kind.members, resource, step, was?.remotes ?? [])
    : [remoteOf(writtenFields(kind, resource, step, was?.remotes[0]?.fields ?? {}), was?.remotes[0]?.id)];
  return { address, kind: kind.name, key, remotes };
}

/** A new object has what is declared; what a replace made anew has what could be kept, too. */
function writtenFields(kind: Kind, resource: Resource, { action, replaces, changes }: Step, was: Fields): Fields {
  const keeps = (name: string) =>
    replaces ? changes.some(({ path, carried }) => path === name && carried === true) : action === "update";
  return knownFields(kind, { ...kind.naming.toFields(resource.key), ...pickValues(was, keeps) }, resource);
}

/** The fields with what the body says laid over them; what it says without a known, public value is taken out. */
function knownFields(kind: Kind, under: Fields, { fields }: Body): Fields {
  const open = openFields(fields);
  return {
    ...pickValues(under, (name) => fields[name] === undefined || open[name] !== undefined),
    ...pickValues(open, (name) => isReadWrite(kind, name)),
  };
}

function writtenMembers(rules: Members, resource: Resource, { changes }: Step, was: readonly Remote[]): Remote[] {
  const kind = kindNamed(resource.kind);
  const own = ownObjects(kind, was);
  const sameAs = indexLive(own, rules.identity);
  const inherited = Object.fromEntries(
    rules.shared.flatMap((name) => {
      // Live members may differ in a shared value; then the step tells the one that they get.
      const after = changes.find(({ path }) => path === name)?.after;
      const value = after?.is === "value" ? after.value : own[0]?.fields[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const members = (resource.members ?? []).map((member) => {
    const [same] = sameAs(member.fields[rules.identity]);
    const under = { ...kind.naming.toFields(resource.key), ...same?.fields, ...rules.always, ...inherited };
    return remoteOf(knownFields(kind, knownFields(kind, under, resource), member), same?.id);
  });
  return [...was.filter((remote) => isPlatformOwned(kind, remote)), ...members];
}

/** Lists what is made, and no longer what is gone. */
function withAddresses(
  { collections }: Live,
  resources: Live["resources"],
  steps: readonly Step[],
): Live["collections"] {
  const made = groupBy(
    steps.map(({ address }) => address),
    collectionAt,
  );
  return new Map(
    [...collections].map(([id, collection]) => {
      const listed = [...new Set([...collection.addresses, ...(made.get(id) ?? [])])];
      return [id, { ...collection, addresses: listed.filter((address) => resources.has(address)) }];
    }),
  );
}
