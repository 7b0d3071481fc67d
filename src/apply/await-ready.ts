import { unknownStatus } from "../kinds/derived/unknown-status.ts";
import { decodeRecord, idOfRecord, usableId } from "../contract/decode-record.ts";
import type { Readiness } from "../kinds/kind.ts";
import type { BoundAddress } from "../contract/bound-kind.ts";
import { failedRead, type Result } from "../model/failure.ts";
import { jsonText, type JsonObject, type Json } from "../model/json.ts";
import type { Fields, RemoteId } from "../model/resource.ts";
import { fillRead } from "./build-body.ts";
import { pollUntil, type RunContext, lookAgain, maxReadLag, polling } from "./run-context.ts";
import { readFresh, readNow } from "./find-objects.ts";
import { type ApiResponse, noRecord, recordIn } from "../api/response.ts";
import type { ApiRules, Contract, JobRules } from "../model/contract.ts";
import { getPointer } from "../model/json-pointer.ts";

/** An object: its record, and where it is not usable yet, why the run does not wait for it: a person or a registry must act, or the run was stopped. */
export interface Ready {
  readonly raw: JsonObject;
  readonly external?: string;
  /** The creation was refused, because the object was there. */
  readonly adopted?: true;
}

/** The end of a write after which nothing of the object is needed. */
export const done: Result<Ready> = { ok: true, value: { raw: {} } };

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
  const { kind, key } = bound;
  const { readiness } = kind;
  if (!readiness) return { ok: true, value: { raw: first } };
  // The run may know it by no address: the server has given it a longer name.
  const named = idOfRecord(kind, first) || undefined;
  const request = fillRead(context, bound, named);
  const asked = { request, id: request ? request.id : named };
  const path = request?.path ?? context.contract.base_path + kind.entry.operations.list.path;
  let last = { status: "", raw: first };
  const seen = await pollUntil<Ready | undefined>(context, context.waitTimeout, async (looking, isFirst) => {
    const read = isFirst ? ok(first) : await readNow(looking, bound, asked, readFresh);
    if (!read.ok) return read;
    if (!read.value)
      return context.connection.stop.aborted
        ? ok(undefined)
        : failedRead("not_found", path, "the list does not show it");
    const { fields } = decodeRecord(kind, read.value, { scope: key }).remote;
    const status = jsonText(fields["status"]);
    last = { status, raw: read.value };
    if (readiness.failed.includes(status))
      return failedRead("not_ready", path, `it ended as ${status}${reasonOf(readiness, fields)}`);
    const external = readiness.external?.(status, written);
    if (external !== undefined) return ok({ raw: read.value, external });
    const unknown = unknownStatus(kind, fields);
    if (unknown !== undefined)
      return ok({
        raw: read.value,
        external: `its status is ${JSON.stringify(unknown)}, which this version does not know`,
      });
    return ok(readiness.awaited.includes(status) ? undefined : { raw: read.value });
  });
  if (!seen.ok && seen.error.sort !== "interrupted") return seen;
  if (seen.ok && seen.value !== undefined) return ok(seen.value);
  if (context.connection.stop.aborted)
    return ok({ raw: last.raw, external: `it was still ${last.status} when the run was stopped` });
  return failedRead("not_ready", path, `it is still ${last.status} after ${context.waitTimeout / 1000} s`);
}

function reasonOf(readiness: Readiness, fields: Fields): string {
  const reason = readiness.reason?.(fields) ?? "";
  return reason === "" ? "" : `: ${reason}`;
}

const ok = <T>(value: T) => ({ ok: true as const, value });

/** A request whose job is done. */
interface Accepted {
  /** True if the answer only accepted the request; else a job ran beside the object in the answer. */
  readonly isOnly: boolean;
  /** The id of what the job has made, where it names one that can stand in a path. */
  readonly made: RemoteId | undefined;
}

/**
 * Waits for the jobs of a request until they are done. Fails as the first of them does; undefined for an answer that names none and does
 * not merely accept the request.
 */
export async function awaitJob(
  context: RunContext,
  { answer: { job: rules } }: ApiRules,
  answer: ApiResponse,
): Promise<Result<Accepted | undefined>> {
  const isOnly = rules?.statuses?.includes(answer.status) === true;
  if (!rules || !(isOnly || runsBeside(rules, answer))) return { ok: true, value: undefined };
  const paths = jobPaths(context, rules, answer);
  if (paths.length > mostJobs) {
    const message = `the answer names ${paths.length} jobs, and at most ${mostJobs} are followed`;
    return failedRead("not_ready", rules.path ?? "", message);
  }
  const jobs = await Promise.all(paths.map((path) => followJob(context, rules, path)));
  for (const job of jobs) if (!job.ok) return job;
  const made = jobs.flatMap((job) => (job.ok ? (idMadeBy(rules, job.value) ?? []) : []));
  return { ok: true, value: { isOnly, made: made[0] } };
}

/** More than any request starts; each is asked for again and again. */
const mostJobs = 100;

/** The id of what a finished job has made, where it names one that can stand in a path. */
export function idMadeBy(rules: JobRules, job: JsonObject): RemoteId | undefined {
  const id = usableId(rules.resource_id === undefined ? undefined : getPointer(job, rules.resource_id));
  return id === "" ? undefined : id;
}

/** Returns whether a job decides what becomes of a request. */
export const isAccepted = ({ answer: { job } }: ApiRules, answer: ApiResponse): boolean =>
  job !== undefined && (job.statuses?.includes(answer.status) === true || runsBeside(job, answer));

/** Returns whether the answer names a job, where no status tells of one: it may hold the object too. */
const runsBeside = (rules: JobRules, answer: ApiResponse): boolean =>
  rules.statuses === undefined && jobIds(rules, answer).length > 0;

function jobIds({ id, ids }: JobRules, { body }: ApiResponse): RemoteId[] {
  const all = ids === undefined ? undefined : getPointer(body, ids);
  const named = [...(id === undefined ? [] : [getPointer(body, id)]), ...(Array.isArray(all) ? (all as Json[]) : [])];
  return named.map(usableId).filter((each) => each !== "");
}

/** Returns where the jobs of an answer are read. A job elsewhere is not asked for, because the key must not go there. */
function jobPaths({ connection, contract }: RunContext, rules: JobRules, answer: ApiResponse): string[] {
  const { path: template } = rules;
  const ids = template === undefined ? [] : jobIds(rules, answer);
  if (template !== undefined && ids.length > 0)
    return ids.map((id) => contract.base_path + template.replaceAll("{job}", encodeURIComponent(id)));
  const path = answer.location === undefined ? undefined : connection.localPath(answer.location);
  return path === undefined ? [] : [path];
}

/** Polls a job until it is done. Returns the finished job; or its failure, in the server's words. */
async function followJob(context: RunContext, rules: JobRules, path: string): Promise<Result<JsonObject>> {
  let status = "";
  const seen = await pollUntil<JsonObject | undefined>(context, context.waitTimeout, async () => {
    const looked = await lookAtJob(polling(context), rules, path);
    if (!looked.ok) return looked;
    const { job, isDone } = looked.value;
    status = rules.status === undefined ? String(looked.value.status) : jsonText(getPointer(job, rules.status));
    if (rules.failed?.includes(status) === true) {
      const { error } = failedRead("not_ready", path, jobError(rules, job) ?? `the job ended as ${status}`);
      return { ok: false, error: { ...error, givenUp: true } };
    }
    return { ok: true, value: isDone || rules.done?.includes(status) === true ? job : undefined };
  });
  if (seen.ok && seen.value !== undefined) return { ok: true, value: seen.value };
  if (context.connection.stop.aborted && (seen.ok || ["interrupted", "not_found"].includes(seen.error.sort)))
    return failedRead("not_ready", path, "the server has accepted it, and the run was stopped before its job was done");
  return seen.ok
    ? failedRead("not_ready", path, `the job is still ${status} after ${context.waitTimeout / 1000} s`)
    : seen;
}

/** A look at a job: what it is, and whether the HTTP status alone says that it is done. */
interface Look {
  readonly job: JsonObject;
  readonly status: number | undefined;
  readonly isDone: boolean;
}

/** Reads a job once; one that was only just begun may not be there yet. */
async function lookAtJob(context: RunContext, rules: JobRules, path: string): Promise<Result<Look>> {
  const own = jobRules(context.contract, rules);
  const isDone = (status: number | undefined) => status !== undefined && rules.done_statuses?.includes(status) === true;
  const answer = await lookAgain(
    context,
    maxReadLag,
    ({ connection }) => connection.get({ path, query: {}, rules: own }),
    (read) => read.ok || read.error.sort !== "not_found" || isDone(read.error.status),
  );
  const { status } = answer.ok ? answer.value : answer.error;
  if (!answer.ok && !isDone(status)) return answer;
  const job = answer.ok ? recordIn(own, answer.value.body) : undefined;
  if (!job && rules.done_statuses === undefined) return failedRead("malformed", path, noRecord(own));
  return { ok: true, value: { job: job ?? {}, status, isDone: isDone(status) } };
}

const jobRules = (contract: Contract, { record = contract.answer.record }: JobRules): ApiRules => ({
  ...contract,
  answer: { ...contract.answer, record },
});

function jobError(rules: JobRules, job: JsonObject): string | undefined {
  const reason = rules.error === undefined ? undefined : getPointer(job, rules.error);
  return typeof reason === "string" ? reason : undefined;
}
