import { offers } from "../contract/entry.ts";
import { isOff, ownObjects } from "../kinds/derived/server-made.ts";
import { isListedByName } from "../contract/listed-values.ts";
import { collectionOf } from "../kinds/derived/collection.ts";
import { kindNamed } from "../kinds/index.ts";
import { firstIgnoring } from "../kinds/derived/matches-ignore.ts";
import type { CollectionPolicy, LiveResource } from "../model/resource.ts";
import type { PlanInput } from "../model/plan-input.ts";

/** Why a live resource that is not declared is deleted: `removed:` names it, it is ours, or its collection is exclusive. */
export type DeletionCause = "removed" | "ours" | "exclusive";

/** Why a live resource is to go; undefined where it is not. */
export function causeOfDeletion(input: PlanInput, live: LiveResource): DeletionCause | undefined {
  const { desired, ownership } = input;
  const kind = kindNamed(live.kind);
  const named = desired.removed.get(live.address);
  if (desired.resources.has(live.address) || ownObjects(kind, live.remotes).length === 0 || isOff(live))
    return undefined;
  if (named) return named.action === "delete" ? "removed" : undefined;
  if (ownership.isUndecided === true) return undefined;
  if (ownership.inventory?.addresses.has(live.address) === true) return "ours";
  // Hostform may not be able to make an object again that the contract does not name.
  const isKnown = isListedByName(input.contract, kind, live.key);
  const isKept = !isKnown || kind.serverMade?.mayBeOwn?.(live.key) === true;
  const exclusive = policyOf(input, live)?.exclusive === true && offers(input.contract, kind, "delete") && !isKept;
  return exclusive && ignoringGlob(input, live) === undefined ? "exclusive" : undefined;
}

/** Returns the policy for the collection of a live resource; undefined where the manifest says nothing of that. */
export const policyOf = ({ desired }: PlanInput, { kind, key }: LiveResource): CollectionPolicy | undefined =>
  desired.collections.get(collectionOf(kindNamed(kind), key).id);

/** Returns the manifest's `ignore` pattern that names this resource. */
export function ignoringGlob(input: PlanInput, live: LiveResource): string | undefined {
  const policy = policyOf(input, live);
  const place = policy && firstIgnoring(kindNamed(live.kind), policy, live.key);
  return place === undefined ? undefined : policy?.ignore[place];
}
