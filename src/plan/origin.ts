import { isDeepStrictEqual } from "node:util";
import { collectionAt } from "../kinds/derived/collection.ts";
import { kindNamed } from "../kinds/index.ts";
import { bodiesOf, declaredNames, isFromOutside, isUnknown } from "../model/body.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { Origin, Step, Plan } from "../model/plan.ts";
import type { Body, LiveResource, Resource } from "../model/resource.ts";
import { ignoringGlob } from "../policy/deletions.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { declaredValue, hasMoved } from "./compare-values.ts";
import { pairObjects } from "./pair-objects.ts";
import { mayBeUnread } from "./unread.ts";

/**
 * Why a step is needed, according to the manifest of the last apply: the manifest says something else now, the live state is not
 * what it was made to be then, or both; or it was declared then, and that apply did not make it so. Undefined where that manifest is not known, where the live state is not (a list that was not
 * read whole), or where neither is the cause (a renewal).
 */
export function originOf({ desired, live, ownership }: PlanInput, planned: Step): Origin | undefined {
  const step = withoutRotation(planned);
  const { declaredThen, lastApplyDirty = false } = ownership;
  if (!declaredThen || lastApplyDirty || step.action === "renew" || isUnsure(live, step)) return undefined;
  if (isRotation(step)) return undefined;
  const then = declaredThen.resources.get(step.address);
  const now = desired.resources.get(step.address);
  const remote = live.resources.get(step.address);
  const wasExclusive = declaredThen.collections.get(collectionAt(step.address))?.exclusive === true;
  if (!then && !now) return wasExclusive ? "drift" : "this_change";
  const ofManifest = !then || !now || !saysTheSame(then, now, step);
  const neverMade = !remote && ownership.inventory?.addresses.has(step.address) === false;
  const isUnreached = neverMade || ownership.inventory?.unreached?.has(step.address) === true;
  const isOther = then ? (remote ? hasDrifted(then, remote, step) : true) : remote !== undefined && !now;
  const ofLive = isOther && !isUnreached;
  if (ofManifest) return ofLive ? "both" : "this_change";
  if (isUnreached) return "not_made";
  return ofLive ? "drift" : undefined;
}

/** Returns whether a step only sends a secret again: its reason says why. */
const isRotation = ({ reason: { is } }: Step) =>
  is === "rotation_requested" || is === "rotation_due" || is === "secret_sent_again";

/** Leaves out the changes of a step that send a secret again. */
export function withoutRotation(step: Step): Step {
  const { reason, changes } = step;
  if (reason.is !== "fields_differ" || !reason.rotation) return step;
  return { ...step, changes: changes.filter(({ path }) => reason.fields.includes(path)) };
}

/** An object of its own that was listed is known, whatever else was not. */
const isUnsure = (live: PlanInput["live"], { address, action }: Step) =>
  mayBeUnread({ live }, address) && (action === "create" || kindNamed(kindOf(address)).members !== undefined);

/** Reports each field that the manifest declared at the last apply and no longer declares: it keeps its live value, which is shown. */
export function noLongerDeclared({ desired, live, ownership }: PlanInput): Diagnostic[] {
  const { declaredThen, lastApplyDirty } = ownership;
  if (lastApplyDirty === true || !declaredThen) return [];
  return [...desired.resources.values()].flatMap((now) => {
    if (now.members) return [];
    const then = declaredThen.resources.get(now.address);
    const remote = live.resources.get(now.address)?.remotes[0];
    if (!then || !remote) return [];
    return declaredNames(then)
      .filter((field) => !declaredNames(now).includes(field))
      .filter((field) => kindNamed(now.kind).fields[field]?.access === "mutable")
      .map((field): Diagnostic => ({
        severity: "notice",
        code: "no_longer_declared",
        summary: `${now.address}: ${field} is not declared any more and stays as it is: ${isFromOutside(then.fields[field]) ? "(sensitive)" : JSON.stringify(remote.fields[field] ?? null)}`,
        hint: "write the value that it should have, if this one is not meant to stay",
        at: now.at,
      }));
  });
}

/** Whether two manifests declare the same fields of what a step changes; of a set all members with all that they hold. */
export function saysTheSame(then: Resource, now: Resource, step: Step): boolean {
  const declared = (resource: Resource) =>
    bodiesOf(resource).map((body) =>
      JSON.stringify(changedNames(body, now, step).map((name) => [name, declaredValue(body.fields[name])])),
    );
  return isDeepStrictEqual(declared(then).sort(), declared(now).sort());
}

const changedNames = (body: Body, { kind }: Resource, { changes }: Step): string[] =>
  declaredNames(body).filter((name) => kindNamed(kind).members || changes.some(({ path }) => path === name));

/** Whether a live object is not what the manifest made of it, in the fields that a step changes; of a set any of its members. */
function hasDrifted(then: Resource, live: LiveResource, step: Step): boolean {
  const kind = kindNamed(then.kind);
  const { identity = "", always } = kind.members ?? {};
  if (then.members?.some(({ fields }) => isUnknown(fields[identity]))) return false;
  return pairObjects(kind, then, live).pairs.some(
    ({ body, remote }) =>
      !body ||
      !remote ||
      changedNames(body, then, step).some((name) => hasMoved(remote.fields[name] ?? always?.[name], body.fields[name])),
  );
}

/**
 * Returns the addresses at which this plan would delete something, or take back what the commit of the last apply has changed, where
 * this commit, or that of a saved plan, does not contain that one. A change that only this commit makes takes nothing back. What is not known counts,
 * except for a saved plan.
 */
export function revertedBy(
  { desired, ownership, live, contract }: Pick<PlanInput, "desired" | "ownership" | "live" | "contract">,
  steps: readonly Step[],
  owned: Plan["owned"],
): Address[] {
  if (!ownership.rolledBack) return [];
  const { there, base, isAfterPlan = false } = ownership.missed ?? {};
  const reverts = (step: Step) => {
    if (step.action === "delete") {
      const found = live.resources.get(step.address);
      const isIgnored = there && found && ignoringGlob({ desired: there, contract }, found) !== undefined;
      // A saved plan was looked at: what the newer manifest neither declares nor ignores is still to go.
      return !isAfterPlan || isIgnored || there?.resources.has(step.address);
    }
    if (step.action === "renew") return false;
    if (!there || !base) return !isAfterPlan;
    const [then, before, now] = [there, base, desired].map(({ resources }) => resources.get(step.address));
    if (!then && !before) return false;
    return !(then && now && saysTheSame(then, now, step)) && !(then && before && saysTheSame(before, then, step));
  };
  const unprotected = owned.addresses.filter(
    (address) =>
      ownership.inventory?.preventDestroy.has(address) === true &&
      !owned.preventDestroy.includes(address) &&
      base?.resources.get(address)?.lifecycle?.preventDestroy !== true,
  );
  return [...new Set([...steps.filter(reverts).map(({ address }) => address), ...unprotected])].sort();
}
