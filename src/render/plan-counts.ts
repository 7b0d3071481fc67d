import type { Address } from "../model/address.ts";
import type { Plan, Step } from "../model/plan.ts";
import { countEach, getOrMake } from "../lib/collect.ts";

/** Returns the addresses of which nothing is known, because their list was not read whole: no step for them counts. */
export const unknownAddresses = ({ refusals }: Pick<Plan, "refusals">): ReadonlySet<Address> =>
  new Set(refusals.flatMap(({ code, address }) => (code === "incomplete_read" && address ? [address] : [])));

function knownSteps(plan: Pick<Plan, "steps" | "refusals">): readonly Step[] {
  const unknown = unknownAddresses(plan);
  return plan.steps.filter(({ address }) => !unknown.has(address));
}

/** Counts the resources that a plan adds, changes and destroys, as far as that is known; a replace counts as one of each. */
export function countSteps(plan: Plan): { add: number; change: number; destroy: number; purchase: number } {
  const steps = knownSteps(plan);
  // A reference that is detached is set again by another step of the same address.
  const count = (action: string) => steps.filter((step) => step.action === action && step.detaches !== true).length;
  return {
    add: count("create"),
    change: count("update") + count("renew"),
    destroy: count("delete"),
    purchase: steps.filter(({ purchase }) => purchase).length,
  };
}

/** Returns the sums of a plan as a title. Undefined: none was made. */
export function titleOf(plan: Plan | undefined): string {
  if (!plan) return "Hostform: no plan";
  const { add, change, destroy } = countSteps(plan);
  const { length: refused } = plan.refusals;
  if (add + change + destroy + refused === 0) return "Hostform: no changes";
  return `Hostform: ${add} to add, ${change} to change, ${destroy} to destroy${refused === 0 ? "" : `, ${refused} refused`}`;
}

const methods = ["POST", "PUT", "PATCH", "DELETE"];

/** Counts the requests of a plan by method: those that make, change and remove, in this order. */
export function countCalls(plan: Plan): Record<string, number> {
  const counts = countEach(knownSteps(plan).flatMap(({ calls }) => calls.map(({ method }) => method)));
  return Object.fromEntries([...counts].sort(([a], [b]) => methods.indexOf(a) - methods.indexOf(b)));
}

/** Changes to the resources of one name: a kind, or a domain. A replacement is given once. */
export interface Tally {
  readonly name: string;
  readonly steps: number;
  readonly add: number;
  readonly change: number;
  readonly destroy: number;
  readonly replace: number;
}

const columns = { create: "add", update: "change", renew: "change", delete: "destroy" } as const;

/** Counts steps by a name of their addresses, those with most first. A replacement counts as that alone. */
export function tallySteps(steps: readonly Step[], nameOf: (address: Address) => string): Tally[] {
  const tallies = new Map<string, { -readonly [column in keyof Tally]: Tally[column] }>();
  for (const { address, action, replaces } of steps) {
    const name = nameOf(address);
    const line = getOrMake(tallies, name, () => ({ name, steps: 0, add: 0, change: 0, destroy: 0, replace: 0 }));
    line.steps += 1;
    line[replaces ? "replace" : columns[action]] += 1;
  }
  return [...tallies.values()].toSorted((a, b) => b.steps - a.steps || (a.name < b.name ? -1 : 1));
}
