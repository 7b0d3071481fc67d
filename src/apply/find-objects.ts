import { withArticle } from "../model/with-article.ts";
import type { Address } from "../model/address.ts";
import type { Key, LiveCollection, Remote, RemoteId } from "../model/resource.ts";
import { joinLists } from "../api/read-page.ts";
import type { BoundAddress, BoundKind } from "../contract/bound-kind.ts";
import { rulesOf } from "../contract/rules-of.ts";
import type { CallRequest } from "../model/http-call.ts";
import { fillCall, type FilledRequest } from "./build-body.ts";
import { isPrefixed, listParents } from "../contract/binding.ts";
import { listedFor, listReading, missingLookups } from "../contract/list-reading.ts";
import {
  ownerOf,
  differenceFrom,
  isSentMember,
  namesIn,
  newObjectTest,
  type SentCreation,
  otherIdentity,
} from "./object-identity.ts";
import { collectionNamed, collectionOf } from "../kinds/derived/collection.ts";
import { readList } from "../api/read-list.ts";
import { decodeList, type ListedObject } from "../contract/decode-record.ts";
import { explodeSets } from "../contract/sets.ts";
import { childCollections, parentsOf } from "../kinds/derived/parents.ts";
import { isMadeByServer } from "../contract/offered.ts";
import { strayPart, withoutSuperseded } from "../kinds/derived/listed-object.ts";
import { getOrMake } from "../lib/collect.ts";
import { failedRead, type Result } from "../model/failure.ts";
import type { JsonObject } from "../model/json.ts";
import { pollUntil, maxReadLag, type RunContext, bindingOf, kindIn, knownIdOf, lookAgain } from "./run-context.ts";
import { readShared } from "./shared-lists.ts";
import { noRecord, recordIn } from "../api/response.ts";

/**
 * Reads the live objects of an address from a fresh list of its collection: by natural key, where no id is known. Of those
 * that supersede one another only the newest; several answer to no address but that of a set.
 */
export async function findByKey(context: RunContext, bound: BoundAddress): Promise<Result<readonly Remote[]>> {
  const { address, kind } = bound;
  const listed = await listUnder(context, bound);
  if (!listed.ok || kind.members) return listed;
  const found = withoutSuperseded(kind, listed.value);
  if (found.length > 1) return failedRead("malformed", address, `${found.length} objects have this address`);
  return { ok: true, value: found };
}

/** Reads the list that an address stands in, as it is in the answers. */
export async function listItems(
  context: RunContext,
  { kind, key }: BoundAddress,
): Promise<Result<readonly JsonObject[]>> {
  const binding = bindingOf(context);
  const owner = listedFor(kind);
  const readings = () =>
    owner
      ? objectsOf(context, owner.kind).map((id) =>
          listReading({ ...binding, each: { [owner.param]: id } }, { kind, scope: key }),
        )
      : [listReading(binding, { kind, scope: key })];
  const readFrom = async ({ connection }: RunContext) =>
    joinLists(await Promise.all(readings().map((reading) => readList(connection, reading, binding.idOf))));
  const place = { id: collectionOf(kind, key).id, stop: context.connection.stop };
  // A lookup that found nothing leads to no list.
  if (missingLookups(kind, context.live.collections.get(place.id)).length > 0) return { ok: true, value: [] };
  const listing = await readShared(context.lists, place, () =>
    // Other steps of this run may be filling it.
    lookAgain(context, maxReadLag, readFrom, ({ moved }) => moved !== true),
  );
  if (listing.incomplete === undefined) return { ok: true, value: listing.items };
  return listing.failure
    ? { ok: false, error: listing.failure }
    : failedRead("malformed", context.contract.base_path + kind.entry.operations.list.path, listing.incomplete);
}

/** The objects of an address as they are, and the list that they stand in, where that is written with them. */
export interface FoundObjects {
  readonly remotes: readonly Remote[];
  readonly items: readonly JsonObject[];
}

/**
 * Reads the objects of an address: by the request for them alone, if there is one, else from a fresh list. Those under the longer name that the
 * server gives count where no object has the name itself.
 */
export async function findObjects(
  context: RunContext,
  bound: BoundAddress,
  read?: CallRequest,
): Promise<Result<FoundObjects>> {
  const { address, kind, key } = bound;
  const listed = read ? await readAlone(context, kind, read) : await listItems(context, bound);
  if (!listed.ok) return listed;
  const all = decodeItems(context, bound, listed.value);
  const isNamed = kind.entry.named_by === undefined;
  const own = all.filter((each) =>
    isNamed ? each.address === address : ownerOf(context, bound, each.remote.id) === address,
  );
  const isLike = (each: { readonly key: Key; readonly remote: Remote }) =>
    isNamed ? isPrefixed(kind, each.key, key) : ownerOf(context, bound, each.remote.id) === undefined;
  return {
    ok: true,
    value: { items: listed.value, remotes: (own.length > 0 ? own : all.filter(isLike)).map(({ remote }) => remote) },
  };
}

async function readAlone(
  context: RunContext,
  kind: BoundKind,
  read: CallRequest,
): Promise<Result<readonly JsonObject[]>> {
  const rules = rulesOf(context.contract, kind.name, kind.entry.operations.set?.read);
  const record = await readRecord(context, { ...fillCall(context, kind, read), rules });
  if (record.ok) return { ok: true, value: [record.value] };
  return record.error.sort === "not_found" ? { ok: true, value: [] } : record;
}

/** The objects of each list as it was read: all who share a read find theirs among them. */
const decoded = new WeakMap<readonly JsonObject[], ListedObject[]>();

/** Returns the objects of a list, without those that are of another one in it. */
function decodeItems(context: RunContext, { kind, key }: BoundAddress, items: readonly JsonObject[]) {
  const ref = collectionOf(kind, key);
  const all = getOrMake(decoded, items, () => decodeList(ref, explodeSets(kind.entry, items), namesIn(context)));
  if (kind.entry.operations.list.scope !== "mixed") return all;
  return all.filter((each) => strayPart(ref, each.key, each.remote.fields) === undefined);
}

/**
 * Returns the address, or else the kind, of an object that only a given resource contains, and that the plan does not know; undefined if there
 * is none. Lists that the plan has not read are not compared with it, and what is gone has no lists.
 */
export async function findAdded(context: RunContext, bound: BoundAddress): Promise<Result<string | undefined>> {
  const { address } = bound;
  context.deleting.add(address);
  const isThere = (owner: Address) => knownIdOf(context, owner) !== undefined;
  const stays = (owner: Address) => !context.deleting.has(owner) && isThere(owner);
  for (const { kind: child, scope } of childCollections(bound.kind, bound.key)) {
    const read = context.live.collections.get(collectionOf(child, scope).id);
    const owners = parentsOf(child, scope, {}).find((all) => all.includes(address));
    // A mailbox of a domain stays with the service of that name; where both go, the second looks.
    if (!read || read.incomplete !== undefined || !owners || owners.some(stays)) continue;
    const below = { address, kind: kindIn(context, child.name), key: scope };
    // Below what is not there nothing is.
    if (!listParents(context.contract, { ...below, scope }).every(isThere)) continue;
    const listed = await listItems(context, below);
    if (!listed.ok && listed.error.sort !== "not_found") return listed;
    const isNew = newObjectTest(context, below);
    const added = decodeItems(context, below, listed.ok ? listed.value : []).find(
      ({ key: own, remote }) =>
        isNew(remote) && !isMadeByServer(context, child, remote) && child.serverMade?.mayBeOwn?.(own) !== true,
    );
    // In a list that several have, it may be that of one that stays.
    const isOthers = (other: LiveCollection) =>
      other !== read &&
      other.kind === read.kind &&
      other.list === read.list &&
      parentsOf(child, other.scope, {}).flat().some(stays);
    if (added && ![...context.live.collections.values()].some(isOthers))
      return { ok: true, value: added.address || withArticle(child.name) };
  }
  return { ok: true, value: undefined };
}

/** All that a fresh list has under an address. */
export async function listUnder(context: RunContext, bound: BoundAddress): Promise<Result<readonly Remote[]>> {
  const found = await findObjects(context, bound);
  return found.ok ? { ok: true, value: found.value.remotes } : found;
}

/** The ids of the objects of a kind, of which each has a list. */
const objectsOf = ({ owners }: RunContext, name: string): string[] =>
  [...owners].flatMap(([list, ids]) => (collectionNamed(list)?.kind.name === name ? [...ids.keys()] : []));

/**
 * Looks for what a creation has made, where its answer does not show it: an object at its address that was not listed before. Of
 * several (a kind whose names are not unique) one that is the same. Undefined where none has appeared after `milliseconds`.
 * @param id that in the answer, if it has one: of several it is rather meant.
 */
export function findCreated(
  context: RunContext,
  sent: SentCreation,
  milliseconds: number,
  id?: RemoteId,
): Promise<Result<Remote | undefined>> {
  const isNew = newObjectTest(context, sent);
  return pollUntil(context, milliseconds, async (looking) => {
    const listed = await listUnder(looking, sent);
    if (!listed.ok) return listed;
    const found = listed.value.filter((remote) => isSentMember(sent, remote) && isNew(remote));
    const stated = found.find((remote) => remote.id === id);
    return { ok: true, value: stated ?? found.find((each) => differenceFrom(sent, each) === undefined) ?? found[0] };
  });
}

type ReadRequest = Pick<FilledRequest, "path" | "query" | "rules">;

/**
 * Reads the object at an address as it is now: by the request for it alone, if there is one, else from a fresh list. Undefined if the list
 * does not hold it. Fails with both sides where the server answers with another object: what is written next would be sent there, or its
 * values with it.
 * @param read `readFresh` for what this run has made: a list, too, may show it later.
 */
export async function readNow(
  context: RunContext,
  bound: BoundAddress,
  { request, id }: { readonly request: ReadRequest | undefined; readonly id: string | undefined },
  read: typeof readFresh = readRecord,
): Promise<Result<JsonObject | undefined>> {
  if (!request)
    return pollUntil(context, read === readFresh ? Math.max(maxReadLag, context.settle) : 0, async (looking) => {
      const listed = await (id === undefined ? findByKey(looking, bound) : listUnder(looking, bound));
      if (!listed.ok) return listed;
      return { ok: true, value: listed.value.find((remote) => id === undefined || remote.id === id)?.raw };
    });
  const found = await read(context, request);
  if (!found.ok) return found;
  const other = otherIdentity(context, bound, id, found.value);
  if (!other) return found;
  const message = `the server answered with ${other.address ?? "an object"} (${other.id}) in place of it${id === undefined ? "" : ` (${id})`}; look at both before you apply again`;
  return failedRead("malformed", request.path, message);
}

/** Reads one record that this run has just made: reads may lag behind, so it is asked for again for a while. */
export async function readFresh(context: RunContext, request: ReadRequest): Promise<Result<JsonObject>> {
  const read = await lookAgain(context, maxReadLag, (looking) => readRecord(looking, request), isNotMissing);
  if (isNotMissing(read) || !context.connection.stop.aborted) return read;
  return failedRead("interrupted", request.path, "the run was stopped before it could be read");
}

const isNotMissing = (read: Result<JsonObject>) => read.ok || read.error.sort !== "not_found";

/** Sends a GET and returns the record in the response, or a failure if there is none. */
export async function readRecord(
  { connection }: RunContext,
  { path, query, rules }: ReadRequest,
): Promise<Result<JsonObject>> {
  const answer = await connection.get({ path, query, rules });
  if (!answer.ok) return answer;
  const record = recordIn(rules, answer.value.body);
  return record ? { ok: true, value: record } : failedRead("malformed", path, noRecord(rules));
}
