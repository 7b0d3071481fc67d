import { collectionOf, locate } from "../kinds/derived/collection.ts";
import { groupBy, countEach, getOrMake } from "../lib/collect.ts";
import type { Address } from "../model/address.ts";
import type { Plan, Step } from "../model/plan.ts";
import { withNamesAbove } from "../policy/lost-answers.ts";

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

/** A step with its place in the order in which an apply runs the plan, counted from 1. The two halves of a replacement are one. */
export interface NumberedStep {
  readonly step: Step;
  /** Undefined for a step that is shown without its plan. */
  readonly number?: number;
  /** Of a replacement: the deletion, and the number of the creation. */
  readonly half?: Step;
  readonly again?: number;
}

/** Numbers the steps of a plan, each replacement once. */
export function numberSteps({ steps }: Pick<Plan, "steps">): NumberedStep[] {
  const creations = new Map(
    steps.flatMap((step, index) => (step.replaces && step.action === "create" ? [[step.address, index] as const] : [])),
  );
  const halves = new Set<Step>();
  return steps.flatMap((step, index): NumberedStep[] => {
    if (halves.has(step)) return [];
    const later = step.replaces && step.action === "delete" ? creations.get(step.address) : undefined;
    const creation = later === undefined ? undefined : steps[later];
    if (later === undefined || !creation) return [{ step, number: index + 1 }];
    halves.add(creation);
    return [{ step: creation, number: index + 1, half: step, again: later + 1 }];
  });
}

/** Returns the domains or services that an address names: `a.example` for `dns_record/a.example/www/A`, each name for a certificate. */
function subjectsOf(address: Address): readonly string[] {
  const { kind, key } = locate(address);
  const [, ...scope] = collectionOf(kind, key).id.split("/");
  if (scope.length > 0) return [scope.join("/")];
  return kind.naming.fromBody ? (key["domains"] ?? "").split("+") : [kind.naming.addressParts(key).join("/")];
}

/**
 * Returns a function from an address to the domain or service that it is about. What names several, as a certificate does, is about the
 * first that other steps are about or whose parent domain they are about, and else about the first.
 */
export function subjectsIn(steps: readonly Pick<Step, "address">[]): (address: Address) => string {
  const named = steps.filter(({ address }) => locate(address).kind.naming.fromBody === undefined);
  const known = new Set(named.flatMap(({ address }) => subjectsOf(address)));
  return (address) => {
    const names = subjectsOf(address);
    return (
      names.find((name) => known.has(name)) ??
      names.flatMap(withNamesAbove).find((name) => known.has(name)) ??
      names[0] ??
      ""
    );
  };
}

/** Groups steps by the domain or service that they are about, in the order of their first steps. */
export function groupSteps(steps: readonly NumberedStep[]): ReadonlyMap<string, readonly NumberedStep[]> {
  const subjectOf = subjectsIn(steps.map(({ step }) => step));
  return groupBy(steps, ({ step }) => subjectOf(step.address));
}
