import { fillRequest } from "../api/fill-request.ts";
import { locate } from "../kinds/derived/locate.ts";
import { readRequest } from "../contract/binding.ts";
import { kindOf, type Address } from "../model/address.ts";
import { mayBeDone, type Result } from "../model/failure.ts";
import type { RenewCall } from "../model/http-call.ts";
import { jsonText, type JsonObject } from "../model/json.ts";
import { getPointer } from "../model/json-pointer.ts";
import { readRecord, type Ready } from "./await-ready.ts";
import { buildBody } from "./build-body.ts";
import { fillCall } from "./fill-call.ts";
import { lookAgain, readLag } from "./patience.ts";
import { idOf, polling, type RunContext } from "./run-context.ts";

/**
 * Prolongs one object, once: the request carries no idempotency key and is not repeated after it was sent, since each costs money.
 * Where no answer came back, the new expiry tells whether it was done; where it tells nothing, that is said.
 */
export async function runRenew(context: RunContext, address: Address, call: RenewCall): Promise<Result<Ready>> {
  const sent = await context.connection.send({
    ...fillCall(context, address, call),
    body: buildBody(context, address, call),
    once: true,
  });
  if (sent.ok) return asReady(await readNow(context, address));
  if (!mayBeDone(sent.error)) return sent;
  const renewed = await lookAgain(context, readLag, async (isFirst) => {
    const read = await readNow(isFirst ? context : polling(context), address);
    return !read.ok || isLater(context, address, call, read.value) ? read : { ok: true, value: undefined };
  });
  if (!renewed.ok) return sent;
  if (renewed.value !== undefined) return { ok: true, value: { raw: renewed.value } };
  const message = `${sent.error.message}; read back, ${call.expiry.field} is unchanged, so it is not renewed yet; look before you apply again`;
  return { ok: false, error: { ...sent.error, message } };
}

const asReady = (read: Result<JsonObject>): Result<Ready> =>
  read.ok ? { ok: true, value: { raw: read.value } } : read;

function readNow(context: RunContext, address: Address): Promise<Result<JsonObject>> {
  const { kind, key } = locate(address);
  const parentId = (parent: Address) => idOf(context, parent);
  const request = readRequest(context.contract, kind, key, idOf(context, address), parentId);
  if (!request) throw new Error(`The contract ${context.contract.name} can renew ${kind.name} but not read it`);
  return readRecord(context, fillRequest(request, parentId));
}

function isLater({ contract }: RunContext, address: Address, { expiry }: RenewCall, record: JsonObject): boolean {
  const at = contract.kinds[kindOf(address)]?.fields[expiry.field]?.at;
  const now = at === undefined ? undefined : getPointer(record, at);
  return Date.parse(jsonText(now)) > Date.parse(jsonText(expiry.before));
}
