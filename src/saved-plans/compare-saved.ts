import { hasField } from "../contract/offered.ts";
import { fieldsLeftOut } from "../contract/binding.ts";
import { isPrefixed } from "../contract/prefixed-name.ts";
import { kindNamed } from "../kinds/index.ts";
import { locate } from "../kinds/derived/locate.ts";
import { addressOfParent } from "../kinds/derived/parents.ts";
import { mayBeRenamed, withActualReferences } from "../kinds/derived/references.ts";
import type { Kind, Parent } from "../kinds/kind.ts";
import { kindOf, type Address } from "../model/address.ts";
import { isUnknown } from "../model/body.ts";
import type { Contract } from "../model/contract.ts";
import { jsonText } from "../model/json.ts";
import type { Change, Plan, Shown, Step } from "../model/plan.ts";
import type { Desired, Fields, PreparedLive, Resource } from "../model/resource.ts";
import type { SavedCall, SavedPlan, SavedStep } from "../model/saved-plan.ts";
import { differs } from "../plan/compare-values.ts";
import { showLive, showValue } from "../plan/shown.ts";
import { approvalsOf, isKept, type Approval } from "./approval.ts";
import { canonicalJson, isSame } from "./canonical-json.ts";
import { callsNotShown, isWhole } from "./canonical-step.ts";
import { compareMembers } from "./compare-members.ts";
import { comparePutBacks } from "./compare-put-backs.ts";
import { absent, type Difference } from "./describe-difference.ts";
import { idFingerprint, isWritable, writableObjects } from "./fingerprint.ts";
import { isHidden, isShownSame, showDeclared } from "./show-declared.ts";

/** The live and the desired state of now, prepared as the planner compares them. */
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
  const steps = saved.steps.map((step) => withLiveNames(step, now.live));
  const approvalAt = approvalsOf({ ...saved, steps }, now.desired);
  const differences = [
    // What has gone may be impossible to create, so that no step of it remains.
    ...steps.flatMap(({ address }) => (hasGone(approvalAt(address), now.live) ? [isGone(address)] : [])),
    ...remaining.steps.flatMap((step) => compareStep(approvalAt(step.address), step, now)),
    ...comparePutBacks(saved, remaining),
  ];
  const byPlace = new Map(differences.map((each) => [`${each.address} ${each.field} ${canonicalJson(each.is)}`, each]));
  return [...byPlace.values()];
}

/** Gives what a step refers to the names that it has on the server by now. */
function withLiveNames(step: SavedStep, { resources }: PreparedLive): SavedStep {
  const { kind, key } = locate(step.address);
  if (!mayBeRenamed(kind)) return step;
  const nameOf = (parent: Parent, part: string) => resources.get(addressOfParent(parent))?.key[part];
  const changes = step.changes.map((change) => {
    const { path: field, after } = change;
    if (after.is !== "value") return change;
    return { ...change, after: showValue(withActualReferences(kind, { field, value: after.value, key }, nameOf)) };
  });
  return { ...step, changes };
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

/** A remaining step, the approved step that it is the rest of, and the state of its address now. */
interface Rest {
  readonly approval: Approval;
  readonly match: SavedStep;
  readonly is: readonly Fields[];
}

function compareStep(approval: Approval, step: Step, { live, contract }: Now): Difference[] {
  const { address, kind, steps, ids } = approval;
  const { action, purchase } = step;
  const notShown = (text: string): Difference => ({ address, sort: "not_in_plan", was: absent, is: showValue(text) });
  const remotes = writableObjects(kind, live.resources.get(address));
  const objects = remotes.map(({ fields }) => fields);
  const is = kind.members ? objects : objects.slice(0, 1);
  if (hasGone(approval, live)) return [isGone(address)];
  const match = steps.find(({ id }) => id === step.id) ?? steps.find((other) => mayRemain(other, step));
  if (!match || (purchase && !match.purchase)) return [notShown(action)];
  const calls = isWhole(match, step) ? callsNotShown(step.calls, match.calls) : [];
  if (calls.length > 0) return [notShown(calls.join(", "))];
  if (action === "delete" && ids && remotes.some(({ id }) => !ids.includes(idFingerprint(id))))
    return [isAnother(address)];
  const moved = kind.members ? compareMembers(approval, kind.members, is) : findMoved(approval, match, is, contract);
  return moved.length > 0 ? moved : step.changes.flatMap((change) => compareChange({ approval, match, is }, change));
}

/** Whether nothing is left of what was seen, though the plan deletes nothing of it. */
function hasGone({ address, kind, steps, seen }: Approval, { resources }: PreparedLive): boolean {
  const isDeleted = steps.some((each) => each.action === "delete" || (kind.members && each.calls.some(isDeletion)));
  return seen.length > 0 && !isDeleted && writableObjects(kind, resources.get(address)).length === 0;
}

const isDeletion = ({ method }: SavedCall) => method === "DELETE";

/** Of an approved creation an update may remain, of a set's update a creation, of a replace its creation. */
const mayRemain = (approved: SavedStep, { action }: Step) =>
  (approved.action === "create" && action === "update") ||
  (approved.action === "update" && action === "create" && kindNamed(kindOf(approved.address)).members !== undefined);

/** Returns the fields of an object that are neither as they were seen nor as they are declared. */
function findMoved(
  { address, kind, declared, seen: [was] }: Approval,
  { action }: SavedStep,
  [is]: readonly Fields[],
  contract: Contract,
): Difference[] {
  if (!is || (!was && action !== "create")) return [];
  const names = was ? Object.keys(was) : createdFields(contract, kind, declared);
  const { prefixed } = kind.naming;
  const nameIn = (fields: Fields) => (prefixed === undefined ? {} : { [prefixed]: jsonText(fields[prefixed]) });
  // A field of the kind that the API has nothing like is not told, so it cannot have moved.
  const isTold = (field: string) => !Object.hasOwn(kind.fields, field) || hasField(contract, kind, field);
  return names.filter(isTold).flatMap((field): Difference[] => {
    const desired = declared?.fields[field];
    if ((was && isSame(was[field], is[field])) || (desired && !differs(is[field], desired))) return [];
    // An undo is made before the plan that it takes back creates the object, and so before the server puts a prefix to its name.
    if (was && field === prefixed && isPrefixed(contract, kind, nameIn(is), nameIn(was))) return [];
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
function compareChange({ approval, match, is }: Rest, { path, before, after }: Change): Difference[] {
  const { address, kind, steps, seen } = approval;
  const at = ({ changes }: SavedStep) => changes.filter((each) => each.path === path);
  const shown = at(match).length > 0 ? at(match) : steps.flatMap(at);
  const [first] = kind.members ? [] : shown;
  // An object that an undo deletes has fields that the undo could not know; the known ones have been compared.
  if (after.is === "absent" && shown.length === 0 && !kind.members) return [];
  const isShown = after.is === "absent" || shown.some((each) => standsFor(each.after, after, path, approval));
  if (!isShown && !isKept(approval, path, after))
    return [{ address, sort: "not_in_plan", field: path, was: first?.after ?? absent, is: after }];
  // Members have been compared as wholes, and of what the approved steps have made themselves no value was seen.
  const wasNotSeen = kind.members ? path !== "value" || before.is === "absent" : seen.length * is.length === 0;
  if (wasNotSeen || shown.some((each) => isHidden(each.before) || isShownSame(each.before, before))) return [];
  return [{ address, sort: "moved", field: path, was: first?.before ?? absent, is: before }];
}

/** Whether the approval of what is shown covers a value: what is hidden stands for no value that the file writes out. */
const standsFor = (shown: Shown, now: Shown, path: string, { kind, declared }: Approval) =>
  isHidden(shown)
    ? !(declared && showDeclared(kind, declared, path).some((each) => each.is === "value" && isShownSame(each, now)))
    : isShownSame(shown, now);
