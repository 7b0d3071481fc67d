import { firstMistake, loadValidator } from "../lib/load-validator.ts";
import { collectionOf, type CollectionRef, locate } from "../kinds/derived/collection.ts";
import { parentsOf } from "../kinds/derived/parents.ts";
import { findKind } from "../kinds/index.ts";
import { parseJson } from "../lib/parse-json.ts";
import type { Address } from "../model/address.ts";
import type { Contract } from "../model/contract.ts";
import type { Result } from "../model/failure.ts";
import type { Json } from "../model/json.ts";
import { isObject } from "../model/json-pointer.ts";
import type { CollectionId } from "../model/resource.ts";
import type { Snapshot, SnapshotCollection } from "./snapshot.ts";
import { contradiction } from "./group-records.ts";
import { readLive, type CollectionListing, type ListSource } from "./read-live.ts";

type SnapshotLists = ReadonlyMap<
  CollectionId,
  { readonly ref: CollectionRef; readonly collection: SnapshotCollection }
>;

/** Nothing that a contract names lies deeper. */
const deepest = 32;

/** The text of a snapshot file as what it holds, or what is wrong with it. Anyone may have written it. */
export function parseSnapshot(text: string): Result<Snapshot, string> {
  let value: Json;
  try {
    value = parseJson(text, deepest) as Json;
  } catch (error) {
    return { ok: false, error: `it is not JSON: ${(error as Error).message.slice(0, 200)}` };
  }
  const version = isObject(value) ? value["snapshot"] : undefined;
  if (version === undefined) return { ok: false, error: "it does not state its version" };
  if (version !== 1)
    return {
      ok: false,
      error: `it is of version ${JSON.stringify(version).slice(0, 40)}; this Hostform reads version 1`,
    };
  if (holdsProtoKey(value)) return { ok: false, error: "it has a key __proto__" };
  const validate = loadValidator<Snapshot>("snapshot");
  if (!validate(value)) return { ok: false, error: firstMistake(validate) };
  return Number.isNaN(Date.parse(value.taken_at))
    ? { ok: false, error: `/taken_at is not a time: ${value.taken_at}` }
    : { ok: true, value };
}

const holdsProtoKey = (value: Json): boolean =>
  typeof value === "object" &&
  value !== null &&
  (Object.hasOwn(value, "__proto__") || Object.values(value).some(holdsProtoKey));

/**
 * A snapshot as a source of lists. All of it is decoded once, to see that it does not contradict itself; the error says where it does.
 * A list that it does not hold is incomplete, but for one whose parent is known not to exist.
 */
export async function openSnapshot(snapshot: Snapshot, contract: Contract): Promise<Result<ListSource, string>> {
  const held = new Map<CollectionId, { readonly ref: CollectionRef; readonly collection: SnapshotCollection }>();
  for (const collection of snapshot.collections) {
    const ref = refOf(collection);
    if (typeof ref === "string") return { ok: false, error: ref };
    if (held.has(ref.id)) return { ok: false, error: `it holds ${ref.id} twice` };
    held.set(ref.id, { ref, collection });
  }
  const source = { listOf: (ref: CollectionRef) => listOf(held, ref) };
  const fault = await findContradiction(held, source, contract);
  return fault === undefined ? { ok: true, value: source } : { ok: false, error: fault };
}

function refOf({ kind: name, scope }: SnapshotCollection): CollectionRef | string {
  const kind = findKind(name);
  if (!kind) return `it holds a list of ${name}, which is not a kind of resource`;
  const parts = Object.keys(scope);
  if (parts.length === kind.scope.length && kind.scope.every((part) => Object.hasOwn(scope, part)))
    return collectionOf(kind, scope);
  return `a list of ${name} is named by ${kind.scope.join(" and ") || "nothing"}, not by ${parts.join(" and ") || "nothing"}`;
}

function listOf(held: SnapshotLists, ref: CollectionRef): CollectionListing {
  const collection = held.get(ref.id)?.collection;
  if (collection) {
    return {
      items: collection.objects.map(({ record }) => record),
      redacted: new Map(collection.objects.map(({ record, redacted = [] }) => [record, redacted] as const)),
      reads: 0,
      ...(collection.incomplete !== undefined && { incomplete: collection.incomplete }),
    };
  }
  const orphaned = parentsOf(ref.kind, ref.scope, {}).some((alternatives) =>
    alternatives.every((parent) => isKnownAbsent(held, parent)),
  );
  return { items: [], reads: 0, ...(!orphaned && { incomplete: "not in the snapshot", isMissing: true }) };
}

function isKnownAbsent(held: SnapshotLists, address: Address): boolean {
  const { kind, key } = locate(address);
  const collection = held.get(collectionOf(kind, key).id)?.collection;
  return (
    collection !== undefined &&
    collection.incomplete === undefined &&
    !collection.objects.some((object) => object.address === address)
  );
}

/** Finds a contradiction between objects and their record: two with one address, an id that cannot stand in a path, another name. */
async function findContradiction(
  held: SnapshotLists,
  source: ListSource,
  contract: Contract,
): Promise<string | undefined> {
  const refs = [...held.values()].map(({ ref }) => ref);
  const live = await readLive(source, contract, refs);
  if (!live.ok) return live.error.message;
  for (const { ref, collection } of held.values()) {
    const addresses = live.value.collections.get(ref.id)?.addresses ?? [];
    const resources = addresses.flatMap((address) => live.value.resources.get(address) ?? []);
    const fault = collection.incomplete === undefined ? contradiction(ref, resources) : undefined;
    if (fault !== undefined) return `${ref.id}: ${fault}`;
    const said = new Set(collection.objects.map(({ address }) => address));
    const stranger = addresses.find((address) => !said.delete(address)) ?? [...said][0];
    if (stranger !== undefined) return `${ref.id}: the address ${stranger} and the record beside it do not agree`;
  }
  return undefined;
}
