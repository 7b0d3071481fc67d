import { locate } from "../kinds/derived/locate.ts";
import { decodeRecord } from "../contract/binding.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { Result } from "../model/failure.ts";
import type { DeleteCall, HttpCall, UpdateCall } from "../model/http-call.ts";
import type { Ready } from "./await-ready.ts";
import { idNow, keepMovedId } from "./fill-call.ts";
import { keep, letGo } from "./id-index.ts";
import type { RunContext } from "./run-context.ts";
import { runCreate } from "./run-create.ts";
import { runDelete } from "./run-delete.ts";
import { runRenew } from "./run-renew.ts";
import { runUpdate } from "./run-update.ts";

/** Makes one call of a plan and waits until its object is usable. */
export function runCall(context: RunContext, address: Address, call: HttpCall): Promise<Result<Ready>> {
  switch (call.operation) {
    case "create":
      return runCreate(context, address, call);
    case "update":
      return remember(context, address, call);
    case "delete":
      return deleted(context, address, call);
    case "renew":
      return runRenew(context, address, call);
  }
}

async function deleted(context: RunContext, address: Address, call: DeleteCall): Promise<Result<Ready>> {
  const result = await runDelete(context, address, call);
  const { id } = call.params;
  if (result.ok && typeof id === "string") letGo(context, address, idNow(context, kindOf(address), id));
  return result;
}

/** Keeps what an update answered, so that references to read-only fields, and later steps, see what it has brought. */
async function remember(context: RunContext, address: Address, call: UpdateCall): Promise<Result<Ready>> {
  const updated = await runUpdate(context, address, call);
  if (!updated.ok) return updated;
  const { kind } = locate(address);
  const { raw } = updated.value;
  const { id } = decodeRecord(context.contract, kind, raw, {}, () => undefined).remote;
  if (id === "") return updated;
  keepMovedId(context, address, call, id);
  if (!kind.members) keep(context, address, { id, raw });
  return updated;
}
