import { collectionAt, normaliseAddress } from "../kinds/derived/collection.ts";
import { addressOfParent } from "../kinds/derived/parents.ts";
import { kindNamed } from "../kinds/index.ts";
import { offers } from "../contract/entry.ts";
import type { Kind, Parent } from "../kinds/kind.ts";
import { kindOf, type Address } from "../model/address.ts";
import { bodiesOf, holdsSecrets, secretFields } from "../model/body.ts";
import { addressOfMark, emptyInventory } from "../model/inventory.ts";
import { addressesOf, goneAfter, type Plan, type Step } from "../model/plan.ts";
import type { CollectionId, Live, Resource } from "../model/resource.ts";
import { isPartial, type Ownership, type PlanInput } from "../model/plan-input.ts";
import { addTo, getOrMake } from "../lib/collect.ts";
import { isWriteOnly } from "../kinds/derived/field-access.ts";

type Inventory = NonNullable<Ownership["inventory"]>;

/**
 * Returns the inventory once all steps are done: resources declared and managed, or ours before and neither deleted, forgotten
 * nor known to be gone. Addresses that are not selected stay in it, or out of it, as they were.
 * @param left addresses whose object may be there though no list shows it under them.
 */
export function ownedWhenDone(
  input: PlanInput,
  steps: readonly Step[],
  isSelected: (address: Address) => boolean,
  staying: ReadonlyMap<Address, unknown>,
): Plan["owned"] {
  const { desired, live, ownership } = input;
  const isAbsent = (address: Address) => !staying.has(address) && isGone(live, address);
  const isGivenUp = (address: Address) => desired.removed.get(address)?.action === "forget" || isAbsent(address);
  const before = ownership.inventory ?? emptyInventory;
  const made = addressesOf(steps, "create");
  const deleted = goneAfter(steps);
  const holders = findHolders(desired.resources.values());
  const owned: Owned[] = [];
  for (const [address, declared] of desired.resources) {
    const wasOurs = before.addresses.has(address);
    const isOurs = wasOurs || isManaged(declared) || made.has(address) || holders.has(address);
    if (isSelected(address) ? isOurs : wasOurs)
      owned.push({ address, declared: isSelected(address) ? declared : undefined });
  }
  for (const address of before.addresses) {
    if (desired.resources.has(address)) continue;
    const stays = !deleted.has(address) && !isGivenUp(address);
    if (stays || !isSelected(address)) owned.push({ address, declared: undefined });
  }
  const isKept = ({ address, declared }: Owned) =>
    declared ? declared.lifecycle?.preventDestroy === true : before.preventDestroy.has(address);
  const removed = carriedOut(input, (address) => isSelected(address) && (deleted.has(address) || isAbsent(address)));
  const forgotten = [...(ownership.declaredLast ?? [])].filter(
    (address) => isSelected(address) && !desired.resources.has(address) && isGivenUp(address),
  );
  const marks = secretFieldsAfter(owned, before);
  return {
    addresses: owned.map(({ address }) => address).sort(),
    preventDestroy: owned.flatMap((each) => (isKept(each) ? [each.address] : [])).sort(),
    exclusive: exclusiveAfter(input),
    ...(marks.length > 0 && { secretFields: marks }),
    ...(removed.length > 0 && { removed }),
    ...(forgotten.length > 0 && { forgotten }),
  };
}

/** Our resources once all is done; `declared` is there where this run decides on it. */
interface Owned {
  readonly address: Address;
  readonly declared: Resource | undefined;
}

/** Entries under `removed:` whose resource is gone once the steps are done. One that was carried out stays so until it is taken out. */
function carriedOut({ desired, ownership }: PlanInput, isDoneNow: (address: Address) => boolean): Address[] {
  const before = ownership.inventory?.removed;
  const isDone = (address: Address) => before?.has(address) === true || isDoneNow(address);
  return [...desired.removed.values()]
    .flatMap(({ address, action }) => (action === "delete" && isDone(address) ? [address] : []))
    .sort();
}

/** Returns what exists and becomes ours though no step creates it, where an inventory is kept. */
export function adoptedBy(
  { ownership: { inventory }, live, contract }: PlanInput,
  steps: readonly Step[],
  { addresses }: Plan["owned"],
): Pick<Plan, "adopts" | "lasting"> {
  if (!inventory) return {};
  const made = addressesOf(steps, "create");
  const adopts = addresses.filter(
    (address) => !inventory.addresses.has(address) && live.resources.has(address) && !made.has(address),
  );
  const lasting = adopts.filter((address) => !offers(contract, kindNamed(kindOf(address)), "delete"));
  return { ...(adopts.length > 0 && { adopts }), ...(lasting.length > 0 && { lasting }) };
}

/** A field stays secret until a value that the manifest writes in the open has taken its place. */
function secretFieldsAfter(owned: readonly Owned[], before: Inventory): readonly string[] {
  const marksBefore = marksByAddress(before.secretFields ?? new Set());
  const mayHave = ({ address, declared }: Owned) =>
    marksBefore.has(address) || (declared !== undefined && holdsSecrets(declared));
  const marks = owned.filter(mayHave).flatMap(({ address, declared }) => {
    const former = marksBefore.get(address) ?? [];
    if (!declared) return former.map((field) => `${address} ${field}`);
    const secret = secretFields(declared);
    const kind = kindNamed(declared.kind);
    const now = [...secret].filter((field) => !isWriteOnly(kind, field));
    const kept = former.filter((field) => !isWritten(declared, field));
    return [...new Set([...now, ...kept])].map((field) => `${address} ${field}`);
  });
  return marks.sort();
}

/** Reads marks of the form `ADDRESS FIELD`, less those of addresses that this version does not know. */
export function marksByAddress(marks: ReadonlySet<string>): ReadonlyMap<Address, readonly string[]> {
  const byAddress = new Map<Address, string[]>();
  for (const mark of marks) {
    const address = addressOfMark(mark);
    if (normaliseAddress(address) !== undefined) addTo(byAddress, address, mark.slice(address.length + 1));
  }
  return byAddress;
}

const isWritten = (resource: Resource, field: string) =>
  bodiesOf(resource).some(({ fields }) => fields[field] !== undefined);

/** A run about some addresses only does not make a collection exclusive: what else that holds was not decided on. */
function exclusiveAfter({ desired, selection, ownership }: PlanInput): readonly CollectionId[] {
  if (isPartial(selection)) return [...(ownership.inventory?.exclusive ?? [])].sort();
  return [...desired.collections].flatMap(([id, { exclusive }]) => (exclusive ? [id] : [])).sort();
}

/** Returns the resources whose blocks hold the blocks of others, as that of a zone holds its records. */
function findHolders(resources: Iterable<Resource>): ReadonlySet<Address> {
  const parentsOfKind = new Map<string, readonly BlockAbove[]>();
  const holders = new Set<Address>();
  for (const { kind: name, key } of resources)
    for (const { parent, parts, last } of getOrMake(parentsOfKind, name, () => blocksAbove(kindNamed(name)))) {
      // Resources of one parent mostly stand one after another.
      if (parts.every(([part, from]) => last[part] === (key[from] ?? ""))) continue;
      for (const [part, from] of parts) last[part] = key[from] ?? "";
      holders.add(addressOfParent({ kind: parent.kind, key: { ...last } }));
    }
  return holders;
}

/** A kind whose blocks hold those of another, and the key of the last one that was found. */
interface BlockAbove {
  readonly parent: Parent;
  readonly parts: readonly (readonly [part: string, from: string])[];
  readonly last: Record<string, string>;
}

const withoutNames = (place: string) => place.replaceAll(/\{\w+\}/gu, "{}");

function blocksAbove({ manifest, relations: { requires = [] } = {} }: Kind): BlockAbove[] {
  const isAbove = ({ kind }: Parent) => withoutNames(manifest).startsWith(`${withoutNames(kindNamed(kind).manifest)}.`);
  return requires
    .flat()
    .flatMap((parent) => (isAbove(parent) ? [{ parent, parts: Object.entries(parent.key), last: {} }] : []));
}

/** A block of a manifest, or of a saved plan. */
interface Block {
  readonly fields: object;
  readonly members?: readonly unknown[];
  readonly lifecycle?: unknown;
}

/** An empty block only refers to what is there: it does not make it ours. */
export function isManaged({ fields, members = [], lifecycle }: Block): boolean {
  return members.length > 0 || lifecycle !== undefined || Object.keys(fields).length > 0;
}

/** Whether a whole list shows that an address is not there. What this version cannot place may be. */
function isGone(live: Live, address: Address): boolean {
  const known = normaliseAddress(address);
  if (known === undefined || live.resources.has(address)) return false;
  const collection = live.collections.get(collectionAt(known));
  return collection !== undefined && collection.incomplete === undefined;
}
