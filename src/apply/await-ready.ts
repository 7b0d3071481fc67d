import { unknownStatus } from "../kinds/derived/unknown-status.ts";
import { decodeRecord } from "../contract/decode-record.ts";
import type { Readiness } from "../kinds/kind.ts";
import type { BoundAddress } from "../contract/bound-kind.ts";
import { failedRead, type Result } from "../model/failure.ts";
import { jsonText, type JsonObject } from "../model/json.ts";
import type { Fields } from "../model/resource.ts";
import { fillRead } from "./fill-call.ts";
import { pollUntil } from "./poll-until.ts";
import { readObject } from "./read-record.ts";
import type { RunContext } from "./run-context.ts";

/** An object: its record, and where it is not usable yet, why the run does not wait for it: a person or a registry must act, or the run was stopped. */
export interface Ready {
  readonly raw: JsonObject;
  readonly external?: string;
  /** The creation was refused, because the object was there. */
  readonly adopted?: true;
}

/**
 * Reads an object until the server says that it is usable. Fails with the server's own reason, or when it is not after the whole of
 * `waitTimeout`. Where the run is stopped meanwhile, the object counts as made and not yet ready.
 */
export async function awaitReady(
  context: RunContext,
  bound: BoundAddress,
  first: JsonObject,
  written: Fields,
): Promise<Result<Ready>> {
  const { address, kind, key } = bound;
  const { readiness } = kind;
  if (!readiness) return { ok: true, value: { raw: first } };
  const filled = fillRead(context, bound);
  const { path = "" } = filled ?? {};
  let last = { status: "", raw: first };
  const seen = await pollUntil<Ready>(context, context.waitTimeout, async (looking, isFirst) => {
    const read = isFirst || !filled ? ok(first) : await readObject(looking, bound, filled);
    if (!read.ok) return read;
    const { fields } = decodeRecord(kind, read.value, { scope: key }).remote;
    const status = jsonText(fields["status"]);
    last = { status, raw: read.value };
    if (readiness.failed.includes(status))
      return failedRead("not_ready", path, `${address} ended as ${status}${reasonOf(readiness, fields)}`);
    const external = readiness.external?.(status, written);
    if (external !== undefined) return ok({ raw: read.value, external });
    const unknown = unknownStatus(kind, fields);
    if (unknown !== undefined)
      return ok({
        raw: read.value,
        external: `its status is ${JSON.stringify(unknown)}, which this version does not know`,
      });
    return ok(readiness.awaited.includes(status) && filled ? undefined : { raw: read.value });
  });
  if (!seen.ok && seen.error.sort !== "interrupted") return seen;
  if (seen.ok && seen.value !== undefined) return ok(seen.value);
  if (context.connection.stop.aborted)
    return ok({ raw: last.raw, external: `it was still ${last.status} when the run was stopped` });
  return failedRead("not_ready", path, `${address} is still ${last.status} after ${context.waitTimeout / 1000} s`);
}

function reasonOf(readiness: Readiness, fields: Fields): string {
  const reason = readiness.reason?.(fields) ?? "";
  return reason === "" ? "" : `: ${reason}`;
}

const ok = <T>(value: T) => ({ ok: true as const, value });
