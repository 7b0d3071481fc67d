import { fieldsLeftOut } from "../contract/binding.ts";
import { kindNamed } from "../kinds/index.ts";
import { kindOf, type Address } from "../model/address.ts";
import { openFields, partsOf } from "../model/body.ts";
import type { Contract } from "../model/contract.ts";
import type { Json } from "../model/json.ts";
import type { Change, Plan, Shown, Step } from "../model/plan.ts";
import type { Desired, Fields, PreparedLive, Resource } from "../model/resource.ts";
import type { SavedPlan, SavedStep } from "../model/saved-plan.ts";
import { differs, hasMoved } from "../plan/compare-values.ts";
import { showMember } from "../plan/plan-members.ts";
import { showLive, showValue } from "../plan/shown.ts";
import { callsNotShown } from "./call-texts.ts";
import { canonicalJson, isSame } from "./canonical-json.ts";
import { compareMembers } from "./compare-members.ts";
import { comparePutBacks } from "./compare-put-backs.ts";
import type { Difference } from "./difference.ts";
import { isWritable } from "./fingerprint.ts";

/** What is live and desired now, prepared as the planner compares it. */
export interface Now {
  readonly desired: Desired;
  readonly live: PreparedLive;
  readonly contract: Contract;
}

/**
 * What keeps `remaining`, planned now, from being what is left of a saved plan. None: every step of it was approved, each change from
 * the value that was seen (or that the approved step itself has put there) to the value that was shown. A step of the saved plan that
 * is not needed any more is no difference, nor is anything at an address that no remaining step touches. What is deleted to make room
 * comes back, if it is needed, as was shown.
 */
export function compareSaved(saved: SavedPlan, remaining: Plan, now: Now): Difference[] {
  const gone = saved.needs.filter(({ address }) => !now.live.resources.has(address));
  if (gone.length > 0) return gone.map(({ address }) => ({ address, sort: "moved", was: present, is: absent }));
  const seen = new Map(saved.seen.map(({ address, objects }) => [address, objects]));
  const approved = new Map<Address, SavedStep[]>();
  for (const step of saved.steps) approved.set(step.address, [...(approved.get(step.address) ?? []), step]);
  return withoutRepetitions([
    ...remaining.steps.flatMap((step) =>
      compareStep(approved.get(step.address) ?? [], seen.get(step.address) ?? [], step, now),
    ),
    ...comparePutBacks(saved, remaining),
  ]);
}

/** Returns the saved steps that the remaining plan no longer contains; a step whose address is still written is not counted, unless it deletes. */
export function satisfiedSteps({ steps }: SavedPlan, remaining: Plan): SavedStep[] {
  const needed = new Set(remaining.steps.map(({ id }) => id));
  const writing = new Set(remaining.steps.flatMap(({ action, address }) => (action === "delete" ? [] : [address])));
  return steps.filter(({ id, action, address }) => !needed.has(id) && (action === "delete" || !writing.has(address)));
}

const absent: Shown = { is: "absent" };
const present: Shown = { is: "value", value: "there" };

function compareStep(approved: readonly SavedStep[], was: readonly Fields[], step: Step, now: Now): Difference[] {
  const { address } = step;
  const match = approved.find(({ id }) => id === step.id) ?? approved.find((other) => mayRemain(other, step));
  if (!match || (step.purchase && !match.purchase))
    return [{ address, sort: "not_in_plan", was: absent, is: showValue(step.action) }];
  const unshown = unshownCalls(match, step);
  if (unshown.length > 0) return [{ address, sort: "not_in_plan", was: absent, is: showValue(unshown.join(", ")) }];
  const kind = kindNamed(kindOf(address));
  const declared = match.action === "delete" && !match.replaces ? undefined : now.desired.resources.get(address);
  if (kind.members) {
    const moved = compareMembers(kind, kind.members, address, was, now.live.resources.get(address), declared);
    return moved.length > 0 ? moved : compareMemberChanges(match, step, declared);
  }
  const live = now.live.resources.get(address)?.remotes[0]?.fields;
  return compareObject({ match, step, declared, was: was[0], live, approved, now });
}

/** Of an approved creation an update may remain, of a set's update a creation, of a replace its creation. */
const mayRemain = (approved: SavedStep, { action }: Step) =>
  (approved.action === "create" && action === "update") ||
  (approved.action === "update" && action === "create" && kindNamed(kindOf(approved.address)).members !== undefined);

/** Returns the calls that a step makes and the file does not show, where nothing of the step is done yet. */
function unshownCalls(approved: SavedStep, step: Step): string[] {
  if (approved.id !== step.id || canonicalJson(approved.changes) !== canonicalJson(step.changes)) return [];
  return callsNotShown(step.calls, approved.calls);
}

interface ObjectNow {
  readonly match: SavedStep;
  readonly step: Step;
  readonly declared: Resource | undefined;
  readonly was: Fields | undefined;
  readonly live: Fields | undefined;
  readonly approved: readonly SavedStep[];
  readonly now: Now;
}

function compareObject(object: ObjectNow): Difference[] {
  const { match, step, declared, was, live, approved } = object;
  const { address } = match;
  const goes = approved.some(({ action }) => action === "delete");
  if (was && !live)
    return goes ? compareChanges(object, "made") : [{ address, sort: "moved", was: present, is: absent }];
  if (!was && live) return match.action === "create" ? appeared(object, live) : compareChanges(object, "made");
  if (!was || !live) return compareChanges(object, "made");
  const moved = Object.keys(was).filter(
    (field) =>
      !isSame(was[field], live[field]) &&
      (declared?.fields[field] === undefined || differs(live[field], declared.fields[field])),
  );
  if (moved.length === 0) return compareChanges(object, "kept");
  return moved.map((field) => ({
    address: step.address,
    sort: "moved",
    field,
    was: showValue(was[field]),
    is: showValue(live[field]),
  }));
}

/** What an approved creation made, as far as it got: all that a creation takes is as declared. Anything else is someone else's. */
function appeared(object: ObjectNow, live: Fields): Difference[] {
  const { declared, now, step } = object;
  const kind = kindNamed(kindOf(step.address));
  const later = new Set(declared ? fieldsLeftOut(now.contract, kind, Object.keys(declared.fields)) : []);
  const other = Object.entries(declared?.fields ?? {}).filter(
    ([field, value]) => isWritable(kind, field) && !later.has(field) && hasMoved(live[field], value),
  );
  if (other.length === 0) return compareChanges(object, "made");
  return other.map(([field]) => ({
    address: step.address,
    sort: "moved",
    field,
    was: absent,
    is: showLive(live[field], declared?.fields[field]),
  }));
}

/** Every change that remains was shown, from the same value; of what the approved steps have `made` themselves, from any. */
function compareChanges({ match, step, approved }: ObjectNow, from: "made" | "kept"): Difference[] {
  const { address } = step;
  return step.changes.flatMap((change): Difference[] => {
    const shown = changeAt(match, change.path) ?? approved.flatMap((other) => changeAt(other, change.path) ?? [])[0];
    // What an undo deletes has fields that it could not know; what was known has been compared.
    if (!shown && change.after.is === "absent") return [];
    if (!shown || !isShownAs(change.after, shown.after))
      return [{ address, sort: "not_in_plan", field: change.path, was: shown?.after ?? absent, is: change.after }];
    if (from === "made" || isShownAs(change.before, shown.before)) return [];
    return [{ address, sort: "moved", field: change.path, was: shown.before, is: change.before }];
  });
}

/** The values of a set that would come or go were shown to come or go. */
function compareMemberChanges(
  match: SavedStep,
  { address, changes }: Step,
  declared: Resource | undefined,
): Difference[] {
  const shownBefore = (shown: Shown) =>
    match.changes.some((each) => each.path === "value" && isShownAs(shown, each.before));
  return changes.flatMap(({ path, before, after }): Difference[] => {
    const same = match.changes.some((each) => each.path === path && isMemberShownAs(after, each.after, declared));
    if (after.is !== "absent" && !same) return [{ address, sort: "not_in_plan", field: path, was: absent, is: after }];
    if (path !== "value" || before.is === "absent" || shownBefore(before)) return [];
    return [{ address, sort: "moved", field: path, was: absent, is: before }];
  });
}

const changeAt = ({ changes }: SavedStep, path: string): Change | undefined =>
  changes.find((change) => change.path === path);

/** What was shown as known after apply may be known by now; what was masked stays so. */
const isShownAs = (now: Shown, shown: Shown) =>
  shown.is === "known_after_apply" || shown.is === "sensitive" || canonicalJson(now) === canonicalJson(shown);

/** One value of a set that is hidden must not stand for another that is written out beside it. */
function isMemberShownAs(now: Shown, shown: Shown, declared: Resource | undefined): boolean {
  if (shown.is === "sensitive") return now.is === "sensitive";
  if (shown.is === "known_after_apply" && now.is === "value" && declared) return !isWrittenOut(declared, now.value);
  return isShownAs(now, shown);
}

function isWrittenOut({ kind, fields, members = [] }: Resource, value: Json): boolean {
  const rules = kindNamed(kind).members;
  const written = members.filter((member) => rules && !partsOf(member.fields[rules.identity]));
  return written.some((member) => {
    const shown = rules && showMember(rules, openFields({ ...fields, ...member.fields }));
    return shown?.is === "value" && isSame(shown.value, value);
  });
}

function withoutRepetitions(differences: readonly Difference[]): Difference[] {
  const byPlace = new Map(differences.map((each) => [`${each.address} ${each.field} ${canonicalJson(each.is)}`, each]));
  return [...byPlace.values()];
}
