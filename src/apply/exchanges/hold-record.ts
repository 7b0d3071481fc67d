import type { BoundAddress } from "../../contract/bound-kind.ts";
import { recordOfSet, writesSets } from "../../contract/sets.ts";
import type { Address } from "../../model/address.ts";
import type { Failure, Result } from "../../model/failure.ts";
import type { RestoreCall } from "../../model/http-call.ts";
import type { JsonObject } from "../../model/json.ts";
import { omitPointer } from "../../model/json-pointer.ts";
import { fillCall, idNow } from "../fill-call.ts";
import { findObjects } from "../find-objects.ts";
import { readObject, readRecord } from "../read-record.ts";
import type { RunContext } from "../run-context.ts";
import type { HeldObject } from "./held.ts";

/**
 * Reads an object just before it is deleted, so that it can be created again with all that it had. Undefined if it is gone already: then
 * nothing is to come back. Fails if it cannot be read, because then it could not be put back.
 */
export async function holdRecord(
  context: RunContext,
  bound: BoundAddress,
  successor: Address,
  call: RestoreCall,
): Promise<Result<HeldObject | undefined>> {
  const { address, kind } = bound;
  const id = idNow(context, kind.name, call.id);
  const raw = await readNow(context, bound, call, id);
  if (!raw.ok) return raw.error.sort === "not_found" ? { ok: true, value: undefined } : notDeleted(address, raw.error);
  if (!raw.value) return { ok: true, value: undefined };
  const record = call.omit.reduce((rest, pointer) => omitPointer(rest, pointer), raw.value);
  const key = context.deps.newIdempotencyKey();
  const { method, path, query } = fillCall(context, kind, { ...call, operation: "create" });
  return { ok: true, value: { method, path, query, address, successor, id, key, record, withheld: [], call } };
}

async function readNow(
  context: RunContext,
  bound: BoundAddress,
  call: RestoreCall,
  id: string,
): Promise<Result<JsonObject | undefined>> {
  const { read } = call;
  const { kind } = bound;
  const isSet = writesSets(kind.entry);
  if (read && !isSet) return readObject(context, bound, { ...fillCall(context, kind, read), id }, readRecord);
  const found = await findObjects(context, bound, read);
  if (!found.ok) return found;
  const { remotes } = found.value;
  return { ok: true, value: isSet ? recordOfSet(kind.entry, remotes) : remotes.find((each) => each.id === id)?.raw };
}

function notDeleted(address: Address, failure: Failure): { ok: false; error: Failure } {
  const message = `${address} was not deleted, because it could not be read to be put back: ${failure.message}`;
  return { ok: false, error: { ...failure, message } };
}
