import { addTo } from "../lib/collect.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { Shown } from "../model/plan.ts";
import type { Desired, Fields, Resource } from "../model/resource.ts";
import type { SavedPlan, SavedStep, Seen } from "../model/saved-plan.ts";
import { showValue } from "../plan/shown.ts";
import { isShownSame } from "./show-declared.ts";

/** All that a saved plan says about one address: the steps that it shows, the state that they lead from, and the one that they lead to. */
export interface Approval {
  readonly address: Address;
  readonly kind: Kind;
  /** Without any, the plan does not touch the address. */
  readonly steps: readonly SavedStep[];
  /** The writable fields of each member of a set that was live, else of one object at most. */
  readonly seen: readonly Fields[];
  /** Fingerprints of the ids of what is deleted; undefined where they do not matter. */
  readonly ids: Seen["ids"];
  /** Undefined where the plan deletes the address. */
  readonly declared: Resource | undefined;
}

/** Returns a function that returns the approval of an address. `desired`: the declaration of the plan, as far as its values are known. */
export function approvalsOf(
  { steps, seen, removals }: SavedPlan,
  desired: Pick<Desired, "resources">,
): (address: Address) => Approval {
  const byAddress = new Map<Address, SavedStep[]>();
  for (const step of steps) addTo(byAddress, step.address, step);
  const seenAt = new Map(seen.map((each) => [each.address, each]));
  const removed = new Set(removals.map(({ address }) => address));
  return (address) => {
    const kind = kindNamed(kindOf(address));
    const { objects = [], ids } = seenAt.get(address) ?? {};
    return {
      address,
      kind,
      steps: byAddress.get(address) ?? [],
      seen: kind.members ? objects : objects.slice(0, 1),
      ids,
      declared: removed.has(address) ? undefined : desired.resources.get(address),
    };
  };
}

/** Whether a value that all members of a set share is that of a member which was seen: it is written anew as it was. */
export const isKept = ({ kind, seen }: Approval, path: string, after: Shown): boolean =>
  after.is !== "absent" &&
  kind.members?.shared.includes(path) === true &&
  seen.some((was) => isShownSame(showValue(was[path]), after));
