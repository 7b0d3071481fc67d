import { collectionOf, locate } from "../kinds/derived/collection.ts";
import { groupBy } from "../lib/collect.ts";
import type { Address } from "../model/address.ts";
import type { Plan, Step } from "../model/plan.ts";

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

const parentsOf = (name: string) => name.split(".").map((_, index, labels) => labels.slice(index).join("."));

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
      names.flatMap(parentsOf).find((name) => known.has(name)) ??
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
