import type { Inventory, RunningApply, Unconfirmed } from "../../model/inventory.ts";
import { mergeInventories } from "./merge-inventories.ts";

/** Returns an inventory with the mark of an apply that has begun. */
export const withMark = (inventory: Inventory, mark: RunningApply): Inventory => ({ ...inventory, running: mark });

/** Returns the inventory of an apply that has begun, with all requests so far that must not be repeated blindly. */
export function withRequests(
  { unconfirmed: earlier = [] }: Inventory,
  begun: Inventory,
  mark: RunningApply,
  sent: readonly Unconfirmed[],
): Inventory {
  return { ...begun, unconfirmed: [...earlier, ...sent], running: { ...mark, once: sent.length } };
}

/** Returns the inventory of now after an apply that another has overtaken: with what it added and removed, and without its own mark. */
export function endedLate(before: Inventory, next: Inventory, now: Inventory, mark: RunningApply): Inventory {
  const merged = mergeInventories(before, next, now);
  const { running, ...rest } = merged;
  const isOwn = running?.since === mark.since && running.pid === mark.pid && running.host === mark.host;
  return isOwn ? rest : merged;
}
