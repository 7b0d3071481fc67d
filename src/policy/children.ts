import { refusals, type Refusal } from "../messages/refusals.ts";
import { offers } from "../contract/entry.ts";
import { isMadeByServer, tellsOwner } from "../contract/offered.ts";
import { parentsOf } from "../kinds/derived/parents.ts";
import { kindNamed } from "../kinds/index.ts";
import { kindOf, type Address } from "../model/address.ts";
import { addressesOf, type Step, type StepId } from "../model/plan.ts";
import type { LiveResource, Values } from "../model/resource.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { getOrMake } from "../lib/collect.ts";

/** A deletion, and the live resources below what it deletes that would stay. */
export interface Blocked {
  readonly step: Step;
  readonly children: readonly Address[];
}

/** Finds the deletions that the server would refuse, because something below the resource stays. */
export function blockedDeletions(input: PlanInput, steps: readonly Step[]): Blocked[] {
  const { live, desired } = input;
  const deletions = steps.filter(({ action }) => action === "delete");
  if (deletions.length === 0) return [];
  const deleted = new Set(deletions.map(({ address }) => address));
  const detached = new Set(steps.flatMap(({ address, detaches }) => (detaches ? [address] : [])));
  const created = addressesOf(steps, "create");
  const isThereAfter = (parent: Address) => (live.resources.has(parent) || created.has(parent)) && !deleted.has(parent);
  const staying = new Map<Address, Set<Address>>();
  for (const child of live.resources.values()) {
    if (deleted.has(child.address) || detached.has(child.address) || goesAlong(input, child)) continue;
    for (const alternatives of parentsIn(child, desired.resources.get(child.address)?.fields)) {
      if (alternatives.some(isThereAfter)) continue;
      // A reference that the plan only will make holds nothing back.
      const now = parentsIn(child).flat();
      for (const parent of alternatives.filter((each) => now.includes(each)))
        getOrMake(staying, parent, () => new Set()).add(child.address);
    }
  }
  return deletions.flatMap((step) => {
    const children = [...(staying.get(step.address) ?? [])].sort();
    return children.length === 0 ? [] : [{ step, children }];
  });
}

/** The parents of a live resource, and those of the older objects that stay listed beside it. */
const parentsIn = ({ kind: name, key, remotes, superseded = [] }: LiveResource, declared?: Values) => {
  const kind = kindNamed(name);
  const ofOlder = superseded.flatMap(({ fields }) => parentsOf(kind, kind.naming.ofLive(fields, {}), fields));
  return [...parentsOf(kind, key, remotes[0]?.fields ?? {}, declared), ...ofOlder];
};

/** Tells whether the server makes and removes a resource by itself (mail settings): that holds nothing back. */
const goesAlong = (input: PlanInput, { kind: name, key, remotes }: LiveResource) => {
  const kind = kindNamed(name);
  // An API that does not tell whose a record is lists the apex NS and SOA of each zone.
  const hasUnknownOwner = !tellsOwner(input.contract, kind) && kind.serverMade?.mayBeOwn?.(key) === true;
  return hasUnknownOwner || remotes.every((remote) => isMadeByServer(input, kind, remote));
};

/** Refuses what this API can do in no way: to delete the parent of something that it deletes for nobody (certificates). */
export function undeletable({ contract }: PlanInput, blocked: readonly Blocked[]): Refusal[] {
  const isKept = (address: Address) => !offers(contract, kindNamed(kindOf(address)), "delete");
  return blocked.flatMap(({ step, children }): Refusal[] => {
    const kept = children.filter(isKept);
    if (kept.length === 0) return [];
    return [refusals.undeletableChildren(step, kept, kindOf(kept[0] ?? step.address))];
  });
}

/** Refuses to delete or replace a parent while something below it stays. */
export const parentsWithChildren = ({ desired }: PlanInput, blocked: readonly Blocked[]): Refusal[] =>
  blocked.map(({ step, children }) =>
    refusals.children(
      step,
      children,
      children.every((child) => desired.resources.has(child)),
    ),
  );

/** Returns the resources that are created again only because of these, which cannot be: consent to them would not help. */
export function madeAnewFor(steps: readonly Step[], parents: ReadonlySet<Address | undefined>): Set<Address> {
  const byId = new Map<StepId, Step>(steps.map((step) => [step.id, step]));
  const waiting = steps.filter(
    ({ action, replaces, address }) => action === "delete" && replaces && parents.has(address),
  );
  const found = new Set<Step>(waiting);
  // A set is walked in the order of insertion, what is added on the way too.
  for (const { after } of found) {
    for (const id of after) {
      const before = byId.get(id);
      if (before?.action === "delete" && before.replaces) found.add(before);
    }
  }
  return new Set([...found].map(({ address }) => address));
}
