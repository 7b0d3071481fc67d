import { addressOfParent, parentsOf, withoutReferences } from "../kinds/derived/parents.ts";
import { offers, offersUpdate } from "../contract/entry.ts";
import { isMadeByServer } from "../contract/offered.ts";
import { keptElsewhere } from "../kinds/derived/server-made.ts";
import { kindNamed, kinds } from "../kinds/index.ts";
import type { Kind, Parent } from "../kinds/kind.ts";
import type { Address } from "../model/address.ts";
import { addressesOf, goneAfter, type Step } from "../model/plan.ts";
import type { Live, LiveResource } from "../model/resource.ts";
import type { Detached, Planning } from "./context.ts";
import type { Selected } from "./select.ts";
import type { PlanInput } from "../model/plan-input.ts";

export type Belongings = Pick<Planning, "replacedWith" | "detached" | "removed">;

/**
 * Finds the fate of declared resources that refer to others which a plan creates again. One that can remove the reference is detached and
 * stays, the rest are created again with the others; and so for the belongings of those in turn.
 */
export function findBelongings(input: PlanInput, steps: readonly Step[]): Belongings {
  const { desired, live } = input;
  const replacedWith = new Map<Address, Address>();
  const detached = new Map<Address, Detached>();
  const replaced = new Set(steps.flatMap(({ replaces, address }) => (replaces ? [address] : [])));
  const removed = goneAfter(steps);
  const comesAnew = (address: Address) => replaced.has(address);
  const isThere = (address: Address) => live.resources.has(address) && !comesAnew(address) && !removed.has(address);
  // Kinds are in the list parents before children, so that one pass sees each parent before what belongs to it.
  for (const kind of kinds) {
    for (const resource of desired.resources.values()) {
      const current = live.resources.get(resource.address);
      if (resource.kind !== kind.name || !current || comesAnew(resource.address)) continue;
      const letGo = detach(input, current, {
        goes: (parent) => comesAnew(addressOfParent(parent)) || removed.has(addressOfParent(parent)),
        goesForGood: (parent) => removed.has(addressOfParent(parent)),
      });
      const parents = parentsOf(kind, resource.key, letGo?.back ?? current.remotes[0]?.fields ?? {}, resource.fields);
      const createdAgain = parents.flatMap((alternatives) =>
        alternatives.some(isThere) ? [] : alternatives.filter(comesAnew),
      );
      const [parent] = createdAgain;
      if (parent === undefined) continue;
      const held = parentsOf(kind, resource.key, { ...current.remotes[0]?.fields, ...letGo?.fields });
      const isHeld = held.some((alternatives) => !alternatives.some(isThere) && alternatives.some(comesAnew));
      if (letGo && !isHeld)
        detached.set(resource.address, { fields: letGo.fields, back: letGo.back, parents: createdAgain });
      else if (isHeld && canComeAnew(input, kind, current)) {
        replacedWith.set(resource.address, parent);
        replaced.add(resource.address);
      }
    }
  }
  return { replacedWith, detached, removed };
}

/**
 * Returns the live resources that steps create again, or renew: their read-only fields have other values afterwards. Those that the server
 * itself creates again with a parent are among them.
 */
export function madeAnew(input: PlanInput, steps: readonly Step[]): Set<Address> {
  const changed = steps.filter(
    ({ action, address }) => (action === "create" || action === "renew") && input.live.resources.has(address),
  );
  const isReplacing = steps.some(({ replaces }) => replaces);
  return new Set([
    ...changed.map(({ address }) => address),
    ...(isReplacing ? findBelongings(input, steps).replacedWith.keys() : []),
  ]);
}

/** The fields of a resource without its references to what goes, and without those to what does not come again. */
function detach(
  { contract }: PlanInput,
  { kind: name, key, remotes: [remote] }: LiveResource,
  {
    goes,
    goesForGood,
  }: { readonly goes: (parent: Parent) => boolean; readonly goesForGood: (parent: Parent) => boolean },
): Pick<Detached, "fields" | "back"> | undefined {
  const kind = kindNamed(name);
  if (!remote) return undefined;
  const fields = withoutReferences(kind, key, remote.fields, goes);
  const names = Object.keys(fields);
  if (names.length === 0 || !offersUpdate(contract, kind, names)) return undefined;
  const former = Object.fromEntries(names.map((name) => [name, remote.fields[name] ?? null]));
  return { fields, back: { ...former, ...withoutReferences(kind, key, remote.fields, goesForGood) } };
}

const canComeAnew = (input: PlanInput, kind: Kind, { remotes: [remote] }: LiveResource) =>
  remote !== undefined && (isMadeByServer(input, kind, remote) || offers(input.contract, kind, "delete"));

/** Returns what the server keeps elsewhere for a live resource, and lets go by an update: the record of a DKIM that is switched off. */
export function letGoBy({ action, address, changes }: Step, { resources }: Live): Address[] {
  const was = resources.get(address);
  const kept = was && action === "update" ? keptElsewhere(was) : [];
  if (!was || kept.length === 0) return [];
  const fields = { ...was.remotes[0]?.fields };
  for (const { path, after } of changes) if (after.is === "value") fields[path] = after.value;
  const will = { ...was, remotes: was.remotes.map((remote) => ({ ...remote, fields })) };
  const stays = keptElsewhere(will);
  return kept.filter((each) => !stays.includes(each));
}

/**
 * Finds the live resources that the server removes by itself, by the resource that they go with: those that it made and that are not
 * managed together with what the steps delete, and what it keeps elsewhere for any that it made, or that a step changes.
 * A declared one that the run is not about is not managed either.
 */
export function takenAlong(input: PlanInput, { steps, includes }: Selected): Map<Address, Address[]> {
  const { live, desired } = input;
  const [created, deleted] = [addressesOf(steps, "create"), addressesOf(steps, "delete")];
  const found = new Map<Address, Address[]>();
  const lostParent = (resource: LiveResource) => findLostParent(resource, { live, created, deleted });
  const isServers = (address: Address) => {
    const kept = live.resources.get(address);
    const isMade = kept?.remotes.some((remote) => isMadeByServer(input, kindNamed(kept.kind), remote)) === true;
    return kept !== undefined && isMade && lostParent(kept) === undefined;
  };
  for (const step of steps) {
    const letGo = letGoBy(step, live).filter(isServers);
    if (letGo.length > 0) found.set(step.address, letGo);
  }
  for (const resource of deleted.size === 0 ? [] : live.resources.values()) {
    const { address, remotes } = resource;
    const kind = kindNamed(resource.kind);
    if (deleted.has(address) || !remotes.every((remote) => isMadeByServer(input, kind, remote))) continue;
    const parent = lostParent(resource);
    if (parent === undefined) continue;
    const elsewhere = keptElsewhere(resource).filter(isServers);
    const own = desired.resources.has(address) && includes(address) ? [] : [address];
    found.set(parent, [...(found.get(parent) ?? []), ...own, ...elsewhere]);
  }
  return new Map([...found].flatMap(([parent, all]) => (all.length === 0 ? [] : [[parent, all.sort()]])));
}

/** Finds the deleted resource without which a live one has nothing left of what it needs. */
function findLostParent(
  { kind, key, remotes }: LiveResource,
  { live, created, deleted }: Pick<PlanInput, "live"> & Record<"created" | "deleted", ReadonlySet<Address>>,
): Address | undefined {
  const lost = parentsOf(kindNamed(kind), key, remotes[0]?.fields ?? {}).find((alternatives) => {
    const gone = alternatives.filter((parent) => deleted.has(parent));
    // A creation comes before a deletion, but not before that of a parent which is created again.
    const isReplaced = gone.some((parent) => created.has(parent));
    const isThere = (parent: Address) => live.resources.has(parent) || (created.has(parent) && !isReplaced);
    return gone.length > 0 && !alternatives.some((parent) => !deleted.has(parent) && isThere(parent));
  });
  return lost?.find((parent) => deleted.has(parent));
}
