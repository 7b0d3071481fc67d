import { getOrMake } from "../lib/collect.ts";
import type { Address } from "../model/address.ts";
import type { Step, StepId } from "../model/plan.ts";

/** Returns the addresses of the steps that are chosen, with all that these wait for. */
export const addressesBefore = (
  steps: readonly Step[],
  isChosen: (address: Address) => boolean,
): ReadonlySet<Address> => closure(graphOf(steps).before, steps.map(addressOf).filter(isChosen));

/** Returns the addresses of the steps that are chosen, with all that wait for these. */
export const addressesBehind = (
  steps: readonly Step[],
  isChosen: (address: Address) => boolean,
): ReadonlySet<Address> => closure(graphOf(steps).behind, steps.map(addressOf).filter(isChosen));

const addressOf = ({ address }: Step) => address;

type Graph = ReadonlyMap<Address, ReadonlySet<Address>>;

/** Maps each address to those that it waits for, and to those that wait for it. */
function graphOf(steps: readonly Step[]): { readonly before: Graph; readonly behind: Graph } {
  const before = new Map<Address, Set<Address>>();
  const behind = new Map<Address, Set<Address>>();
  const addresses = new Map<StepId, Address>(steps.map(({ id, address }) => [id, address]));
  for (const { address, after } of steps) {
    for (const id of after) {
      const other = addresses.get(id);
      if (other === undefined || other === address) continue;
      getOrMake(before, address, () => new Set()).add(other);
      getOrMake(behind, other, () => new Set()).add(address);
    }
  }
  return { before, behind };
}

/** All that can be reached, the starts included. */
function closure(graph: Graph, starts: readonly Address[]): Set<Address> {
  const reached = new Set(starts);
  // A set is walked in the order of insertion, what is added on the way too.
  for (const address of reached) for (const next of graph.get(address) ?? []) reached.add(next);
  return reached;
}
