import type { Address } from "../../model/address.ts";
import { isHopeless, isUnsettled, type Failure } from "../../model/failure.ts";
import { addressOfMark, type Inventory } from "../../model/inventory.ts";
import { addressesOf, type Plan } from "../../model/plan.ts";
import type { Outcome, Report } from "../../model/report.ts";

/** Refusals after which it is certain that nothing was made. */
const finalRefusals: ReadonlySet<Failure["sort"]> = new Set(["forbidden", "invalid", "rate_limited"]);

type Owned = Omit<Inventory, "dropped" | "unconfirmed" | "lastApply" | "running">;

/**
 * Returns the ownership while a plan runs: all that was ours, and all that it may create for us. A run that is cut off leaves this behind, so
 * that nothing it has made is forgotten, and nothing that was there before, or that it only puts back for others, is counted as owned.
 */
export function ownedDuring(before: Inventory, { owned, steps, afterRequests = [] }: Plan): Owned {
  const created = addressesOf(steps, "create");
  return {
    ...before,
    addresses: new Set([...before.addresses, ...owned.addresses.filter((address) => created.has(address))]),
    preventDestroy: new Set([...before.preventDestroy, ...owned.preventDestroy]),
    secretFields: new Set([...(before.secretFields ?? []), ...(owned.secretFields ?? [])]),
    afterDue: new Set([...(before.afterDue ?? []), ...afterRequests.map(({ collection }) => collection)]),
  };
}

/**
 * Returns the ownership after a plan has run, whole or in part. A resource that was to go and did not, or was put back, stays ours. One that was
 * to be made and certainly was not, or was someone else's and was not changed as declared, is not ours.
 * @param report absent if all was done.
 * @param isPartial true for a part of the manifest: it has not seen all entries under `removed:`, so the earlier ones stay carried out.
 */
export function inventoryAfterRun(
  before: Owned,
  { owned, leftOut }: Pick<Plan, "owned" | "leftOut">,
  report: Pick<Report, "outcomes" | "putBacks" | "afterRequests"> = { outcomes: [] },
  isPartial = false,
): Owned {
  const { outcomes, putBacks = [], afterRequests = [] } = report;
  const addresses = new Set<Address>(owned.addresses);
  const preventDestroy = new Set<Address>(owned.preventDestroy);
  const returned = new Set(putBacks.map(({ address }) => address));
  const isOver = ({ step, outcome }: Report["outcomes"][number]) =>
    outcome.is === "done" && !(step.action === "delete" && returned.has(step.address));
  const open = outcomes.filter((each) => !isOver(each));
  const undone = new Set([...open.map(({ step }) => step.address), ...returned]);
  const stillSecret = [...(before.secretFields ?? [])].filter((mark) => undone.has(addressOfMark(mark)));
  const secretFields = new Set([...(owned.secretFields ?? []), ...stillSecret]);
  for (const { step, outcome } of open) {
    if (step.action === "delete" && !step.replaces && before.addresses.has(step.address)) {
      addresses.add(step.address);
      if (before.preventDestroy.has(step.address)) preventDestroy.add(step.address);
    }
    const isNew = step.action !== "delete" && !step.replaces && !before.addresses.has(step.address);
    if (isNew && (step.action !== "create" || madeNothing(outcome))) {
      addresses.delete(step.address);
      preventDestroy.delete(step.address);
    }
  }
  const stays = leftOut.filter((address) => before.unreached?.has(address));
  const unreached = new Set([
    ...stays,
    ...open.flatMap(({ step: { action, address } }) =>
      action === "update" || (action === "create" && addresses.has(address)) ? [address] : [],
    ),
  ]);
  const isDeleted = (address: Address) => before.removed?.has(address) === true || !undone.has(address);
  const carriedOut = isPartial ? (before.removed ?? []) : [];
  const removed = new Set([...carriedOut, ...(owned.removed ?? []).filter(isDeleted)]);
  const afterDue = new Set(before.afterDue);
  for (const { collection, failure } of afterRequests) {
    if (failure) afterDue.add(collection);
    else afterDue.delete(collection);
  }
  return { addresses, preventDestroy, exclusive: new Set(owned.exclusive), secretFields, removed, unreached, afterDue };
}

function madeNothing(outcome: Outcome): boolean {
  if (outcome.is === "not_attempted") return (outcome.callsDone ?? 0) === 0;
  if (outcome.is !== "failed") return outcome.is !== "done";
  const { callsDone, failure } = outcome;
  return callsDone === 0 && (isHopeless(failure) || finalRefusals.has(failure.sort)) && !isUnsettled(failure);
}
