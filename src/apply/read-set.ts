import { collectionOf } from "../kinds/derived/collection.ts";
import { decodeList } from "../contract/decode-list.ts";
import { rulesOf } from "../contract/rules-of.ts";
import { explodeSets } from "../contract/sets.ts";
import type { BoundAddress, BoundKind } from "../contract/bound-kind.ts";
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
  bound: BoundAddress,
  read: CallRequest | undefined,
): Promise<Result<SeenSet>> {
  const { address, kind, key } = bound;
  const list = read ? await readAlone(context, kind, read) : await listItems(context, bound);
  if (!list.ok) return list;
  const items = list.value;
  const all = decodeList(collectionOf(kind, key), explodeSets(kind.entry, items), (name, id) =>
    nameOf(context, name, id),
  );
  return {
    ok: true,
    value: { items, remotes: all.filter((each) => each.address === address).map(({ remote }) => remote) },
  };
}

async function readAlone(context: RunContext, kind: BoundKind, read: CallRequest) {
  const rules = rulesOf(context.contract, kind.name, kind.entry.operations.set?.read);
  const record = await readRecord(context, { ...fillCall(context, kind, read), rules });
  if (record.ok) return { ok: true as const, value: [record.value] };
  return record.error.sort === "not_found" ? { ok: true as const, value: [] } : record;
}
