import type { Answer } from "../api/answer.ts";
import { jsonText } from "../model/json.ts";
import type { JobRules } from "../model/contract.ts";
import type { Failure, Result } from "../model/failure.ts";
import { getPointer } from "../model/json-pointer.ts";
import type { RemoteId } from "../model/resource.ts";
import { readRecord } from "./await-ready.ts";
import type { RunContext } from "./run-context.ts";

const firstPoll = 100;
const longestPoll = 5_000;

/** Polls the job that an accepted creation named until it is done. The id of what it made; or its failure, in the server's words. */
export async function followJob(
  context: RunContext,
  rules: JobRules,
  asked: { readonly method: string; readonly path: string },
  answer: Answer,
): Promise<Result<RemoteId>> {
  const path = jobPath(answer.location);
  if (path === undefined)
    return failed(asked, `the server accepted the request but named no job of its own in ${rules.location}`);
  const deadline = context.deps.now() + context.waitTimeout;
  for (let wait = firstPoll; ; wait = Math.min(wait * 2, longestPoll)) {
    const job = await readRecord(context, { path, query: {} });
    if (!job.ok) return job;
    const status = jsonText(getPointer(job.value, rules.status));
    if (rules.failed.includes(status)) {
      return failed(
        { method: "GET", path },
        jsonText((rules.error && getPointer(job.value, rules.error)) ?? `the job ended as ${status}`),
      );
    }
    if (rules.done.includes(status)) {
      const id = rules.resource_id && getPointer(job.value, rules.resource_id);
      return id === undefined
        ? failed({ method: "GET", path }, "the finished job names no object")
        : { ok: true, value: jsonText(id) as RemoteId };
    }
    if (context.deps.now() + wait > deadline)
      return failed({ method: "GET", path }, `the job is still ${status} after ${context.waitTimeout / 1000} s`);
    await context.deps.sleep(wait);
  }
}

/** Only a path on the same origin is followed: the key goes nowhere else. */
function jobPath(location: string | undefined): string | undefined {
  return location !== undefined && /^\/(?!\/)[\w/.~-]*$/u.test(location) && !location.includes("..")
    ? location
    : undefined;
}

const failed = (
  { method, path }: { readonly method: string; readonly path: string },
  message: string,
): { ok: false; error: Failure } => ({
  ok: false,
  error: { sort: "not_ready", method, path, message, attempts: 1 },
});
