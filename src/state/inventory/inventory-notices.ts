import { nameSome } from "../../lib/shorten.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Inventory, RunningApply } from "../../model/inventory.ts";
import type { NotShared } from "./inventory-store.ts";

/** Something to know that stops nothing. */
export const notice = (code: string, summary: string, hint?: string): Diagnostic => ({
  severity: "notice",
  code,
  summary,
  hint,
});

/** Something that takes away from what the inventory is for. */
export const warning = (code: string, summary: string, hint?: string): Diagnostic => ({
  ...notice(code, summary, hint),
  severity: "warning",
});

export const unended = ({ by, since }: RunningApply): Diagnostic =>
  warning(
    "inventory_taken_over",
    `The apply by ${by}, begun at ${since}, did not end. It is taken over`,
    "the resources that it was about to create are in the inventory if they exist",
  );

export const notKept = (where: string, reason: string) =>
  warning(
    "inventory_not_kept",
    `The inventory (${where}) could not be written: ${reason}`,
    "apply again when it can be written: what this apply added and removed is not in it yet",
  );

export const leftAlone = (where: string) =>
  warning(
    "inventory_not_kept",
    `The inventory (${where}) is not overwritten: nothing may take the place of what it holds, as the warning about it says`,
  );

/** Says what others do not know yet, and how they get to know it. */
export function notPushed({ place, reason, remedy }: NotShared, shared: Inventory, next: Inventory): Diagnostic {
  const added = [...next.addresses].filter((address) => !shared.addresses.has(address));
  const gone = [...shared.addresses].filter((address) => !next.addresses.has(address));
  const facts = [
    ...(added.length > 0 ? [`that ${nameSome(added, 10)} ${added.length === 1 ? "is" : "are"} ours`] : []),
    ...(gone.length > 0 ? [`that ${nameSome(gone, 10)} ${gone.length === 1 ? "is" : "are"} not ours any more`] : []),
    ...(added.length + gone.length === 0 ? ["which commit was applied"] : []),
  ];
  const summary = `The inventory could not be pushed to ${place}: ${reason}. Others do not know yet ${facts.join(", and ")}`;
  return { ...warning("inventory_not_pushed", summary, remedy), severity: "error" };
}

export const lockRemains = (problem: string) =>
  warning("lock_not_cleared", `The lock could not be cleared: ${problem}`, "try again, or wait for a minute");

export const finishedLate = (done: boolean) =>
  done
    ? warning(
        "inventory_was_taken_over",
        "Another run took the inventory over meanwhile; the changes of this run were merged into it",
      )
    : warning(
        "inventory_not_kept",
        "Other runs kept changing the inventory; what this run added and removed is not in it",
      );
