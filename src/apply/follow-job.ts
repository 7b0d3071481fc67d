import type { ApiResponse } from "../api/response.ts";
import { usableId } from "../contract/decode-record.ts";
import { jsonText, type JsonObject } from "../model/json.ts";
import type { JobRules } from "../model/contract.ts";
import { failedRead, type Failure, type Result } from "../model/failure.ts";
import { getPointer } from "../model/json-pointer.ts";
import type { RemoteId } from "../model/resource.ts";
import { readFresh } from "./read-record.ts";
import { pollUntil } from "./poll-until.ts";
import { polling, type RunContext } from "./run-context.ts";

/** An answer that was only an acceptance, and the id of what its job has made, where it names one that can stand in a path. */
interface Accepted {
  readonly made: RemoteId | undefined;
}

/** Waits for the job of a request that was only accepted, until it is done; undefined for any other answer. Fails as the job does. */
export async function awaitJob(context: RunContext, answer: ApiResponse): Promise<Result<Accepted | undefined>> {
  const rules = acceptanceRules(context, answer);
  if (!rules) return { ok: true, value: undefined };
  const job = await followJob(context, rules, answer);
  if (!job.ok) return job;
  return { ok: true, value: { made: job.value && idMadeBy(rules, job.value) } };
}

/** The id of what a finished job has made, where it names one that can stand in a path. */
export function idMadeBy(rules: JobRules, job: JsonObject): RemoteId | undefined {
  const id = usableId(rules.resource_id === undefined ? undefined : getPointer(job, rules.resource_id));
  return id === "" ? undefined : id;
}

/** Whether an answer is only an acceptance, with a job to follow. */
export const isAccepted = (context: Pick<RunContext, "contract">, answer: ApiResponse): boolean =>
  acceptanceRules(context, answer) !== undefined;

const acceptanceRules = ({ contract }: Pick<RunContext, "contract">, { status }: ApiResponse): JobRules | undefined =>
  contract.answer.job?.statuses?.includes(status) === true ? contract.answer.job : undefined;

/**
 * Polls a job until it is done. The finished job; or its failure, in the server's words. Undefined where the answer names no job, or
 * one elsewhere, where the key must not go.
 */
async function followJob(
  context: RunContext,
  rules: JobRules,
  answer: ApiResponse,
): Promise<Result<JsonObject | undefined>> {
  const path = answer.location === undefined ? undefined : context.connection.localPath(answer.location);
  if (path === undefined) return { ok: true, value: undefined };
  let status = "";
  const seen = await pollUntil<JsonObject>(context, context.waitTimeout, async () => {
    const job = await readFresh(polling(context), { path, query: {} });
    if (!job.ok) return job;
    status = jsonText(getPointer(job.value, rules.status ?? ""));
    if (rules.failed?.includes(status) === true)
      return givenUp(failedRead("not_ready", path, reasonOf(rules, job.value) ?? `the job ended as ${status}`));
    return { ok: true, value: rules.done?.includes(status) === true ? job.value : undefined };
  });
  const isStopped = context.connection.stop.aborted && (seen.ok || seen.error.sort === "interrupted");
  if (isStopped && !(seen.ok && seen.value !== undefined))
    return failedRead("not_ready", path, "the server has accepted it, and the run was stopped before its job was done");
  if (!seen.ok || seen.value !== undefined) return seen;
  return failedRead("not_ready", path, `the job is still ${status} after ${context.waitTimeout / 1000} s`);
}

function reasonOf(rules: JobRules, job: JsonObject): string | undefined {
  const reason = rules.error === undefined ? undefined : getPointer(job, rules.error);
  return typeof reason === "string" ? reason : undefined;
}

const givenUp = ({ error }: { readonly error: Failure }): Result<never> => ({
  ok: false,
  error: { ...error, givenUp: true },
});
