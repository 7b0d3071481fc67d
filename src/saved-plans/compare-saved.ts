import { locate } from "../kinds/derived/collection.ts";
import { parentsOf } from "../kinds/derived/parents.ts";
import { kindNamed } from "../kinds/index.ts";
import { groupBy } from "../lib/collect.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { Contract } from "../model/contract.ts";
import { addressesOf, type Plan, type Shown, type Step } from "../model/plan.ts";
import type { Desired, PreparedLive } from "../model/resource.ts";
import type { SavedPlan } from "../model/saved-plan.ts";
import { absent, showValue } from "../plan/shown.ts";
import { canonicalJson, linesOf } from "./lines.ts";
import { type Difference, difference, findMoved, type Touched, withoutEach } from "./compare-seen.ts";
import { holdsStandIn, idFingerprint } from "./pin-live.ts";
import { writableObjects } from "./plan-possible.ts";

/** The live and the desired state of now, prepared as the planner compares them. */
export interface Now {
  readonly desired: Desired;
  readonly live: PreparedLive;
  readonly contract: Contract;
  /** Whether the last apply may have been one of this plan, and has not come to its end. */
  readonly isInterrupted?: boolean;
}

/**
 * Compares `remaining`, planned now from what a saved plan declares, with the lines of that plan. Each line that remains must be among
 * the approved ones: each action, purchase, change and call. What is done already leaves no line; so each field and member of what is
 * still written must be as it was seen, or as it is declared. From that its put-backs follow. What no remaining step touches is not compared.
 */
export function compareSaved(saved: SavedPlan, remaining: Plan, now: Now): Difference[] {
  const { resources } = now.desired;
  // An undo goes on without what is gone, and lists it.
  const gone = saved.needs.filter(({ address }) => resources.has(address) && !now.live.resources.has(address));
  if (gone.length > 0) return gone.map(({ address }) => difference.gone(address));
  const at = touchedIn(saved, remaining, now);
  // An object that belongs to two others is taken along by the one that goes last.
  const along = new Set(saved.steps.flatMap(({ takesAlong = [] }) => takesAlong));
  return [
    // What has gone may be impossible to create, so that no step of it remains.
    ...saved.steps.flatMap(({ address }) => (hasGone(at(address)) ? [difference.gone(address)] : [])),
    ...remaining.steps.flatMap((step) => compareStep(at(step.address), step, along, now.contract)),
  ];
}

/** Returns the saved steps that the remaining plan no longer contains; a step whose address is still written is not counted, unless it deletes. */
export function satisfiedSteps({ steps }: SavedPlan, remaining: Plan): Step[] {
  const needed = new Set(remaining.steps.map(({ id }) => id));
  const writing = new Set(remaining.steps.flatMap(({ action, address }) => (action === "delete" ? [] : [address])));
  return steps.filter(({ id, action, address }) => !needed.has(id) && (action === "delete" || !writing.has(address)));
}

function touchedIn(
  { steps, was, removals, undo = false }: SavedPlan,
  remaining: Plan,
  { desired, live, isInterrupted = false }: Now,
): (address: Address) => Touched {
  const byAddress = groupBy(steps, ({ address }) => address);
  const removed = new Set(removals.map(({ address }) => address));
  const isReset = resetSince({ steps, was }, remaining);
  return (address) => {
    const { kind, key } = locate(address);
    // Names are those of the address, however the server spells them, and whatever prefix it has put before them.
    const own = kind.naming.toFields(key);
    const objects = ({ resources }: PreparedLive) =>
      writableObjects(kind, resources.get(address))
        .slice(0, kind.members ? undefined : 1)
        .map((remote) => ({ ...remote, fields: { ...remote.fields, ...own } }));
    return {
      address,
      kind,
      isUndo: undo,
      steps: byAddress.get(address) ?? [],
      isReset: isInterrupted && isReset(address),
      declared: removed.has(address) ? undefined : desired.resources.get(address),
      was: objects(was),
      is: objects(live),
    };
  };
}

/**
 * Returns what tells whether an apply of a plan has deleted an address, or all that it belongs to, be it for good: what remains of the plan
 * deletes it no more.
 */
function resetSince({ steps, was }: Pick<SavedPlan, "steps" | "was">, remaining: Plan): (address: Address) => boolean {
  const [approved, open] = [addressesOf(steps, "delete"), addressesOf(remaining.steps, "delete")];
  const isReset = (address: Address): boolean => {
    if (approved.has(address)) return !open.has(address);
    const { kind, key } = locate(address);
    const owners = parentsOf(kind, key, {}).map((each) => each.filter((owner) => was.resources.has(owner)));
    return owners.some((each) => each.length > 0 && each.every(isReset));
  };
  return isReset;
}

/** Whether nothing is there of what was seen, though no step leaves a moment without any of it: an update of a member does not. */
function hasGone({ kind, steps, isReset, was, is }: Touched): boolean {
  const mayEmpty = ({ action, calls }: Step) =>
    action === "delete" ||
    (kind.members !== undefined && calls.filter(({ method }) => method === "DELETE").length >= was.length);
  return was.length > 0 && is.length === 0 && !isReset && !steps.some(mayEmpty);
}

/** Of an approved creation an update may remain, of a set's update a creation. */
const mayRemain = (approved: Step, { action }: Step) =>
  (approved.action === "create" && action === "update") ||
  (approved.action === "update" && action === "create" && kindNamed(kindOf(approved.address)).members !== undefined);

function compareStep(touched: Touched, step: Step, shown: ReadonlySet<Address>, contract: Contract): Difference[] {
  const { address, steps, was, is, isUndo } = touched;
  if (hasGone(touched)) return [difference.gone(address)];
  const match = steps.find(({ id }) => id === step.id) ?? steps.find((other) => mayRemain(other, step));
  if (!match || (step.purchase && !match.purchase)) return [difference.step(address, step.action)];
  // An undo does not know the objects that the server itself makes with another.
  const along = isUndo ? [] : (step.takesAlong ?? []).filter((each) => !shown.has(each));
  if (along.length > 0) return [difference.step(address, `${step.action}, with ${along.join(", ")}`)];
  const ids = was.flatMap(({ id }) => (holdsStandIn(id) ? [] : [id]));
  if (step.action === "delete" && ids.length > 0 && is.some(({ id }) => !ids.includes(idFingerprint(id) as typeof id)))
    return [difference.object(address)];
  const moved = findMoved(touched, match, contract);
  if (moved.length > 0) return moved;
  const unshown = changesNotShown(touched, match, step);
  if (unshown.length > 0) return unshown;
  // A step that is done in part has fewer changes left, and may make other calls.
  const isWhole = match.id === step.id && sidesOf(match).length === sidesOf(step).length;
  const calls = isWhole ? withoutEach(callsOf(step), callsOf(match), (known, call) => known === call) : [];
  return calls.length > 0 ? [difference.step(address, calls.join(", "))] : [];
}

const callsOf = (step: Step): string[] =>
  linesOf(step).flatMap((line) => (line.is === "call" ? [`${line.method} ${line.path}`] : []));

/** One side of a change: the value that a field gets, or one that goes. */
interface Side {
  readonly path: string;
  readonly goes: boolean;
  readonly shown: Shown;
}

/** Returns the values that a step brings, and of a set those that it takes away. */
function sidesOf({ address, changes }: Step): Side[] {
  const isSet = kindNamed(kindOf(address)).members !== undefined;
  return changes
    .flatMap(({ path, before, after }): Side[] => [
      { path, goes: false, shown: after },
      ...(isSet && path === "value" ? [{ path, goes: true, shown: before }] : []),
    ])
    .filter(({ shown }) => shown.is !== "absent");
}

/**
 * Returns the changes of a remaining step that the approved steps do not show. Each side of a shown change stands for one: which value
 * of a set makes room for which depends on what is done already. The old value of a single field has been compared as it was seen.
 */
function changesNotShown({ address, kind, steps, was }: Touched, match: Step, step: Step): Difference[] {
  const approved = [match, ...steps.filter((other) => other !== match)];
  const free = approved.flatMap(sidesOf);
  const take = ({ path, goes, shown }: Side) => {
    const fits = (side: Side) => side.path === path && side.goes === goes;
    const exact = free.findIndex((side) => fits(side) && isShownSame(side.shown, shown));
    const index = exact < 0 ? free.findIndex((side) => fits(side) && isHidden(side.shown)) : exact;
    if (index >= 0) free.splice(index, 1);
    return index >= 0;
  };
  // All members are written anew with the value that they share, and so with that of one that was seen.
  const isKept = ({ path, shown }: Side) =>
    kind.members?.shared.includes(path) === true &&
    was.some(({ fields }) => isShownSame(showValue(fields[path]), shown));
  const unshown = sidesOf(step).filter((side) => !take(side) && !isKept(side));
  const at = (path: string) => approved.flatMap(({ changes }) => changes.filter((each) => each.path === path));
  return unshown.map(({ path, goes, shown }) => {
    const [first] = kind.members ? [] : at(path);
    return goes
      ? difference.value(address, path, absent, shown)
      : difference.change(address, path, first?.after ?? absent, shown);
  });
}

const isHidden = ({ is }: Shown): boolean => is === "sensitive" || is === "known_after_apply";
const isShownSame = (a: Shown, b: Shown): boolean => canonicalJson(a) === canonicalJson(b);
