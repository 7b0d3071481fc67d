import { collectionAt } from "../../kinds/derived/collection.ts";
import { isCreation } from "../../model/http-call.ts";
import type { Plan } from "../../model/plan.ts";
import type { Ownership, PlanInput } from "../../model/plan-input.ts";
import type { PreparedLive } from "../../model/resource.ts";
import type { HeldRecord } from "../../model/journal.ts";
import { isSameObject } from "../object-identity.ts";

/**
 * The state of an object that an earlier apply was about to delete for a successor. `settled`: it, or the successor, is there.
 * `awaited`: the plan makes the successor. `missing`: neither is there, nor will be. `unread`: its list was not read whole. `lagging`: a
 * list shows it although the server answered that it is deleted. `unsure`: it is there, and an unanswered deletion may still show.
 * `dropped`: neither is there, and what was ours has left the inventory since.
 */
export type HeldState = "settled" | "awaited" | "missing" | "unread" | "lagging" | "unsure" | "dropped";

export function resolveHeld(
  held: HeldRecord,
  live: PreparedLive,
  { steps, leftOut }: Plan,
  { contract, desired, inventory }: Pick<PlanInput, "contract" | "desired"> & Pick<Ownership, "inventory">,
): HeldState {
  const { address, successor, id } = held;
  const unread = [address, successor].some((each) => {
    const collection = live.collections.get(collectionAt(each));
    return !collection || collection.incomplete !== undefined;
  });
  if (unread) return "unread";
  const own = live.resources.get(address)?.remotes ?? [];
  const context = { contract, live, made: new Map() };
  if (own.some((remote) => remote.id !== id && isSameObject(context, held, remote))) return "settled";
  if (own.some((remote) => remote.id === id))
    return held.deletion === undefined ? "settled" : held.deletion.is === "done" ? "lagging" : "unsure";
  if (live.resources.get(successor)?.remotes.some((remote) => remote.id !== id) === true) return "settled";
  const isPlanned = steps.some((step) => step.address === successor && step.calls.some(isCreation));
  if (isPlanned) return "awaited";
  const isDeclared = desired.resources.has(address);
  // An apply elsewhere, without this journal, may have made the address as it is declared now.
  if (isDeclared && !leftOut.includes(address) && steps.every((step) => step.address !== address)) return "settled";
  return !isDeclared && held.ours && inventory?.addresses.has(address) === false ? "dropped" : "missing";
}
