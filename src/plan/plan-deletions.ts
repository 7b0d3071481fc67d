import { nearest } from "../model/nearest.ts";
import { causeOfDeletion, type DeletionCause, policyOf, ignoringGlob } from "../policy/deletions.ts";
import { ownObjects } from "../kinds/derived/server-made.ts";
import type { BoundKind } from "../contract/bound-kind.ts";
import { offers } from "../contract/entry.ts";
import { writeCalls } from "../contract/set-calls.ts";
import { collectionAt } from "../kinds/derived/collection.ts";
import type { Address } from "../model/address.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { refusals } from "../messages/refusals.ts";
import type { Step } from "../model/plan.ts";
import type { StepReason } from "../messages/step-reasons.ts";
import type { LiveResource } from "../model/resource.ts";
import { nothing, type Planning, type Planned } from "./context.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { unpaired } from "./pair-objects.ts";
import { changesOf } from "./shown.ts";

const reasons: Readonly<Record<DeletionCause, StepReason>> = {
  removed: { is: "named_in_removed" },
  ours: { is: "not_declared" },
  exclusive: { is: "not_in_exclusive_collection" },
};

/** The deletion of one live resource that the manifest does not declare, where there is a cause for it. */
export function planDeletion(input: Planning, kind: BoundKind, live: LiveResource): Planned {
  const cause = causeOfDeletion(input, live);
  if (!cause) return nothing;
  const removal = cause === "removed" ? input.desired.removed.get(live.address) : undefined;
  if (!offers(input.contract, kind, "delete")) {
    return cause === "removed"
      ? { ...nothing, refusals: [refusals.noDeletion({ address: live.address, at: removal?.at })] }
      : { ...nothing, diagnostics: [staysNotice(live, "the API offers no deletion")] };
  }
  if (cause === "ours" && ignoringGlob(input, live) !== undefined)
    return { ...nothing, diagnostics: [staysNotice(live, "an ignore pattern of its collection names it")] };
  const remotes = ownObjects(kind, live.remotes);
  const pairs = unpaired(remotes);
  const at = removal?.at ?? (cause === "exclusive" ? policyOf(input, live)?.exclusiveAt : undefined);
  const step: Step = {
    id: `delete ${live.address}`,
    address: live.address,
    action: "delete",
    replaces: false,
    purchase: false,
    changes: changesOf(kind, { pairs, remotes, live: live.remotes, shared: { fields: {} } }),
    calls: writeCalls(input, kind, { ...live, live: live.remotes, pairs }),
    after: [],
    reason: removal?.reason ?? reasons[cause],
    ...(at && { at }),
  };
  return { ...nothing, steps: [step] };
}

/** Reports resources that `removed:` wants deleted and that are not there, since the entry has done its work or is misspelled. */
export function removedAlready({
  desired,
  live,
  ownership,
}: PlanInput): { address: Address; diagnostic: Diagnostic }[] {
  return [...desired.removed.values()].flatMap(({ address, action, at }) => {
    const collection = live.collections.get(collectionAt(address));
    if (action !== "delete" || live.resources.has(address) || !collection || collection.incomplete !== undefined)
      return [];
    // A declared resource is not what an entry means.
    const undeclared = () => [...live.resources.keys()].filter((each) => !desired.resources.has(each));
    const { summary, hint } = whyAbsent(address, ownership, () => nearest(address, undeclared()));
    return [{ address, diagnostic: { severity: "notice", code: "already_removed", summary, hint, at } }];
  });
}

/** Says why an entry has nothing to delete. The inventory also marks an entry that an apply found nothing for, such as a misspelled one. */
function whyAbsent(
  address: Address,
  { inventory, carriedOut }: PlanInput["ownership"],
  findNear: () => string | undefined,
) {
  const time = carriedOut?.get(address);
  if (time !== undefined)
    return {
      summary: `${address} was deleted by an earlier apply: its entry under removed: was carried out at ${time}`,
      hint: "take the entry out",
    };
  const near = findNear();
  const hint = `take the entry out, or check its spelling${near === undefined ? "" : `: did you mean ${near}?`}`;
  return inventory?.removed?.has(address) === true
    ? { summary: `${address} does not exist: an earlier apply deleted it, or found nothing to delete`, hint }
    : { summary: `${address} is named under removed: and does not exist`, hint };
}

const staysNotice = ({ address }: LiveResource, why: string): Diagnostic => ({
  severity: "notice",
  code: "ours_but_stays",
  summary: `${address} is in the inventory and no longer declared, but is not deleted: ${why}`,
  hint: `to give it up, add to the manifest  removed: [{ address: ${address}, action: forget }]`,
});
