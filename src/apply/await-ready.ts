import { fillRequest } from "../api/fill-request.ts";
import { recordIn } from "../api/record-in.ts";
import { locate } from "../kinds/derived/locate.ts";
import { decodeRecord, readRequest } from "../contract/binding.ts";
import type { Readiness } from "../kinds/kind.ts";
import { type Address } from "../model/address.ts";
import type { Failure, Result } from "../model/failure.ts";
import { jsonText, type JsonObject } from "../model/json.ts";
import type { Fields } from "../model/resource.ts";
import { lookAgain, readLag } from "./patience.ts";
import { idOf, polling, type RunContext } from "./run-context.ts";

/** An object: its record, and where it is not usable yet, why nobody waits for it: a person or a registry must act, or the run was stopped. */
export interface Ready {
  readonly raw: JsonObject;
  readonly external?: string;
}

/**
 * Reads an object until the server says that it is usable. Fails with the server's own reason, or when it is not after the whole of
 * `waitTimeout`. Where the run is stopped meanwhile, it is made, and told not to be ready.
 */
export async function awaitReady(
  context: RunContext,
  address: Address,
  first: JsonObject,
  written: Fields,
): Promise<Result<Ready>> {
  const { kind, key } = locate(address);
  const { readiness } = kind;
  if (!readiness) return { ok: true, value: { raw: first } };
  const parentId = (parent: Address) => idOf(context, parent);
  const request = readRequest(context.contract, kind, key, idOf(context, address), parentId);
  const filled = request && fillRequest(request, parentId);
  let last = { status: "", raw: first };
  const seen = await lookAgain<Ready>(context, context.waitTimeout, async (isFirst) => {
    const read = isFirst || !filled ? ok(first) : await readFresh(polling(context), filled);
    if (!read.ok) return read;
    const { fields } = decodeRecord(context.contract, kind, read.value, key, () => undefined).remote;
    const status = jsonText(fields[readiness.field]);
    last = { status, raw: read.value };
    if (readiness.failed.includes(status))
      return notReady(filled?.path ?? "", `${address} ended as ${status}${reasonOf(readiness, fields)}`);
    const external = readiness.external(status, written);
    if (external !== undefined) return ok({ raw: read.value, external });
    return ok(readiness.awaited.includes(status) && filled ? undefined : { raw: read.value });
  });
  if (!seen.ok && seen.error.sort !== "interrupted") return seen;
  if (seen.ok && seen.value !== undefined) return ok(seen.value);
  if (context.connection.stop.aborted)
    return ok({ raw: last.raw, external: `it was still ${last.status} when the run was stopped` });
  return notReady(filled?.path ?? "", `${address} is still ${last.status} after ${context.waitTimeout / 1000} s`);
}

function reasonOf(readiness: Readiness, fields: Fields): string {
  const reason = readiness.reason?.(fields) ?? "";
  return reason === "" ? "" : `: ${reason}`;
}

/** Reads one record that this run has just made: reads may lag behind, so it is asked for again for a while. */
export async function readFresh(context: RunContext, request: ReadRequest): Promise<Result<JsonObject>> {
  let last: Result<JsonObject> | undefined;
  const read = await lookAgain<JsonObject>(context, readLag, async (isFirst) => {
    last = await readRecord(isFirst ? context : polling(context), request);
    return last.ok || last.error.sort !== "not_found" ? last : { ok: true, value: undefined };
  });
  if (!read.ok) return read;
  if (read.value !== undefined) return ok(read.value);
  const { path } = request;
  const message = "the run was stopped before it was there to be read";
  if (context.connection.stop.aborted)
    return { ok: false, error: { sort: "interrupted", method: "GET", path, message, attempts: 1 } };
  return last ?? notReady(path, "it was not read");
}

interface ReadRequest {
  readonly path: string;
  readonly query: Record<string, string>;
}

/** Reads one record. */
export async function readRecord(context: RunContext, request: ReadRequest): Promise<Result<JsonObject>> {
  const answer = await context.connection.get(request);
  if (!answer.ok) return answer;
  const record = recordIn(context.contract, answer.value.body);
  if (record) return { ok: true, value: record };
  return {
    ok: false,
    error: {
      sort: "malformed",
      method: "GET",
      path: request.path,
      message: `no record at ${context.contract.answer.record} of the answer`,
      attempts: 1,
    },
  };
}

const ok = <T>(value: T) => ({ ok: true as const, value });

function notReady(path: string, message: string): { ok: false; error: Failure } {
  return { ok: false, error: { sort: "not_ready", method: "GET", path, message, attempts: 1 } };
}
