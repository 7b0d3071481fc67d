import { refusals, refusedEntry, type Refusal } from "../messages/refusals.ts";
import { isWhollyPlatformOwned, isOff, ownObjects } from "../kinds/derived/server-made.ts";
import { collectionAt, locate, collectionOf } from "../kinds/derived/collection.ts";
import { findKind, kindNamed } from "../kinds/index.ts";
import { kindOf, toAddress, type Address } from "../model/address.ts";
import { addressesOf, type Step } from "../model/plan.ts";
import type { CollectionId, CollectionPolicy, LiveResource } from "../model/resource.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { countScopes, isNamed, scopeText, type CountedScope } from "./delete-scopes.ts";
import { deletionsWithoutLoss } from "./lost-answers.ts";
import { addTo, getOrMake } from "../lib/collect.ts";
import { withoutPrefix } from "../contract/binding.ts";
import { bindAddress } from "../contract/bound-kind.ts";
import { offers } from "../contract/entry.ts";
import type { Contract } from "../model/contract.ts";
import { isListedByName } from "../contract/taken-values.ts";
import { ignoringPatterns } from "../kinds/derived/matches-ignore.ts";

/** The share of resources that may go without being named, where the manifest does not say. */
const defaultBudget = "10%";

interface DeletionRules {
  readonly input: PlanInput;
  readonly steps: readonly Step[];
  readonly counts: readonly CountedScope[];
}

/**
 * Deletions that need naming (`--allow-delete`) and are not named. One reason each: the first that holds; what one rule refuses
 * is not a concern of the next, since it will be named or taken out.
 * @param staying the addresses that no consent deletes, and those that wait for them: a number does not count them.
 */
export function deletionsWithoutConsent(
  input: PlanInput,
  steps: readonly Step[],
  staying: ReadonlySet<Address>,
): Refusal[] {
  const deletions = steps.filter(({ action }) => action === "delete");
  const possible = steps.filter(({ address }) => !staying.has(address));
  const going: DeletionRules = { input, steps, counts: countScopes(input.consent, possible) };
  const unnamed = deletions.filter((step) => !isNamed(input.consent, going.counts, step));
  // A number that contradicts the plan was not meant for it, whatever git says.
  const contradicted = miscounted(
    going,
    unnamed.filter((step) => isCommitted(input, step)),
  );
  let open = unnamed.filter((step) => !isCommitted(input, step));
  const found = [
    carriedOutBefore,
    miscounted,
    ofProtectedKinds,
    byOtherReading,
    byFirstExclusive,
    emptying,
    overBudget,
  ].flatMap((rule) => {
    const refused = open.length === 0 ? [] : rule(going, open);
    const refusedAddresses = new Set(refused.map(({ address }) => address));
    const entries = new Set(open.filter((step) => isEntry(input, step)).map(({ address }) => address));
    open = open.filter(({ address }) => !refusedAddresses.has(address));
    return refused.map((each) => (each.address && entries.has(each.address) ? withReason(input, each) : each));
  });
  return [...contradicted, ...found];
}

/** Returns whether an entry under `removed:` asks for a deletion, as far as consent by an entry goes. */
const isEntry = (input: PlanInput, step: Step) => !step.replaces && deletionCause(input, step) === "removed";

/** Says why the entry that asks for a deletion does not allow it. */
function withReason({ ownership, desired }: PlanInput, refusal: Refusal): Refusal {
  const why = refusal.address && ownership.uncounted?.get(refusal.address);
  return why ? refusedEntry(refusal, why, refusal.address && desired.removed.get(refusal.address)?.at?.file) : refusal;
}

/** Whether an entry under `removed:` that is committed consents to a deletion: to that of its own address, and to no replacement. */
export const isCommitted = (input: PlanInput, step: Step): boolean =>
  input.ownership.removals?.has(step.address) === true &&
  step.action === "delete" &&
  !step.replaces &&
  input.desired.removed.get(step.address)?.action === "delete";

/** An entry under `removed:` consents once: what exists again was made by someone since. */
function carriedOutBefore({ input }: DeletionRules, open: readonly Step[]): Refusal[] {
  const done = input.ownership.inventory?.removed;
  return open
    .filter((step) => done?.has(step.address) === true && deletionCause(input, step) === "removed")
    .map(refusals.carriedOutBefore);
}

/** `SCOPE=N` holds for exactly N: any other number is not what was meant. */
function miscounted({ counts }: DeletionRules, open: readonly Step[]): Refusal[] {
  return open.flatMap((step) => {
    const wrong = counts.find(({ deleted }) => deleted.has(step.address));
    if (!wrong) return [];
    const { scope, allowed: allows, deleted } = wrong;
    const isKind = findKind(scope) !== undefined;
    return [refusals.miscounted(step, { scope: scopeText(scope), isKind, allows, size: deleted.size })];
  });
}

/** Whether the deletion of a kind needs consent: by itself, or because the manifest protects it. */
export const isProtectedKind = (protect: readonly string[], kind: string): boolean =>
  kindNamed(kind).guard?.protected === true || protect.includes(kind);

/** Kinds that hold data, cost money or can black out a domain. */
function ofProtectedKinds({ input: { desired } }: DeletionRules, open: readonly Step[]): Refusal[] {
  return open.filter(({ address }) => isProtectedKind(desired.protect, kindOf(address))).map(refusals.ofProtectedKind);
}

/** A name that is read in another way than before would move what is ours: the same key then means another record. */
function byOtherReading({ steps }: DeletionRules, open: readonly Step[]): Refusal[] {
  const created = addressesOf(steps, "create");
  return open.flatMap((step) => {
    const { kind, key } = locate(step.address);
    const { addressParts, relative } = kind.naming;
    const other = relative && toAddress(kind.name, addressParts(relative.otherReading(key)));
    if (other === undefined || !created.has(other)) return [];
    return [refusals.byOtherReading(step, other)];
  });
}

/** `exclusive` on a collection that was not so at the last apply: whatever was there before would go. */
function byFirstExclusive({ input }: DeletionRules, open: readonly Step[]): Refusal[] {
  const exclusive = open.filter((step) => deletionCause(input, step) === "exclusive");
  if (exclusive.length === 0) return [];
  const { inventory } = input.ownership;
  return exclusive
    .filter(({ address }) => inventory?.exclusive?.has(collectionAt(address)) !== true)
    .map((step) => refusals.firstExclusive(step, inventory !== undefined));
}

/** The last of a collection goes only by name: a source that could not be read looks just like that. */
function emptying({ input, steps }: DeletionRules, open: readonly Step[]): Refusal[] {
  const deleted = addressesOf(steps, "delete");
  const filled = new Set(steps.filter(({ action }) => action === "create").map(({ address }) => collectionAt(address)));
  const isEmptied = (id: CollectionId) =>
    !filled.has(id) &&
    (input.live.collections.get(id)?.addresses ?? []).every(
      (address) => deleted.has(address) || isWhollyPlatformOwned(input.live.resources.get(address)),
    );
  const emptied = new Map<CollectionId, boolean>();
  return open.flatMap((step) => {
    if (!isUndeclared(input, step)) return [];
    const id = collectionAt(step.address);
    return getOrMake(emptied, id, () => isEmptied(id)) ? [refusals.emptied(step, id)] : [];
  });
}

/** Deletions beyond the manifest's `max_deletes`, in one collection or in all. */
function overBudget({ input, steps }: DeletionRules, open: readonly Step[]): Refusal[] {
  const { live, desired } = input;
  const limit = desired.maxDeletes ?? defaultBudget;
  const changes = deletionsWithoutLoss(input, steps);
  const counted = open.filter((step) => isUndeclared(input, step) && !changes.has(step.address));
  const byCollection = new Map<CollectionId, Step[]>();
  for (const step of counted) addTo(byCollection, collectionAt(step.address), step);
  const size = (id: CollectionId) => live.collections.get(id)?.addresses.length ?? 0;
  const all = [...byCollection.keys()].reduce((sum, id) => sum + size(id), 0);
  if (counted.length > budget(limit, all)) return tooMany(counted, all, limit);
  return [...byCollection].flatMap(([id, going]) =>
    going.length > budget(limit, size(id)) ? tooMany(going, size(id), limit) : [],
  );
}

function tooMany(going: readonly Step[], all: number, limit: number | string): Refusal[] {
  const [kind, ...others] = new Set(going.map(({ address }) => kindOf(address)));
  const what = { going: going.length, all, kind: others.length === 0 ? kind : undefined, limit };
  return going.map((step) => refusals.overBudget(step, what));
}

/** Returns the number of resources that may go: a number as it is; of a percentage at least three. */
function budget(maxDeletes: number | string, size: number): number {
  return typeof maxDeletes === "number"
    ? maxDeletes
    : Math.max(3, Math.floor((size * Number.parseInt(maxDeletes, 10)) / 100));
}

/** Whether a deletion follows only from what is not declared: one that `removed:` names was meant, and a replace leaves no hole. */
export const isUndeclared = (input: PlanInput, step: Step) =>
  !step.replaces && deletionCause(input, step) !== "removed";

function deletionCause(input: PlanInput, { address }: Step) {
  const live = input.live.resources.get(address);
  return live && causeOfDeletion(input, live);
}

/** Why a live resource that is not declared is deleted: `removed:` names it, it is ours, or its collection is exclusive. */
export type DeletionCause = "removed" | "ours" | "exclusive";

/** Why a live resource is to go; undefined where it is not. */
export function causeOfDeletion(
  input: Pick<PlanInput, "desired" | "contract" | "ownership">,
  live: LiveResource,
): DeletionCause | undefined {
  const { desired, ownership } = input;
  const kind = kindNamed(live.kind);
  const named = desired.removed.get(live.address);
  if (desired.resources.has(live.address) || ownObjects(kind, live.remotes).length === 0 || isOff(live))
    return undefined;
  if (named) return named.action === "delete" ? "removed" : undefined;
  if (ownership.isUndecided === true) return undefined;
  if (ownership.inventory?.addresses.has(live.address) === true) return "ours";
  // Hostform may not be able to make an object again that the contract does not name.
  const isKnown = isListedByName(input.contract, kind, live.key);
  const isKept = !isKnown || kind.serverMade?.mayBeOwn?.(live.key) === true;
  const exclusive = policyOf(input, live)?.exclusive === true && offers(input.contract, kind, "delete") && !isKept;
  return exclusive && ignoringGlob(input, live) === undefined ? "exclusive" : undefined;
}

/** Returns the policy for the collection of a live resource; undefined where the manifest says nothing of that. */
export const policyOf = (
  { desired }: Pick<PlanInput, "desired">,
  { kind, key }: LiveResource,
): CollectionPolicy | undefined => desired.collections.get(collectionOf(kindNamed(kind), key).id);

/** Returns the manifest's `ignore` pattern that names this resource, by one of the names that it has for a person. */
export function ignoringGlob(input: Pick<PlanInput, "desired" | "contract">, live: LiveResource): string | undefined {
  const policy = policyOf(input, live);
  if (!policy || policy.ignore.length === 0) return undefined;
  const [place] = placesIgnoring(input.contract, policy, live);
  return place === undefined ? undefined : policy.ignore[place];
}

/** Returns the places of the patterns that name a resource: as the server does, as it is ours, or without a prefix of the server. */
export function placesIgnoring(contract: Contract, policy: CollectionPolicy, { key, address }: LiveResource) {
  const { kind, key: ours } = bindAddress(contract, address);
  return [key, ours, ...withoutPrefix(kind, key)].flatMap((each) => [...ignoringPatterns(kind, policy, each)]);
}
