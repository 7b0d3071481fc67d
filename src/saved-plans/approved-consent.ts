import { kindNamed } from "../kinds/index.ts";
import { consentFlags } from "../messages/advice.ts";
import type { FlagsToRepeat, RepeatedFlag } from "../messages/findings.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { Consent, Ownership, PlanInput } from "../model/plan-input.ts";
import type { Plan, Step } from "../model/plan.ts";
import type { SavedPlan } from "../model/saved-plan.ts";
import { plan } from "../plan/plan.ts";
import { isRotatable } from "../plan/rotation.ts";
import { countScopes } from "../policy/delete-scopes.ts";
import { isProtectedKind } from "../policy/deletions.ts";
import { refuseUnknownOutcomes, type EarlierRequests } from "../policy/unknown-outcomes.ts";

type ConsentBy = keyof SavedPlan["consent"];
type ConsentedPlan = Pick<SavedPlan, "consent" | "protect" | "refusals" | "steps">;

/** Makes a value for each sort of consent that names addresses. */
export const forConsents = <T>(make: (by: ConsentBy) => T): Readonly<Record<ConsentBy, T>> => ({
  deletes: make("deletes"),
  purchases: make("purchases"),
  retries: make("retries"),
  rotations: make("rotations"),
});

/** Returns the addresses of the deletions among steps, and of the purchases. */
export function costlyAddresses(steps: readonly Step[]) {
  const by = (holds: (step: Step) => boolean) => new Set(steps.filter(holds).map(({ address }) => address));
  return { deleted: by(({ action }) => action === "delete"), bought: by(({ purchase }) => purchase) };
}

/**
 * Returns the consent that the hash of a plan covers. Where nothing is refused, the steps alone decide it, so that two plans are equal
 * however their deletions were consented to.
 */
export function consentInHash({ consent, protect, refusals, steps }: ConsentedPlan): SavedPlan["consent"] {
  if (refusals.length > 0) return consent;
  const { deleted, bought } = costlyAddresses(steps);
  const ofProtectedKinds = [...deleted].filter((address) => isProtectedKind(protect, kindOf(address)));
  const ofUpdates = consent.deletes.filter((address) => !deleted.has(address));
  return { ...consent, deletes: [...ofProtectedKinds, ...ofUpdates], purchases: [...bought] };
}

/** Adds consent to more addresses. */
export const addConsent = (now: Consent, more: Partial<Record<ConsentBy, Iterable<Address>>>): Consent => ({
  ...now,
  ...forConsents((by) => new Set([...now[by], ...(more[by] ?? [])])),
});

/** Adds the consent of whoever approves a plan by its hash: to every deletion and purchase, if nothing of the plan is refused. */
export function withApproved(
  now: Consent,
  { consent: { deletes, purchases }, refusals, steps }: ConsentedPlan,
): Consent {
  const { deleted, bought } = costlyAddresses(refusals.length > 0 ? [] : steps);
  return addConsent(now, { deletes: [...deletes, ...deleted], purchases: [...purchases, ...bought] });
}

/** Returns the consent of an approval that an earlier run has begun: nothing of it counts that is otherwise ours now than it was then. */
export function stillApproved(now: Consent, saved: SavedPlan, inventory: Ownership["inventory"]): Consent {
  const approved = withApproved(now, saved);
  const { deleted } = costlyAddresses(saved.steps);
  const [then, since] = [stateIn(saved), stateIn({ standing: ownedAmong(inventory, deleted) })];
  const moved = new Set([...deleted].filter((address) => then(address) !== since(address)));
  return {
    ...approved,
    deletes: new Set([...approved.deletes].filter((each) => now.deletes.has(each) || !moved.has(each))),
  };
}

const stateIn =
  ({ standing }: Pick<SavedPlan, "standing">) =>
  (address: Address) =>
    `${standing?.ours.includes(address) === true} ${standing?.carried_out.includes(address) === true}`;

/** Returns the part of addresses that is ours, and the part whose entry under `removed:` was carried out; undefined if there is neither. */
export function ownedAmong(inventory: Ownership["inventory"], addresses: ReadonlySet<Address>): SavedPlan["standing"] {
  const among = (some: ReadonlySet<Address> = new Set()) => [...addresses].filter((each) => some.has(each)).sort();
  const standing = { ours: among(inventory?.addresses), carried_out: among(inventory?.removed) };
  return standing.ours.length + standing.carried_out.length > 0 ? standing : undefined;
}

/** A plan, and the input that it is made from. */
interface Consented {
  readonly input: PlanInput;
  readonly plan: Plan;
}

/**
 * Plans with consent to all that a flag with an address can allow. Returns the plan as it was where something stays refused, and where the
 * number of a flag contradicts the plan.
 */
export function consentToRefused(input: PlanInput, made: Plan, requests: EarlierRequests): Consented {
  const isMiscounted = countScopes(input.consent, made.steps).some(
    ({ allowed, deleted }) => deleted.size > 0 && deleted.size !== allowed,
  );
  let found: Consented = { input, plan: made };
  for (let more = isMiscounted ? undefined : allowedBy(found); more; more = allowedBy(found)) {
    const asked = { ...input, consent: more };
    found = { input: asked, plan: refuseUnknownOutcomes(plan(asked), requests) };
  }
  return found.plan.refusals.length === 0 ? found : { input, plan: made };
}

/** Returns the consent of an input with that to what its plan refuses; undefined where no flag with an address allows more. */
function allowedBy({ input: { consent }, plan: { refusals } }: Consented): Consent | undefined {
  const refused = (by: "deletes" | "purchases") =>
    refusals.flatMap(({ flag, address }) =>
      flag === consentFlags[by] && address !== undefined && !consent[by].has(address) ? [address] : [],
    );
  const [deletes, purchases] = [refused("deletes"), refused("purchases")];
  if (deletes.length + purchases.length === 0) return undefined;
  return addConsent(consent, { deletes, purchases });
}

/** Finds the flags that are no part of an approval, and so must be given to the apply as they were to the plan. */
export function flagsToRepeat({ desired, live, consent, selection, ownership }: PlanInput, made: Plan): FlagsToRepeat {
  const { only, except } = selection;
  const declared = [...desired.resources.values()];
  const isLive = declared.filter(({ address }) => live.resources.has(address));
  const mayRotate = isLive.some((resource) => isRotatable(kindNamed(resource.kind), resource));
  const mayRetry = made.diagnostics.some(({ code }) => code === "failed_on_server");
  const canChoose = made.steps.length > 1 || made.refusals.length > 0;
  const flags: readonly (readonly [flag: RepeatedFlag, isGiven: boolean, mayMatter: boolean])[] = [
    ["only", only.length > 0, canChoose],
    ["except", except.length > 0, canChoose],
    ["rotate", consent.rotations.size > 0, mayRotate],
    ["retry", consent.retries.size > 0, mayRetry],
    ["rollback", consent.rollback, ownership.rolledBack],
  ];
  return {
    missing: flags.flatMap(([flag, isGiven, mayMatter]) => (!isGiven && mayMatter ? [flag] : [])),
    given: flags.flatMap(([flag, isGiven]) => (isGiven ? [flag] : [])),
  };
}
