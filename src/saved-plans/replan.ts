import type { Address } from "../model/address.ts";
import { secretFields } from "../model/body.ts";
import type { Contract } from "../model/contract.ts";
import type { Json } from "../model/json.ts";
import { nothingAllowed, type PlanInput } from "../model/plan-input.ts";
import type { SavedPlan, SavedStep, UnsealedFile } from "../model/saved-plan.ts";
import { templateText } from "../model/template-text.ts";
import { plan } from "../plan/plan.ts";
import { prepare } from "../plan/prepare.ts";
import { byItself } from "./by-itself.ts";
import { seenAt } from "./fingerprint.ts";
import { holdsStandIn, standInFor, unpinLive } from "./pin-live.ts";
import { desiredFrom } from "./portable-desired.ts";
import { fromServer, saveStep } from "./save-step.ts";

/**
 * Plans the input that a file holds. Returns the steps in the order of the file, and what they saw; undefined if the file orders other
 * steps than those.
 */
export function replan(file: UnsealedFile, contract: Contract): Pick<SavedPlan, "steps" | "seen"> | undefined {
  const input = inputOf(file, contract);
  const planned = new Map(plan(input).steps.map((step) => [step.id, step]));
  const steps = file.order.flatMap(({ step: id, after, gaps }): SavedStep[] => {
    const step = planned.get(id);
    if (!step || !planned.delete(id)) return [];
    const declared = input.desired.resources.get(step.address);
    const { gaps: _gaps, ...saved } = saveStep(step, declared, secretFields(declared), holdsStandIn);
    return [fromServer(file, { ...saved, after, ...(gaps && { gaps }) })];
  });
  if (planned.size > 0 || steps.length !== file.order.length) return undefined;
  const { resources } = prepare(input).live;
  const touched = [...new Set(steps.map(({ address }) => address))].sort();
  return { steps, seen: touched.map((address) => seenAt(address, resources.get(address), isOpen)) };
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

const isOpen = (value: Json) => !holdsStandIn(value);

const without = (names: ReadonlySet<Address> = new Set(), others: readonly Address[] = []): ReadonlySet<Address> =>
  new Set([...names].filter((name) => !others.includes(name)));
