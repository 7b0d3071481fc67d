import { hasField } from "../contract/offered.ts";
import { fieldsLeftOut } from "../contract/binding.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import { kindOf, type Address } from "../model/address.ts";
import { isUnknown } from "../model/body.ts";
import type { Contract } from "../model/contract.ts";
import type { Change, Plan, Shown, Step } from "../model/plan.ts";
import type { Desired, Fields, PreparedLive, Resource } from "../model/resource.ts";
import type { SavedPlan, SavedStep, Seen } from "../model/saved-plan.ts";
import { differs } from "../plan/compare-values.ts";
import { showLive, showValue } from "../plan/shown.ts";
import { callsNotShown } from "./call-texts.ts";
import { canonicalJson, isSame } from "./canonical-json.ts";
import { compareMembers } from "./compare-members.ts";
import { comparePutBacks } from "./compare-put-backs.ts";
import { absent, type Difference } from "./describe-difference.ts";
import { idFingerprint, isWritable, writableObjects } from "./fingerprint.ts";
import { isHidden, isShownSame, showDeclared } from "./show-declared.ts";

/** What is live and desired now, prepared as the planner compares it. */
export interface Now {
  readonly desired: Desired;
  readonly live: PreparedLive;
  readonly contract: Contract;
}

/**
 * Compares `remaining`, planned now from what a saved plan declares, with what that plan shows. One rule decides: each single change that
 * remains is among those that were approved. A single change is a field of an object, or a member of a set, that goes from one value to
 * another. Where it is done already, nothing of it remains; so each field and member of what is still written must be as it was seen, or
 * as it is declared. A value may be hidden in what is shown, unless the file writes it out. Likewise each action, purchase, call and
 * put-back that remains must be shown. What no remaining step touches is not compared.
 */
export function compareSaved(saved: SavedPlan, remaining: Plan, now: Now): Difference[] {
  const gone = saved.needs.filter(({ address }) => !now.live.resources.has(address));
  if (gone.length > 0) return gone.map(({ address }) => isGone(address));
  const seen = new Map(saved.seen.map((each) => [each.address, each]));
  const approved = new Map<Address, SavedStep[]>();
  for (const step of saved.steps) approved.set(step.address, [...(approved.get(step.address) ?? []), step]);
  const differences = [
    ...remaining.steps.flatMap((step) =>
      compareStep(step, approved.get(step.address) ?? [], seen.get(step.address), now),
    ),
    ...comparePutBacks(saved, remaining),
  ];
  const byPlace = new Map(differences.map((each) => [`${each.address} ${each.field} ${canonicalJson(each.is)}`, each]));
  return [...byPlace.values()];
}

/** Returns the saved steps that the remaining plan no longer contains; a step whose address is still written is not counted, unless it deletes. */
export function satisfiedSteps({ steps }: SavedPlan, remaining: Plan): SavedStep[] {
  const needed = new Set(remaining.steps.map(({ id }) => id));
  const writing = new Set(remaining.steps.flatMap(({ action, address }) => (action === "delete" ? [] : [address])));
  return steps.filter(({ id, action, address }) => !needed.has(id) && (action === "delete" || !writing.has(address)));
}

const isGone = (address: Address): Difference => ({
  address,
  sort: "moved",
  was: { is: "value", value: "there" },
  is: absent,
});

const isAnother = (address: Address): Difference => ({
  address,
  sort: "moved",
  was: { is: "value", value: "the object that the plan saw" },
  is: { is: "value", value: "another object, which was made since" },
});

/** A remaining step, the approved step that it is the rest of, and the state of its address then and now. */
interface Rest {
  readonly kind: Kind;
  readonly step: Step;
  readonly match: SavedStep;
  /** All approved steps of the address. */
  readonly approved: readonly SavedStep[];
  readonly declared: Resource | undefined;
  readonly was: readonly Fields[];
  readonly is: readonly Fields[];
}

function compareStep(
  step: Step,
  approved: readonly SavedStep[],
  { objects: seen = [], ids }: Partial<Seen> = {},
  { desired, live, contract }: Now,
): Difference[] {
  const { address, action, purchase } = step;
  const notShown = (text: string): Difference => ({ address, sort: "not_in_plan", was: absent, is: showValue(text) });
  const match = approved.find(({ id }) => id === step.id) ?? approved.find((other) => mayRemain(other, step));
  if (!match || (purchase && !match.purchase)) return [notShown(action)];
  const calls = unshownCalls(match, step);
  if (calls.length > 0) return [notShown(calls.join(", "))];
  const kind = kindNamed(kindOf(address));
  const remotes = writableObjects(kind, live.resources.get(address));
  if (action === "delete" && ids && remotes.some(({ id }) => !ids.includes(idFingerprint(id))))
    return [isAnother(address)];
  const objects = remotes.map(({ fields }) => fields);
  const [was, is] = kind.members ? [seen, objects] : [seen.slice(0, 1), objects.slice(0, 1)];
  const declared = match.action === "delete" && !match.replaces ? undefined : desired.resources.get(address);
  const rest = { kind, step, match, approved, declared, was, is };
  const hasGone = !kind.members && was.length > is.length && !approved.some((each) => each.action === "delete");
  if (hasGone) return [isGone(address)];
  const moved = findMoved(rest, contract);
  return moved.length > 0 ? moved : step.changes.flatMap((change) => compareChange(rest, change));
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

/** Returns the fields or members that are neither as they were seen nor as they are declared. */
function findMoved({ kind, match, declared, was: seen, is: live }: Rest, contract: Contract): Difference[] {
  const { address } = match;
  if (kind.members) return compareMembers(kind.members, address, { was: seen, is: live, declared });
  const [[was], [is]] = [seen, live];
  if (!is || (!was && match.action !== "create")) return [];
  const names = was ? Object.keys(was) : createdFields(contract, kind, declared);
  // A field of the kind that the API has nothing like is not told, so it cannot have moved.
  const isTold = (field: string) => !Object.hasOwn(kind.fields, field) || hasField(contract, kind, field);
  return names.filter(isTold).flatMap((field): Difference[] => {
    const desired = declared?.fields[field];
    if ((was && isSame(was[field], is[field])) || (desired && !differs(is[field], desired))) return [];
    return [{ address, sort: "moved", field, was: showValue(was?.[field]), is: showLive(is[field], desired) }];
  });
}

/** The fields by which a creation is known again: all that it sends, so that anything else is someone else's. */
function createdFields(contract: Contract, kind: Kind, declared: Resource | undefined): string[] {
  const names = Object.keys(declared?.fields ?? {});
  const later = new Set(fieldsLeftOut(contract, kind, names));
  return names.filter((name) => isWritable(kind, name) && !later.has(name) && !isUnknown(declared?.fields[name]));
}

/** Compares one remaining change with those that are shown: to the same value, and from a value that was seen. */
function compareChange(rest: Rest, { path, before, after }: Change): Difference[] {
  const { kind, match, approved, was, is } = rest;
  const { address } = match;
  const at = ({ changes }: SavedStep) => changes.filter((each) => each.path === path);
  const shown = at(match).length > 0 ? at(match) : approved.flatMap(at);
  const [first] = kind.members ? [] : shown;
  // What an undo deletes has fields that it could not know; what was known has been compared.
  if (after.is === "absent" && shown.length === 0 && !kind.members) return [];
  const isShown = after.is === "absent" || shown.some((each) => standsFor(each.after, after, path, rest));
  // Once the members are gone, their TTL is written anew as it was.
  const isKept =
    kind.members?.shared.includes(path) && was.some((fields) => isShownSame(showValue(fields[path]), after));
  if (!isShown && !isKept)
    return [{ address, sort: "not_in_plan", field: path, was: first?.after ?? absent, is: after }];
  // Members have been compared as wholes, and of what the approved steps have made themselves no value was seen.
  const wasNotSeen = kind.members ? path !== "value" || before.is === "absent" : was.length * is.length === 0;
  if (wasNotSeen || shown.some((each) => isHidden(each.before) || isShownSame(each.before, before))) return [];
  return [{ address, sort: "moved", field: path, was: first?.before ?? absent, is: before }];
}

/** Whether the approval of what is shown covers a value: what is hidden stands for no value that the file writes out. */
const standsFor = (shown: Shown, now: Shown, path: string, { kind, declared }: Rest) =>
  isHidden(shown)
    ? !(declared && showDeclared(kind, declared, path).some((each) => each.is === "value" && isShownSame(each, now)))
    : isShownSame(shown, now);
