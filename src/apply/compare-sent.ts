import { isDeepStrictEqual } from "node:util";
import { normalValue } from "../kinds/derived/normal-value.ts";
import { entryOf } from "../contract/binding.ts";
import type { Key, Remote } from "../model/resource.ts";
import type { Kind } from "../kinds/kind.ts";
import type { CreateCall } from "../model/http-call.ts";
import type { JsonObject } from "../model/json.ts";
import { getPointer } from "../model/json-pointer.ts";
import type { RunContext } from "./run-context.ts";

/** A creation as it is sent. */
export interface Sent {
  readonly kind: Kind;
  readonly key: Key;
  readonly call: CreateCall;
  readonly body: JsonObject;
}

/** What an object has otherwise than it was sent, in words; undefined where they are the same. Write-only fields cannot be compared. */
export function differenceFrom(
  { contract }: RunContext,
  { kind, key, call, body }: Sent,
  there: Remote,
): string | undefined {
  const { fields } = entryOf(contract, kind);
  const identity = kind.naming.toFields(key);
  for (const value of call.values) {
    const { field, pointer } = value;
    // Its address has told its name; an id stands for the parent whose list this is.
    if (Object.hasOwn(identity, field) || fields[field]?.id_of !== undefined) continue;
    if (kind.fields[field]?.access === "write_only") continue;
    const here = normalValue(kind, field, getPointer(body, pointer) ?? null, key);
    const live = there.fields[field] ?? null;
    if (isDeepStrictEqual(live, here)) continue;
    if ("parts" in value) return `its ${field} is another`;
    return `${field} is ${JSON.stringify(live)} there and ${JSON.stringify(here)} here`;
  }
  return undefined;
}

/** The first field that was sent and is never told. */
export const writeOnlyField = ({ kind, call }: Sent): string | undefined =>
  call.values.find(({ field }) => kind.fields[field]?.access === "write_only")?.field;

/** Whether an object is the member of the set that was sent; always so where there is no set. */
export function isThatMember({ kind, key, call, body }: Sent, { fields }: Remote): boolean {
  const identity = kind.members?.identity;
  const value = call.values.find(({ field }) => field === identity);
  if (identity === undefined) return true;
  const sent = value && getPointer(body, value.pointer);
  return isDeepStrictEqual(fields[identity], sent === undefined ? undefined : normalValue(kind, identity, sent, key));
}
