import { decodeList, decodeRecord, type NameOf } from "../contract/decode-record.ts";
import type { BoundKind } from "../contract/bound-kind.ts";
import { collectionOf, type CollectionRef } from "../kinds/derived/collection.ts";
import { getOrMake, groupBy } from "../lib/collect.ts";
import { sharedAddress, strayPart, withoutSuperseded, hasUsableName } from "../kinds/derived/listed-object.ts";
import type { Address } from "../model/address.ts";
import type { JsonObject } from "../model/json.ts";
import type { CollectionId, LiveResource, Remote, RemoteId } from "../model/resource.ts";

interface GroupedListing {
  readonly items: readonly JsonObject[];
  /** The fields of a record that its snapshot does not tell. */
  readonly redacted?: ReadonlyMap<JsonObject, readonly string[]>;
}

/**
 * Returns the resources of a list, from its records: those of a set have one address. Records of another list in a mixed one are left out.
 * The order in which a server lists means nothing, so they are sorted.
 */
export function groupRecords(
  ref: CollectionRef<BoundKind>,
  { items, redacted }: GroupedListing,
  nameOf: NameOf,
): LiveResource[] {
  const found = new Map<Address, LiveResource & { remotes: Remote[] }>();
  const isMixed = ref.kind.entry.operations.list.scope === "mixed";
  const own = isMixed ? mayBeIn(ref, items, nameOf) : items;
  for (const { address, key, remote: decoded } of decodeList(ref, own, nameOf)) {
    if (isMixed && strayPart(ref, key, decoded.fields) !== undefined) continue;
    const remote = redacted ? { ...decoded, redacted: redacted.get(decoded.raw) ?? [] } : decoded;
    const known = found.get(address);
    // To push to a list of one makes room for eighteen, and many sets have two members.
    if (known?.remotes.length === 1) known.remotes = [...known.remotes, remote];
    else if (known) known.remotes.push(remote);
    else found.set(address, { address, kind: ref.kind.name, key, remotes: [remote] });
  }
  for (const resource of found.values())
    if (resource.remotes.length > 1) resource.remotes = sortedRemotes(resource.remotes);
  const all = [...found.values()].sort((a, b) => (a.address < b.address ? -1 : a.address > b.address ? 1 : 0));
  if (ref.kind.listing?.newest === undefined) return all;
  const { normalise, ofLive } = ref.kind.naming;
  return all.map((resource) => {
    const [newest] = withoutSuperseded(ref.kind, resource.remotes);
    if (resource.remotes.length === 1 || !newest) return resource;
    const superseded = resource.remotes.filter((each) => each !== newest);
    return { ...resource, key: normalise(ofLive(newest.fields, ref.scope)), remotes: [newest], superseded };
  });
}

const partsOfMixed = new WeakMap<readonly JsonObject[], ReadonlyMap<CollectionId | undefined, readonly JsonObject[]>>();

/** Returns the records of a mixed list that are of one list, and those without a name, which may be. It is divided once, for all the lists in it. */
function mayBeIn({ id, kind }: CollectionRef<BoundKind>, items: readonly JsonObject[], nameOf: NameOf) {
  const decoding = { scope: {}, nameOf };
  const listOf = (item: JsonObject) => {
    const { key, isNamed } = decodeRecord(kind, item, decoding);
    return isNamed ? collectionOf(kind, key).id : undefined;
  };
  const parts = getOrMake(partsOfMixed, items, () => groupBy(items, listOf));
  return [...(parts.get(id) ?? []), ...(parts.get(undefined) ?? [])];
}

function sortedRemotes(remotes: readonly Remote[]): Remote[] {
  const texts = remotes.map((remote) => [JSON.stringify([remote.fields, remote.id]), remote] as const);
  return texts.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, remote]) => remote);
}

/** Returns what a list says against itself; undefined if nothing: an object twice (it shifted), without a usable id or name, of another scope, or two with one key. */
export function contradiction(ref: CollectionRef, resources: readonly LiveResource[]): string | undefined {
  const { kind } = ref;
  const seen = new Set<RemoteId>();
  for (const resource of resources) {
    const { address, key, remotes } = resource;
    if (!hasUsableName(resource)) return `an object of ${kind.name} came without a usable name`;
    for (const { id, fields } of remotes) {
      if (id === "") return `an object of ${address} came without a usable id`;
      if (seen.has(id)) return `the object ${id} of ${address} came twice`;
      seen.add(id);
      const stray = strayPart(ref, key, fields);
      if (stray !== undefined) return `the object ${id} belongs to another ${stray} than the one that was asked for`;
    }
  }
  // Last: an import takes the others of a list that has no other fault.
  return sharedAddress(kind, resources);
}
