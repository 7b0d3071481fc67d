import { offers } from "../contract/binding.ts";
import { kindNamed, kinds } from "../kinds/index.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Plan, Step } from "../model/plan.ts";
import type { LiveResource } from "../model/resource.ts";
import { nothing, type PlanInput, type Planned, type Planning } from "./context.ts";
import { addressOfParent, parentsOf } from "../kinds/derived/parents.ts";
import { guardSteps } from "./guards.ts";
import { matchPrefixed } from "./match.ts";
import { orderSteps } from "./order.ts";
import { noLongerDeclared, originOf } from "./origin.ts";
import { planDeletion } from "./plan-deletions.ts";
import { planMembers } from "./plan-members.ts";
import { planResource } from "./plan-resource.ts";
import { resolveReferences } from "./resolve-references.ts";

/** What must be done so that the live state becomes the desired one. Pure: the same input gives the same plan, byte for byte. */
export function plan(given: PlanInput): Plan {
  const { desired, live, notices } = matchPrefixed(
    resolveReferences(given.desired, given.live),
    given.live,
    given.contract,
  );
  const input = { ...given, desired, live };
  const planned = planAll(input);
  const steps = planned.flatMap((each) => each.steps);
  const ordered = orderSteps(input, steps);
  const touched = new Set(steps.map(({ address }) => address));
  const refusals = [...planned.flatMap((each) => each.refusals), ...guardSteps(input, steps)];
  return {
    target: input.target,
    steps: ordered.ok ? ordered.steps.map((step) => withOrigin(input, step)) : [],
    refusals: refusals.toSorted((a, b) => (a.address < b.address ? -1 : a.address > b.address ? 1 : 0)),
    diagnostics: [
      ...notices,
      ...noLongerDeclared(input),
      ...planned.flatMap((each) => each.diagnostics),
      ...(ordered.ok ? [] : [cycleDiagnostic(ordered.cycle)]),
    ],
    unmanaged: unmanaged(input, touched),
    incomplete: [...input.live.collections.values()].flatMap(({ id, incomplete }) =>
      incomplete === undefined ? [] : [{ collection: id, reason: incomplete }],
    ),
    unchanged: [...input.desired.resources.keys()].filter(
      (address) => input.live.resources.has(address) && !touched.has(address),
    ).length,
    owned: { addresses: [], preventDestroy: [] },
    leftOut: [],
    ignoredSpellings: [],
    reads: input.live.reads,
  };
}

function withOrigin(input: PlanInput, step: Step): Step {
  const origin = originOf(input, step);
  return origin === undefined ? step : { ...step, origin };
}

/**
 * Plans every resource; where some are replaced, once more: what belongs to them alone is made anew with them, and what refers to
 * them waits for their new id.
 */
function planAll(input: PlanInput): Planned[] {
  const broughtBy = broughtAlong(input);
  const idOf = (address: Address) => input.live.resources.get(address)?.remotes[0]?.id;
  const first = planEach({ ...input, broughtBy, idOf, replacedWith: new Map() });
  const replaced = new Set(
    first.flatMap(({ steps }) => steps.filter(({ replaces }) => replaces).map(({ address }) => address)),
  );
  if (replaced.size === 0) return first;
  const replacedWith = belongings(input, replaced);
  const anew = (address: Address) => replaced.has(address) || replacedWith.has(address);
  return planEach({
    ...input,
    broughtBy,
    idOf: (address) => (anew(address) ? undefined : idOf(address)),
    replacedWith,
  });
}

function planEach(input: Planning): Planned[] {
  const { desired, live } = input;
  const kept = [...desired.resources.values()].map((resource) => {
    const kind = kindNamed(resource.kind);
    const current = live.resources.get(resource.address);
    return kind.members
      ? planMembers(input, kind, kind.members, resource, current)
      : planResource(input, kind, resource, current);
  });
  const others = [...live.resources.values()].filter(({ address }) => !desired.resources.has(address));
  return [...kept, ...others.map((resource) => planDeletion(input, resource))].filter((each) => each !== nothing);
}

/** The declared resources that cannot stay when others are replaced, each with the one it belongs to; theirs in turn too. */
function belongings({ desired, live, contract }: PlanInput, replaced: ReadonlySet<Address>): Map<Address, Address> {
  const found = new Map<Address, Address>();
  const gone = (address: Address) => replaced.has(address) || found.has(address);
  // Kinds are in the list parents before children, so that one pass sees each parent before what belongs to it.
  for (const kind of kinds) {
    if (!offers(contract, kind, "create") || !offers(contract, kind, "delete")) continue;
    for (const { address, key, fields } of desired.resources.values()) {
      if (kindOf(address) !== kind.name || !live.resources.has(address) || gone(address)) continue;
      const owner = parentsOf(kind, key, kind.needs ? fields : {}).find(
        (alternatives) =>
          alternatives.some(gone) && !alternatives.some((other) => live.resources.has(other) && !gone(other)),
      );
      const [parent] = owner?.filter(gone) ?? [];
      if (parent !== undefined) found.set(address, parent);
    }
  }
  return found;
}

/** What the creations of this plan bring along, and by which resource. */
function broughtAlong({ desired, live }: PlanInput): Map<Address, Address> {
  const created = [...desired.resources.values()].filter(({ address }) => !live.resources.has(address));
  return new Map(
    created.flatMap(({ address, kind, key, fields }) =>
      (kindNamed(kind).brings?.(key, fields) ?? []).map((parent) => [addressOfParent(parent), address] as const),
    ),
  );
}

function unmanaged({ desired, live }: PlanInput, touched: ReadonlySet<Address>): Plan["unmanaged"] {
  return [...live.collections.values()]
    .flatMap(({ id, addresses }) => {
      const left = addresses.filter(
        (address) =>
          !desired.resources.has(address) && !touched.has(address) && !isPlatformOwned(live.resources.get(address)),
      );
      return left.length === 0 ? [] : [{ collection: id, addresses: left.sort() }];
    })
    .toSorted((a, b) => (a.collection < b.collection ? -1 : 1));
}

function isPlatformOwned(resource: LiveResource | undefined): boolean {
  return (
    resource !== undefined &&
    resource.remotes.every(({ fields }) => kindNamed(resource.kind).platformOwned?.(fields) === true)
  );
}

function cycleDiagnostic(cycle: readonly Step["id"][]): Diagnostic {
  return {
    severity: "error",
    code: "cycle",
    summary: `The changes wait for each other in a circle: ${cycle.join(" → ")}`,
    hint: "break it by applying one of them first, from a manifest without the others",
  };
}
