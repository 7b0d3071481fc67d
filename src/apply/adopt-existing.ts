import { isDeepStrictEqual } from "node:util";
import { locate } from "../kinds/derived/locate.ts";
import { entryOf, updateCall } from "../contract/binding.ts";
import type { Kind } from "../kinds/kind.ts";
import { type Address } from "../model/address.ts";
import type { Failure, Result } from "../model/failure.ts";
import type { CreateCall, UpdateCall } from "../model/http-call.ts";
import type { JsonObject } from "../model/json.ts";
import { getPointer } from "../model/json-pointer.ts";
import type { Remote } from "../model/resource.ts";
import type { Ready } from "./await-ready.ts";
import { findByKey } from "./find-by-key.ts";
import { idOf, type RunContext } from "./run-context.ts";
import { runUpdate } from "./run-update.ts";

/**
 * After a creation met a 409: what exists is taken for ours where it is the same, field by field, and holds no secret of ours.
 * What the platform made along with its parent (a primary FTP account) is updated. Anything else fails with both sides shown.
 */
export async function adoptExisting(
  context: RunContext,
  address: Address,
  call: CreateCall,
  body: JsonObject,
  conflict: Failure,
): Promise<Result<Ready>> {
  const { kind } = locate(address);
  const found = await findByKey(context, address);
  if (!found.ok) return found;
  const identity = kind.members?.identity;
  const there = found.value.find(
    ({ fields }) => identity === undefined || isDeepStrictEqual(fields[identity], sentValue(call, body, identity)),
  );
  if (!there) return { ok: false, error: conflict };
  context.made.set(address, { id: there.id, raw: there.raw });
  if (!kind.members && kind.platformOwned?.(there.fields) === true)
    return runUpdate(context, address, takeOver(context, kind, address, call, there));
  const difference = firstDifference(context, kind, call, body, there);
  if (difference === undefined) return { ok: true, value: { raw: there.raw } };
  return {
    ok: false,
    error: {
      ...conflict,
      message: `${conflict.message} It was made by someone else meanwhile, and ${difference}; plan again`,
    },
  };
}

const sentValue = (call: CreateCall, body: JsonObject, field: string) => {
  const value = call.values.find((each) => each.field === field);
  return value && getPointer(body, value.pointer);
};

function firstDifference(
  { contract }: RunContext,
  kind: Kind,
  call: CreateCall,
  body: JsonObject,
  there: Remote,
): string | undefined {
  const { fields } = entryOf(contract, kind);
  for (const value of call.values) {
    const { field, pointer } = value;
    if (kind.fields[field]?.access === "write_only") return `whether its ${field} is ours cannot be told`;
    const here = getPointer(body, pointer) ?? null;
    const live = there.fields[field] ?? null;
    // An id stands for the parent whose list this is.
    if (fields[field]?.id_of !== undefined || isDeepStrictEqual(live, here)) continue;
    if ("parts" in value) return `its ${field} is another`;
    return `${field} is ${JSON.stringify(live)} there and ${JSON.stringify(here)} here`;
  }
  return undefined;
}

function takeOver(context: RunContext, kind: Kind, address: Address, call: CreateCall, there: Remote): UpdateCall {
  const { fields } = entryOf(context.contract, kind);
  const update = updateCall(
    context.contract,
    kind,
    { address, key: locate(address).key, remote: there },
    { fields: {}, late: {} },
    {},
    (parent) => idOf(context, parent),
  );
  const writable = call.values.filter(({ field }) =>
    ["mutable", "write_only"].includes(kind.fields[field]?.access ?? ""),
  );
  return {
    ...update,
    values: writable.map((value) => ({ ...value, pointer: fields[value.field]?.at ?? value.pointer })),
  };
}
