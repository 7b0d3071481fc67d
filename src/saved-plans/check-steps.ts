import { comesBack } from "../kinds/derived/repeatable.ts";
import { locate } from "../kinds/derived/locate.ts";
import type { SavedOnServerRejection, SavedPlan, SavedResource, SavedStep } from "../model/saved-plan.ts";
import { findExchanges, lostReasons } from "../plan/exchanges.ts";
import { detachId } from "../plan/plan-replace.ts";

/**
 * Returns how the steps of a file are not those of what it declares and removes, in one sentence; undefined where they are. It stands
 * beside the check of single changes, because a missing step or half of a replacement has none.
 */
export function wrongSteps({ steps, resources, removals }: SavedPlan): string | undefined {
  const declared = new Set(resources.map(({ address }) => address));
  const removed = new Set(removals.map(({ address }) => address));
  const ids = new Set(steps.map(({ id }) => id));
  const halves = new Set(steps.flatMap(({ id, replaces }) => (replaces ? [id] : [])));
  const wrong = steps.flatMap((step) => {
    const { id, action, address } = step;
    const isDetaching = step.detaches === true && action === "update" && id === detachId(address);
    if (id !== `${action} ${address}` && !isDetaching)
      return [`the step ${JSON.stringify(id)} is to ${action} ${address}`];
    const isAttachedAgain = isDetaching && ids.has(`update ${address}`) && locate(address).kind.relations?.references;
    if (step.detaches === true && !isAttachedAgain)
      return [`the step ${JSON.stringify(id)} detaches nothing that is attached again`];
    if (step.replaces && !(halves.has(`delete ${address}`) && halves.has(`create ${address}`)))
      return [`it holds one half of the replacement of ${address}`];
    if (removed.has(address) !== (action === "delete" && !step.replaces))
      return [`it is to ${action} ${address}, and ${removed.has(address) ? "removes it" : "does not remove it"}`];
    return declared.has(address) === removed.has(address)
      ? [`it is to ${action} ${address}, and ${declared.has(address) ? "declares it" : "does not declare it"}`]
      : [];
  });
  return wrong[0] ?? withoutStep([...resources, ...removals], steps) ?? wrongPutBack(steps);
}

/** Describes a step that does not put back exactly the objects that the steps delete to make room for it. */
function wrongPutBack(steps: readonly SavedStep[]): string | undefined {
  const { deletions } = findExchanges(steps);
  const byId = new Map(steps.map((step) => [step.id, step]));
  const wrong = steps.flatMap((step) => {
    const expected = (deletions.get(step.id) ?? []).flatMap(({ id }) => byId.get(id) ?? []);
    const mayMakeRoom = step.action === "update" && locate(step.address).kind.members !== undefined;
    const all = step.on_refusal ?? [];
    const others = all.filter(({ address }) => !(mayMakeRoom && address === step.address));
    const isAsExpected =
      others.length === expected.length && expected.every((each) => others.some((other) => isEndOf(other, each)));
    return isAsExpected && all.every(isPossible) && all.length - others.length <= 1
      ? []
      : [`the step for ${step.address} puts back something else than is deleted for it`];
  });
  return wrong[0];
}

const isEndOf = (end: SavedOnServerRejection, { address, calls }: SavedStep) =>
  end.address === address && (end.is === "lost" || end.calls.length === calls.length);

const isPossible = (end: SavedOnServerRejection) => {
  const isWhole = comesBack(locate(end.address).kind);
  return end.is === "put_back" ? isWhole : end.reason === (isWhole ? lostReasons.offer : lostReasons.data);
};

function withoutStep(all: readonly Pick<SavedResource, "address">[], steps: readonly SavedStep[]): string | undefined {
  const touched = new Set(steps.map(({ address }) => address));
  const left = all.find(({ address }) => !touched.has(address));
  return left && `no step of it is for ${left.address}`;
}
