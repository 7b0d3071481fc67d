import { bindKind } from "../contract/bound-kind.ts";
import { offers } from "../contract/entry.ts";
import { restoreCalls } from "../contract/set-calls.ts";
import { comesBack } from "../kinds/derived/repeatable.ts";
import { isPlatformOwned } from "../kinds/derived/server-made.ts";
import { uniqueNamesAt } from "../kinds/derived/collection.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { HttpCall } from "../model/http-call.ts";
import { addressesOf, type OnServerRejection, type Step, type StepId } from "../model/plan.ts";
import type { PlanInput } from "../model/plan-input.ts";
import type { Remote } from "../model/resource.ts";
import { addTo, getOrMake } from "../lib/collect.ts";

/** A step as far as its exchanges are concerned. */
type Exchanging = Pick<Step, "id" | "address" | "action">;

/**
 * Finds the deletions that make room for creations: of the same address (a replace), or of a slot that both cannot hold at once.
 * `deletions`: those whose resource comes back if a creation is refused, by the creation: for each deletion the first that takes its place.
 * `firsts`: for each further creation in the place of a deleted resource, the first ones: they must be there before it is made.
 */
export function findExchanges(steps: readonly Exchanging[]) {
  const removed = new Map<string, { readonly step: Exchanging; readonly shared: boolean }[]>();
  const created = steps.filter(({ action }) => action === "create");
  for (const step of created.length === 0 ? [] : steps.filter(({ action }) => action === "delete")) {
    for (const { name, shared } of placesOf(step.address)) addTo(removed, name, { step, shared });
  }
  const successors = new Map<StepId, StepId>();
  const deletions = new Map<StepId, Exchanging[]>();
  const firsts = new Map<StepId, Set<StepId>>();
  for (const { id, address } of removed.size === 0 ? [] : created) {
    for (const { name, shared } of placesOf(address)) {
      for (const { step } of (removed.get(name) ?? []).filter((holder) => !(holder.shared && shared))) {
        const first = successors.get(step.id) ?? id;
        successors.set(step.id, first);
        const known = deletions.get(first) ?? [];
        if (first !== id) getOrMake(firsts, id, () => new Set()).add(first);
        else if (!known.includes(step)) deletions.set(id, [...known, step]);
      }
    }
  }
  return { deletions, firsts };
}

const placesOf = (address: Address) => [{ name: `address ${address}`, shared: false }, ...uniqueNamesAt(address)];

/**
 * Adds to each step what becomes of the resources that are deleted for it, if it is refused. Of several that take one place the first
 * is made alone: while none is there, the deleted resource can come back.
 * @param steps in their order.
 */
export function planPutBacks(input: PlanInput, steps: readonly Step[]): Step[] {
  const { deletions, firsts } = findExchanges(steps);
  const byId = new Map(steps.map((step) => [step.id, step]));
  const made = addressesOf(steps, "create");
  return steps.map((step) => {
    const before = (deletions.get(step.id) ?? []).flatMap(({ id }) => byId.get(id) ?? []);
    const all = [...before, ...(makesRoomItself(step) ? [step] : [])].map((each) =>
      onServerRejection(input, made, each),
    );
    const first = [...(firsts.get(step.id) ?? [])].filter((id) => !step.after.includes(id));
    if (first.length + all.length === 0) return step;
    return {
      ...step,
      ...(first.length > 0 && { after: [...step.after, ...first].sort() }),
      ...(all.length > 0 && { on_refusal: all }),
    };
  });
}

/** Of a set that has one member at most, the old one may have to go before the new one is made. */
export function makesRoomItself({ action, calls }: Step): boolean {
  const [taken, made] = [calls.findIndex(isDeletion), calls.findLastIndex(({ operation }) => operation === "create")];
  return action === "update" && taken !== -1 && taken < made;
}

const isDeletion = (call: HttpCall) =>
  call.operation === "delete" || (call.operation === "set" && call.form === "delete");

/** The reason that a plan gives for what cannot be put back. */
export const lostReasons = {
  data: "what it holds goes with it, and no call brings that back",
  offer: "the API offers no creation of it",
} as const;

function onServerRejection(
  { live, contract }: PlanInput,
  made: ReadonlySet<Address>,
  { address, calls }: Step,
): OnServerRejection {
  const kind = bindKind(contract, kindOf(address));
  if (!comesBack(kind)) return { address, is: "lost", reason: lostReasons.data };
  if (!offers(contract, kind, "create")) return { address, is: "lost", reason: lostReasons.offer };
  const whole = live.resources.get(address);
  const idOf = (other: Address) => (made.has(other) ? undefined : live.resources.get(other)?.remotes[0]?.id);
  const deleted = new Set(calls.flatMap((call) => (isDeletion(call) ? [call.params["id"]] : [])));
  // The objects of a plan file have no ids by which the platform's own are distinguished.
  const isDeleted = (remote: Remote) => deleted.has(remote.id) && !isPlatformOwned(kind, remote);
  return { address, is: "put_back", calls: whole ? restoreCalls({ contract, idOf }, kind, whole, isDeleted) : [] };
}
