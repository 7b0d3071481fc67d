import { decodeList } from "../contract/decode-list.ts";
import { entryOf } from "../contract/entry.ts";
import { rulesOf } from "../contract/rules-of.ts";
import { explodeSets } from "../contract/sets.ts";
import { collectionOf } from "../kinds/derived/collection.ts";
import { locate } from "../kinds/derived/locate.ts";
import type { Address } from "../model/address.ts";
import type { Result } from "../model/failure.ts";
import type { CallRequest } from "../model/http-call.ts";
import { fillCall } from "./fill-call.ts";
import { listItems } from "./find-objects.ts";
import { nameOf } from "./object-identity.ts";
import { readRecord } from "./read-record.ts";
import type { RunContext } from "./run-context.ts";
import type { SeenSet } from "./set-body.ts";

/** Reads a set: by itself where the API can, else from a fresh list. */
export async function readSet(
  context: RunContext,
  address: Address,
  read: CallRequest | undefined,
): Promise<Result<SeenSet>> {
  const { contract } = context;
  const { kind, key } = locate(address);
  const entry = entryOf(contract, kind);
  const list = read ? await readAlone(context, address, read) : await listItems(context, address);
  if (!list.ok) return list;
  const items = list.value;
  const all = decodeList(contract, collectionOf(kind, key), explodeSets(entry, items), (name, id) =>
    nameOf(context, name, id),
  );
  return {
    ok: true,
    value: { items, remotes: all.filter((each) => each.address === address).map(({ remote }) => remote) },
  };
}

async function readAlone(context: RunContext, address: Address, read: CallRequest) {
  const { kind } = locate(address);
  const rules = rulesOf(context.contract, kind.name, entryOf(context.contract, kind).operations.set?.read);
  const record = await readRecord(context, { ...fillCall(context, address, read), rules });
  if (record.ok) return { ok: true as const, value: [record.value] };
  return record.error.sort === "not_found" ? { ok: true as const, value: [] } : record;
}
