import type { Address } from "../model/address.ts";
import { secretFields } from "../model/body.ts";
import type { Contract } from "../model/contract.ts";
import type { Step } from "../model/plan.ts";
import { nothingAllowed, type PlanInput } from "../model/plan-input.ts";
import type { SavedPlan, UnsealedFile } from "../model/saved-plan.ts";
import { templateText } from "../model/template-text.ts";
import { plan } from "../plan/plan.ts";
import { prepare } from "../plan/prepare.ts";
import { holdsStandIn, standInFor, unpinLive } from "./pin-live.ts";
import { byItself, desiredFrom } from "./portable-desired.ts";
import { asInFile, saveStep } from "./save-step.ts";

/**
 * Plans the input that a file holds. Returns the steps in the order of the file, and what they lead from; undefined if the file orders
 * other steps than those.
 */
export function replan(file: UnsealedFile, contract: Contract): Pick<SavedPlan, "steps" | "was"> | undefined {
  const input = inputOf(file, contract);
  const planned = new Map(plan(input).steps.map((step) => [step.id, step]));
  const steps = file.order.flatMap(({ step: id, after, gaps }): Step[] => {
    const step = planned.get(id);
    if (!step || !planned.delete(id)) return [];
    const declared = input.desired.resources.get(step.address);
    const { gaps: _gaps, ...planAgain } = step;
    const placed = { ...planAgain, after, ...(gaps && { gaps }) };
    return [asInFile(file.undo === true, saveStep(placed, declared, secretFields(declared), holdsStandIn))];
  });
  if (planned.size > 0 || steps.length !== file.order.length) return undefined;
  return { steps, was: prepare(input).live };
}

function inputOf(file: UnsealedFile, contract: Contract): PlanInput {
  const resources = file.resources.map(({ carried = [], fields, ...resource }) => ({
    ...resource,
    fields: Object.fromEntries(Object.entries(fields).filter(([name]) => !carried.includes(name))),
  }));
  const desired = desiredFrom({ ...file, resources }, ({ parts, unset }) =>
    unset ? undefined : standInFor(templateText(parts)),
  );
  const sets = Object.entries(file.consent).map(([name, addresses]) => [name, new Set(addresses)]);
  const alone = byItself(desired, undefined);
  return {
    desired,
    live: unpinLive(file),
    contract,
    target: file.target,
    consent: { ...nothingAllowed, ...(Object.fromEntries(sets) as object) },
    ...alone,
    ownership: { ...alone.ownership, names: without(alone.ownership.names, file.others) },
    now: Date.parse(file.created_at),
  };
}

const without = (names: ReadonlySet<Address> = new Set(), others: readonly Address[] = []): ReadonlySet<Address> =>
  new Set([...names].filter((name) => !others.includes(name)));
