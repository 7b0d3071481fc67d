import { fillRequest } from "../api/fill-request.ts";
import { collectionOf } from "../kinds/derived/collection.ts";
import { locate } from "../kinds/derived/locate.ts";
import { listAll, listSingle, type Listing } from "../api/list-all.ts";
import { decodeRecord, entryOf, hasRelativeNames, idOfRaw, isSingle, listRequest } from "../contract/binding.ts";
import { isPrefixed } from "../contract/prefixed-name.ts";
import { kindNamed } from "../kinds/index.ts";
import { kindOf, splitAddress, toAddress, type Address } from "../model/address.ts";
import type { Failure, Result } from "../model/failure.ts";
import { jsonText } from "../model/json.ts";
import { getPointer } from "../model/json-pointer.ts";
import type { Remote } from "../model/resource.ts";
import { pollUntil, maxReadLag } from "./poll-until.ts";
import { idOf, polling, type RunContext } from "./run-context.ts";

/**
 * What is live now under an address, from a fresh list of its collection: read back by natural key, where no id is known. Of those
 * that supersede one another only the newest; several answer to no address but that of a set.
 */
export async function findByKey(context: RunContext, address: Address): Promise<Result<readonly Remote[]>> {
  const { kind } = locate(address);
  const listed = await listUnder(context, address);
  if (!listed.ok || kind.members || listed.value.length < 2) return listed;
  const { newest } = kind;
  if (newest === undefined)
    return { ok: false, error: incomplete(address, `${listed.value.length} objects answer to ${address}`) };
  const age = ({ fields }: Remote) => Date.parse(jsonText(fields[newest])) || 0;
  return { ok: true, value: listed.value.toSorted((a, b) => age(b) - age(a)).slice(0, 1) };
}

/** All that a fresh list has under an address; under the longer name that the server gives, where nothing has its own. */
export async function listUnder(context: RunContext, address: Address): Promise<Result<readonly Remote[]>> {
  const { contract } = context;
  const { kind, key } = locate(address);
  const { scope } = collectionOf(kind, key);
  const parentId = (parent: Address) => idOf(context, parent);
  const { path, query } = fillRequest(listRequest(contract, kind, key, parentId), parentId);
  const listing = await settled(context, ({ connection }) =>
    isSingle(contract, kind)
      ? listSingle(connection, contract, path, query)
      : listAll(connection, contract, path, query, idOfRaw(contract, kind)),
  );
  if (listing.incomplete !== undefined)
    return { ok: false, error: listing.failure ?? incomplete(path, listing.incomplete) };
  const isRelative = hasRelativeNames(contract, kind, listing.items, scope);
  const all = listing.items.map((raw) =>
    decodeRecord(contract, kind, raw, scope, (name, id) => nameOf(context, name, id), isRelative),
  );
  const own = all.filter((decoded) => toAddress(kind.name, kind.naming.addressParts(decoded.key)) === address);
  const { prefixed } = kind.naming;
  const found =
    own.length > 0 || prefixed === undefined
      ? own
      : all.filter((decoded) => isPrefixed(contract, kind, decoded.key[prefixed] ?? "", key[prefixed] ?? ""));
  return { ok: true, value: found.map(({ remote }) => remote) };
}

/** A list read again while it changes under the read: other steps of this run may be filling it. */
async function settled(context: RunContext, read: (context: RunContext) => Promise<Listing>): Promise<Listing> {
  let listing = await read(context);
  await pollUntil(context, maxReadLag, async (isFirst) => {
    if (!isFirst) listing = await read(polling(context));
    return { ok: true, value: listing.moved === true ? undefined : listing };
  });
  return listing;
}

/** The natural name behind an id: from what was live, or what this run has made. */
export function nameOf(
  { live, made, contract }: Pick<RunContext, "live" | "made" | "contract">,
  kindName: string,
  id: string,
): string | undefined {
  for (const { kind, remotes, address } of live.resources.values()) {
    if (kind === kindName && remotes.some((remote) => remote.id === id)) return splitAddress(address)?.parts[0];
  }
  const pointer = entryOf(contract, kindNamed(kindName)).id;
  for (const [address, { raw }] of made) {
    if (pointer !== undefined && kindOf(address) === kindName && jsonText(getPointer(raw, pointer)) === id)
      return splitAddress(address)?.parts[0];
  }
  return undefined;
}

const incomplete = (path: string, message: string): Failure => ({
  sort: "malformed",
  method: "GET",
  path,
  message,
  attempts: 1,
});
