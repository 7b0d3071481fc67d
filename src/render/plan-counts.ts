import { collectionOf } from "../kinds/derived/collection.ts";
import { locate } from "../kinds/derived/locate.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { Plan, Step } from "../model/plan.ts";
import { getOrMake } from "../lib/collect.ts";

/** How many resources a plan adds, changes and destroys; a replace counts as one of each. */
export function countSteps({ steps }: Plan): { add: number; change: number; destroy: number; purchase: number } {
  // What is detached is set again by another step of the same address.
  const count = (action: string) => steps.filter((step) => step.action === action && step.detaches !== true).length;
  return {
    add: count("create"),
    change: count("update") + count("renew"),
    destroy: count("delete"),
    purchase: steps.filter(({ purchase }) => purchase).length,
  };
}

const methods = ["POST", "PUT", "PATCH", "DELETE"];

/** How many requests a plan makes, by method: those that make, change and remove, in this order. */
export function countCalls({ steps }: Plan): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { method } of steps.flatMap(({ calls }) => calls)) counts[method] = (counts[method] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => methods.indexOf(a) - methods.indexOf(b)));
}

/** What a plan does to the resources of one kind, or of one collection. A replace counts as that alone. */
export interface Tally {
  readonly name: string;
  readonly add: number;
  readonly change: number;
  readonly destroy: number;
  readonly replace: number;
}

export const tallyKinds = ({ steps }: Plan): Tally[] =>
  tally(steps, kindOf).toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** A tally for each collection that the plan touches, those with most changes first. */
export const tallyCollections = ({ steps }: Plan): Tally[] =>
  tally(steps, collectionName).toSorted((a, b) => sumOf(b) - sumOf(a) || (a.name < b.name ? -1 : 1));

const sumOf = ({ add, change, destroy, replace }: Tally) => add + change + destroy + replace;

function collectionName(address: Address): string {
  const { kind, key } = locate(address);
  return collectionOf(kind, key).id;
}

const columns = { create: "add", update: "change", renew: "change", delete: "destroy" } as const;

function tally(steps: readonly Step[], nameOf: (address: Address) => string): Tally[] {
  const tallies = new Map<string, { -readonly [column in keyof Tally]: Tally[column] }>();
  for (const { address, action, replaces, detaches } of steps) {
    // The two halves of a replace are one, and so are the two of what is detached.
    if ((replaces && action === "delete") || detaches === true) continue;
    const name = nameOf(address);
    const line = getOrMake(tallies, name, () => ({ name, add: 0, change: 0, destroy: 0, replace: 0 }));
    line[replaces ? "replace" : columns[action]] += 1;
  }
  return [...tallies.values()];
}
