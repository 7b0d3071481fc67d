import { bindKind, type BoundAddress, type BoundKind } from "../contract/bound-kind.ts";
import { broughtBy } from "../kinds/derived/server-made.ts";
import { collectionAt } from "../kinds/derived/collection.ts";
import { kindNamed, kinds } from "../kinds/index.ts";
import { describeUnoffered, lacksField, offeredPart, unofferedPart } from "../contract/offered.ts";
import type { Address } from "../model/address.ts";
import { openFields } from "../model/body.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Plan, Step } from "../model/plan.ts";
import { idsIn, nothing, type Planned, type Planning, type PreparedInput } from "./context.ts";
import { isPartial, type Ownership, type PlanInput } from "../model/plan-input.ts";
import type { Desired, Live } from "../model/resource.ts";
import { findAfterRequests, warnOfDue } from "./after-requests.ts";
import { byAddress } from "./drift.ts";
import { findBelongings, madeAnew, takenAlong } from "./belongings.ts";
import { planPutBacks } from "./find-exchanges.ts";
import { guardSteps } from "../policy/guard-steps.ts";
import { warnOfRefusedKey } from "../policy/refused-key.ts";
import { noticeMissedApply } from "../policy/rollback.ts";
import { inheritValues, resolveReferences, prepare, forgetReferences } from "./prepare.ts";
import { leaveIgnored } from "./compare-fields.ts";
import { orderSteps } from "../order/order.ts";
import { noLongerDeclared, originOf, revertedBy } from "./origin.ts";
import { findStaying } from "./staying-objects.ts";
import { adoptedBy, ownedWhenDone } from "./owned-when-done.ts";
import { planDeletion, removedAlready } from "./plan-deletions.ts";
import { planResource } from "./plan-resource.ts";
import { refuseBelowUnseen, refuseUnfound } from "./unseen-parents.ts";
import { spellingDifferences } from "./spelling-differences.ts";
import { rotationMistakes } from "./rotation.ts";
import { selectSteps, type Selected } from "./select.ts";
import { unknownStatuses, weakLists } from "./live-notices.ts";
import { findUnmanaged, undeclaredIn, unmatchedPatterns } from "./unmanaged.ts";
import { unusedConsent } from "../policy/consent.ts";

/**
 * Plans the steps that turn the live state into the desired one. Pure: the same input gives the same plan, byte for byte.
 * @param order puts the steps into their order; the engine gives a function that also measures it.
 */
export function plan(asked: PlanInput, order = orderSteps): Plan {
  const given = { ...asked, desired: offeredPart(asked.contract, asked.desired) };
  const { desired, live, notices, refusals: unclear } = prepare(given);
  const ownership = withInheritedValues(given.ownership, live);
  const declared = { ...given, desired, live, ownership };
  const input = { ...declared, desired: leaveIgnored(desired, live), undeclared: undeclaredIn(declared) };
  const mayBeDeclared = new Set(unclear.flatMap(({ from }) => from.data));
  // It may be what the manifest declares under a shorter name: nothing is done to it until a person has said so.
  const planned = planToTheEnd(input).filter(({ address }) => !mayBeDeclared.has(address));
  const all = planned.flatMap((each) => each.steps);
  const ordered = order(input, all);
  const chosen = selectSteps(input, ordered.ok ? ordered.steps : all);
  const selected = { ...chosen, steps: withTakenAlong(input, chosen) };
  const concerned = planned.filter(({ address }) => selected.concerns(address));
  const along = selected.steps.flatMap(({ takesAlong = [] }) => takesAlong);
  const touched = new Set([...all.map(({ address }) => address), ...along]);
  const staying = findStaying(input, touched);
  const owned = ownedWhenDone(declared, selected.steps, selected.includes, staying);
  const reverted = revertedBy(declared, selected.steps, owned);
  const refusals = [
    ...unclear.filter(({ address }) => address === undefined || selected.includes(address)),
    ...concerned.flatMap((each) => each.refusals),
    ...guardSteps(input, selected.steps, reverted),
  ];
  const afterRequests = findAfterRequests(input, selected.steps, selected.includes);
  const lacking = unoffered(asked);
  const circle = ordered.ok ? [] : [cycleDiagnostic(ordered.cycle)];
  const inCircle = ordered.ok ? [] : all.filter(({ id }) => ordered.cycle.includes(id));
  const mistaken = [
    ...lacking,
    ...concerned.flatMap(({ address, diagnostics }) => diagnostics.map((each) => [address, each] as const)),
    ...circle.flatMap((each) => inCircle.map(({ address }) => [address, each] as const)),
  ].flatMap(([address, { severity, summary }]) => (severity === "error" ? [[address, summary] as const] : []));
  const removed = removedAlready(input).filter(({ address }) => selected.includes(address) && !staying.has(address));
  return {
    target: input.target,
    ...(asked.desired.variables && { variables: asked.desired.variables }),
    steps: ordered.ok ? planPutBacks(input, selected.steps).map((step) => withOrigin(declared, step)) : [],
    // A refusal of the plan as a whole comes first.
    refusals: refusals.toSorted(byAddress),
    diagnostics: [
      // It may be the cause of all others.
      ...noticeMissedApply(input, reverted),
      ...notices,
      ...warnOfRefusedKey(asked.live),
      ...lacking.map(([, diagnostic]) => diagnostic),
      ...selected.diagnostics,
      ...noLongerDeclared(declared),
      ...[...staying].flatMap(([address, notice]) => (selected.includes(address) ? [notice] : [])),
      ...concerned.flatMap((each) => each.diagnostics),
      ...weakLists(input),
      ...warnOfDue(input, afterRequests),
      ...rotationMistakes(input),
      ...removed.map(({ diagnostic }) => diagnostic),
      ...unusedConsent(input, selected.steps),
      ...unmatchedPatterns(input),
      ...unknownStatuses(input, selected.includes),
      ...circle,
    ],
    ...(mistaken.length > 0 && { mistaken: new Map(mistaken.toReversed()) }),
    unmanaged: findUnmanaged(input, touched),
    incomplete: incompleteCollections(input, selected),
    unchanged: countUnchanged(input, touched),
    owned,
    ...adoptedBy(declared, selected.steps, owned),
    ...(afterRequests.length > 0 && ordered.ok && { afterRequests }),
    leftOut: selected.leftOut,
    ignoredSpellings: spellingDifferences(input.desired, input.live, input.contract),
    reads: input.live.reads,
  };
}

/** Counts the resources that are declared and live, and that no step changes. */
function countUnchanged({ desired, live, undeclared }: PreparedInput, touched: ReadonlySet<Address>): number {
  const changed = [...touched].filter((address) => live.resources.has(address) && desired.resources.has(address));
  return live.resources.size - undeclared.length - changed.length;
}

/** Gives what other commits declared the values that it inherits, as what is compared with it has them. */
function withInheritedValues({ missed, declaredThen, ...ownership }: Ownership, live: Live): Ownership {
  const inherit = (desired: Desired | undefined) => desired && inheritValues(resolveReferences(desired, live), live);
  return {
    ...ownership,
    ...(missed && { missed: { ...missed, there: inherit(missed.there), base: inherit(missed.base) } }),
    declaredThen: inherit(declaredThen),
  };
}

/** The mistakes of declaring what the API does not offer. Where a contract is known, a manifest is checked for them before. */
function unoffered({ contract, desired }: PlanInput): (readonly [Address, Diagnostic])[] {
  const poor = new Set(kinds.filter((kind) => lacksField(contract, kind)).map(({ name }) => name));
  if (poor.size === 0) return [];
  return [...desired.resources.values()].flatMap((resource) => {
    const part = poor.has(resource.kind) ? unofferedPart(contract, resource) : undefined;
    return part ? [[resource.address, { ...describeUnoffered(contract, resource, part), at: resource.at }]] : [];
  });
}

/** The collections whose lists are incomplete, sorted, of those that the run is about. */
function incompleteCollections({ live, desired, selection }: PlanInput, { includes }: Selected): Plan["incomplete"] {
  const broken = [...live.collections.values()]
    .flatMap(({ id, incomplete }) => (incomplete === undefined ? [] : [{ collection: id, reason: incomplete }]))
    .toSorted((a, b) => (a.collection < b.collection ? -1 : 1));
  if (broken.length === 0 || !isPartial(selection)) return broken;
  const known = [...desired.resources.keys(), ...live.resources.keys(), ...desired.removed.keys()];
  const concerned = new Set(known.filter(includes).map(collectionAt));
  return broken.filter(({ collection }) => concerned.has(collection));
}

function withOrigin(input: PlanInput, step: Step): Step {
  const origin = originOf(input, step);
  return origin === undefined ? step : { ...step, origin };
}

/** Plans once more if resources to which others refer are created again: those others are written with values that only apply will know. */
function planToTheEnd(input: PreparedInput): PlannedAt[] {
  const planned = planAll(input);
  const steps = planned.flatMap((each) => each.steps);
  const desired = forgetReferences(input.desired, madeAnew(input, steps), input.contract);
  return desired === input.desired ? planned : planToTheEnd({ ...input, desired });
}

/**
 * Plans every resource; where some are replaced, once more: what belongs to them alone is created again with them, and what refers to
 * them waits for their new id.
 */
function planAll(input: PreparedInput): PlannedAt[] {
  const asked = { ...input, implicitlyCreatedBy: broughtAlong(input) };
  const idOf = idsIn(input.live);
  const first = planEach({ ...asked, idOf, replacedWith: new Map(), detached: new Map(), removed: new Set() });
  const steps = first.flatMap((each) => each.steps);
  const replaced = new Set(steps.filter(({ replaces }) => replaces).map(({ address }) => address));
  if (replaced.size === 0) return first;
  const belongings = findBelongings(input, steps);
  const isCreatedAgain = (address: Address) => replaced.has(address) || belongings.replacedWith.has(address);
  return planEach({
    ...asked,
    idOf: (address, at) => (isCreatedAgain(address) ? undefined : idOf(address, at)),
    ...belongings,
  });
}

/** Adds what goes with each selected step. Both halves of a replace tell what goes with the first. */
function withTakenAlong(input: PreparedInput, selected: Selected): readonly Step[] {
  const along = takenAlong(input, selected);
  if (along.size === 0) return selected.steps;
  return selected.steps.map((step) => {
    const takesAlong = along.get(step.address);
    return takesAlong ? { ...step, takesAlong } : step;
  });
}

interface PlannedAt extends Planned {
  readonly address: Address;
}

function planEach(input: Planning): PlannedAt[] {
  const { contract, desired, live } = input;
  const all: PlannedAt[] = [];
  const add = (kind: BoundKind, { address, key }: Pick<BoundAddress, "address" | "key">, planned: Planned) => {
    if (planned !== nothing) all.push({ ...refuseUnfound(input, { address, kind, key }, planned), address });
  };
  for (const resource of desired.resources.values()) {
    const kind = bindKind(contract, resource.kind);
    const current = live.resources.get(resource.address);
    const planned = planResource(input, kind, resource, current);
    if (planned !== nothing) add(kind, resource, refuseBelowUnseen(input, kind, resource, planned));
  }
  for (const resource of input.undeclared) {
    const kind = bindKind(contract, resource.kind);
    add(kind, resource, planDeletion(input, kind, resource));
  }
  return all;
}

/** Finds the resources that creations of this plan bring along, each with the resource that brings it. */
function broughtAlong({ desired, live }: PlanInput): Map<Address, Address> {
  const brought = new Map<Address, Address>();
  for (const { address, kind: name, key, fields } of desired.resources.values()) {
    const kind = kindNamed(name);
    if (!kind.serverMade?.creates || live.resources.has(address)) continue;
    for (const other of broughtBy(kind, key, openFields(fields))) brought.set(other, address);
  }
  return brought;
}

function cycleDiagnostic(cycle: readonly Step["id"][]): Diagnostic {
  return {
    severity: "error",
    code: "cycle",
    summary: `The changes depend on each other in a circle: ${cycle.join(" → ")}`,
    hint: "apply one of them first, with the others removed from the manifest",
  };
}
