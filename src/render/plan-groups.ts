import { collectionOf, locate } from "../kinds/derived/collection.ts";
import { groupBy, countEach } from "../lib/collect.ts";
import { counted } from "../lib/shorten.ts";
import type { Address } from "../model/address.ts";
import type { Plan, Step } from "../model/plan.ts";
import { countedSteps, knownSteps } from "../policy/known-steps.ts";
import { withNamesAbove } from "../policy/lost-answers.ts";

/** Counts the resources that a plan adds, changes and destroys, as far as that is known; a replace counts as one of each. */
export function countSteps(plan: Plan): { add: number; change: number; destroy: number; purchase: number } {
  const steps = countedSteps(plan);
  const count = (action: string) => steps.filter((step) => step.action === action).length;
  return {
    add: count("create"),
    change: count("update") + count("renew"),
    destroy: count("delete"),
    purchase: steps.filter(({ purchase }) => purchase).length,
  };
}

/** Returns the sums of a plan as a title. Where a list was not read whole, they are not all that differs. */
export function titleOf(plan: Plan): string {
  const { steps, refusals, incomplete } = plan;
  const { add, change, destroy } = countSteps(plan);
  const isEmpty = steps.length + refusals.length === 0;
  const sums = isEmpty ? noChanges(plan).toLowerCase() : `${add} to add, ${change} to change, ${destroy} to destroy`;
  const refused = refusals.length === 0 ? "" : `, ${refusals.length} refused`;
  return `${sums}${refused}${incompleteText(incomplete)}`;
}

/** Says that a plan has no steps: what a list that was not read whole holds may differ. */
export function noChanges({ incomplete, afterRequests = [] }: Pick<Plan, "incomplete" | "afterRequests">): string {
  if (incomplete.length > 0) return "No changes known";
  return afterRequests.length > 0 ? "No changes to resources" : "No changes";
}

/** Says how many lists were not read whole; nothing where all were. */
export const incompleteText = ({ length }: Plan["incomplete"]): string =>
  length === 0 ? "" : `, ${counted(length, "list")} incomplete`;

const methods = ["POST", "PUT", "PATCH", "DELETE"];

/** Counts the requests of a plan by method: those that make, change and remove, in this order. */
export function countCalls(plan: Plan): Record<string, number> {
  const counts = countEach(knownSteps(plan).flatMap(({ calls }) => calls.map(({ method }) => method)));
  return Object.fromEntries([...counts].sort(([a], [b]) => methods.indexOf(a) - methods.indexOf(b)));
}

const words = { create: "add", update: "change", renew: "change", delete: "destroy" } as const;

/** Returns how many steps add, change, destroy and replace something. A replacement counts as that alone. */
export const describeTally = (steps: readonly Step[]): string =>
  (["add", "change", "destroy", "replace"] as const)
    .map(
      (word) =>
        [steps.filter(({ action, replaces }) => (replaces ? "replace" : words[action]) === word), word] as const,
    )
    .flatMap(([{ length }, word]) => (length === 0 ? [] : [`${length} to ${word}`]))
    .join(", ");

/** Groups steps by a name of their addresses, those with most first. */
export const largestGroups = (steps: readonly Step[], nameOf: (address: Address) => string) =>
  [...groupBy(steps, ({ address }) => nameOf(address))].toSorted(
    ([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1),
  );

/** A step with its place in the order in which an apply runs the plan, counted from 1. The two halves of a replacement are one. */
export interface NumberedStep<Given = Step> {
  readonly step: Given;
  /** Undefined for a step that is shown without its plan. */
  readonly number?: number;
  /** Of a replacement: the deletion, and the number of the creation. */
  readonly half?: Given;
  readonly again?: number;
}

/** Numbers the steps of a plan, or changes in any order, each replacement once: in the place of its deletion. */
export function numberSteps<Given extends Pick<Step, "address" | "action" | "replaces">>(
  steps: readonly Given[],
): NumberedStep<Given>[] {
  const creations = new Map(
    steps.flatMap((step, index) => (step.replaces && step.action === "create" ? [[step.address, index] as const] : [])),
  );
  const deleted = new Set(steps.flatMap((step) => (step.replaces && step.action === "delete" ? [step.address] : [])));
  return steps.flatMap((step, index): NumberedStep<Given>[] => {
    const later = step.replaces && deleted.has(step.address) ? creations.get(step.address) : undefined;
    const creation = later === undefined ? undefined : steps[later];
    if (later === undefined || !creation) return [{ step, number: index + 1 }];
    return step === creation ? [] : [{ step: creation, number: index + 1, half: step, again: later + 1 }];
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
