import { noRecord, recordIn } from "../api/response.ts";
import type { BoundAddress } from "../contract/bound-kind.ts";
import type { ApiRules } from "../model/contract.ts";
import { failedRead, type Result } from "../model/failure.ts";
import type { JsonObject } from "../model/json.ts";
import { lookAgain, maxReadLag } from "./poll-until.ts";
import type { RunContext } from "./run-context.ts";
import { otherIdentity } from "./object-identity.ts";

interface ReadRequest {
  readonly path: string;
  readonly query: Record<string, string>;
  readonly rules: ApiRules;
}

/**
 * Reads what is under an address, and by an id where there is one. Fails with both sides where the server answers with another object:
 * what is written next would be sent there, or its values with it.
 * @param read `readRecord` for what was there before.
 */
export async function readObject(
  context: RunContext,
  bound: BoundAddress,
  request: ReadRequest & { readonly id: string | undefined },
  read: typeof readFresh = readFresh,
): Promise<Result<JsonObject>> {
  const { id, path } = request;
  const found = await read(context, request);
  if (!found.ok) return found;
  const other = otherIdentity(context, bound, id, found.value);
  if (!other) return found;
  const asked = `${bound.address}${id === undefined ? "" : ` (${id})`}`;
  const message = `the server answered with ${other.address ?? "an object"} (${other.id}), where ${asked} was asked for; look at both before you apply again`;
  return failedRead("malformed", path, message);
}

/** Reads one record that this run has just made: reads may lag behind, so it is asked for again for a while. */
export async function readFresh(context: RunContext, request: ReadRequest): Promise<Result<JsonObject>> {
  const read = await lookAgain(context, maxReadLag, (looking) => readRecord(looking, request), isNotMissing);
  if (isNotMissing(read) || !context.connection.stop.aborted) return read;
  const message = "the run was stopped before it could be read";
  return failedRead("interrupted", request.path, message);
}

const isNotMissing = (read: Result<JsonObject>) => read.ok || read.error.sort !== "not_found";

/** Sends a GET and returns the record in the response, or a failure if there is none. */
export async function readRecord(
  { connection }: RunContext,
  { path, query, rules }: ReadRequest,
): Promise<Result<JsonObject>> {
  const answer = await connection.get({ path, query, rules });
  if (!answer.ok) return answer;
  const record = recordIn(rules, answer.value.body);
  if (record) return { ok: true, value: record };
  return failedRead("malformed", path, noRecord(rules));
}
