import type { Emit } from "../../engine/session/events.ts";
import type { Session } from "../../engine/session/host.ts";
import type { SharedPace } from "../../api/shared-pace.ts";
import { DatabaseError, type Database } from "../../postgres/connection.ts";
import { leaseSeconds, type Claim } from "../../postgres/queue.ts";
import { journalStore } from "../../postgres/stores/journal.ts";
import { leaseRegister, leaseRules } from "../../postgres/stores/lease-register.ts";
import { pacesInDatabase } from "../../postgres/stores/pace.ts";
import { advanceAll, type FleetStore } from "../advance-run.ts";
import type { FleetEvent } from "../events.ts";
import { currentFleet, type CurrentFleet } from "../file/read-fleet.ts";
import { describeShut, isOpen } from "../file/window.ts";
import type { Fleet } from "../model.ts";
import { targetOf } from "../start-run.ts";
import { removeOldRuns, postDrift, planWatch } from "./watch.ts";
import {
  failJob,
  knownApis,
  leaveAccount,
  readJob,
  writeResult,
  type JobResult,
  type JobTask,
} from "../store/job-store.ts";
import { ownInventory } from "../store/own-inventory.ts";
import { doJob, type JobEnd, type JobMeans } from "./do-job.ts";

export interface WorkerOptions extends Pick<JobMeans, "allowFile" | "execFile" | "parallelism" | "policy"> {
  /** As its file was read; the worker reads it again when it changes. */
  readonly fleet: Fleet;
  /** Accounts at a time. */
  readonly concurrency: number;
  /** Milliseconds in which each account is checked for drift once. Default: none is. */
  readonly watchEvery?: number | undefined;
  /** The URL to which new drift is posted. */
  readonly notifyUrl?: URL | undefined;
}

/** A job under way: since when, and of which API once that is known. */
interface Doing {
  readonly since: number;
  origin?: string;
}

/** The machine as a worker needs it. */
export type WorkerHost = Pick<Session, "now" | "sleep" | "env" | "newId" | "elapsed" | "every" | "mask"> & {
  /** The name of this worker, for people. */
  readonly by: string;
  readonly emit: (event: FleetEvent) => void;
  /** Takes warnings. */
  readonly warn: Emit;
  /** Takes a defect, which has failed one account only: each once. */
  readonly onDefect: (error: unknown) => void;
  /** Jobs that run are stopped and given back once it is aborted. */
  readonly signal: AbortSignal;
};

/** Milliseconds. */
const lookEvery = 500;
const sweepEvery = 5_000;
const watchLookEvery = 60_000;
/** After an error of the database. */
const pauseAfterLoss = 2_000;
/** Milliseconds after which a job may be held up by its API: it pauses, is silent, or is slow. */
const slowAfter = 10_000;
/** Seconds until a job that this worker could not do may be taken again. */
const returnedFor = 15;

/**
 * Does jobs until `signal` is aborted. A worker that cannot reach its database starts nothing; what it does ends before its lease does, since
 * no write is sent that does not stand in the journal.
 */
export async function runWorker(store: FleetStore, options: WorkerOptions, host: WorkerHost): Promise<void> {
  const { database, queue } = store;
  const { now, sleep, signal, by, elapsed } = host;
  const paceOf = pacesInDatabase(database, host);
  const running = new Map<Promise<void>, Doing>();
  const fleet = currentFleet(options.fleet, host.warn);
  const ending = new AbortController();
  const losses = new Set<string>();
  // Each job finds out for itself, every few seconds, that the database is away.
  const emit = (event: FleetEvent) => {
    if (event.type !== "database_lost" || isNew(losses, event.reason)) host.emit(event);
  };
  const inner = { ...host, emit, signal: AbortSignal.any([signal, ending.signal]), onDefect: eachOnce(host.onDefect) };
  let [sweptAt, watchedAt, restUntil] = [-Infinity, -Infinity, -Infinity];
  let returned = 0;
  const start = async (claim: Claim, doing: Doing) => {
    const { job, attempt } = claim;
    const work = attempt > 1 && job.kind === "apply" ? "recovery" : job.kind;
    // Others may do a job that this worker cannot: it leaves them the time to take it.
    const pace = (origin: string) => paceOf(work, (doing.origin = origin));
    returned = (await workOn(store, claim, fleet, { ...options, paceFor: pace }, inner)) ? returned + 1 : 0;
    restUntil = now() + 1000 * Math.min(returned, returnedFor);
  };
  try {
    while (!signal.aborted) {
      try {
        if (now() - sweptAt >= sweepEvery) {
          sweptAt = now();
          await queue.sweep(failJob);
        }
        if (now() - watchedAt >= watchLookEvery) {
          watchedAt = now();
          await lookAround(store, await fleet(), options, inner);
        }
        await advanceAll(store, await fleet(), now());
        losses.clear();
        const free = options.concurrency - running.size;
        // An API that holds up all that runs here does not hold up the accounts of others.
        const held = free > 0 ? [] : [...running.values()].filter(({ since }) => elapsed() - since >= slowAfter);
        const slow = held.flatMap(({ origin = [] }) => origin);
        const most = now() < restUntil ? 0 : free + slow.length;
        const claims = most > 0 ? await queue.claim(by, most, slow) : [];
        for (const claim of claims) {
          const doing: Doing = { since: elapsed() };
          const done = start(claim, doing).finally(() => running.delete(done));
          running.set(done, doing);
        }
        if (claims.length === 0) await Promise.race([sleep(lookEvery, signal), ...running.keys()]);
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        emit({ type: "database_lost", reason: error.message });
        await sleep(pauseAfterLoss, signal);
      }
    }
  } finally {
    ending.abort();
    await Promise.all(running.keys());
  }
}

/** Does the rest of the work: plans checks for drift, posts new drift, and removes old runs. */
export async function lookAround(
  store: FleetStore,
  fleet: Fleet,
  { watchEvery, notifyUrl }: Pick<WorkerOptions, "watchEvery" | "notifyUrl">,
  { by, env, mask, warn }: Pick<WorkerHost, "by" | "env" | "mask" | "warn">,
): Promise<void> {
  if (watchEvery !== undefined) await planWatch(store, fleet, watchEvery, by);
  if (notifyUrl) await postDrift(store.database, fleet.name, notifyUrl, { env, mask, emit: warn });
  await removeOldRuns(store.database);
}

/** A defect that all accounts of a fleet meet is printed once. */
function eachOnce(print: (error: unknown) => void): (error: unknown) => void {
  const printed = new Set<string>();
  return (error) => {
    // The frames below the place of the defect tell how the account came to it.
    const text = ((error instanceof Error && error.stack) || String(error)).split("\n", 2).join("\n");
    if (isNew(printed, text)) print(error);
  };
}

/** Adds a text to those that were seen, and returns whether it was not among them. */
const isNew = (seen: Set<string>, text: string) => seen.size < seen.add(text).size;

/**
 * Does one job, and renews its lease meanwhile. Returns whether it gave the job back for another worker. An error of the database leaves it
 * to others, once the lease has run out.
 */
async function workOn(
  store: FleetStore,
  claim: Claim,
  fleet: CurrentFleet,
  { paceFor, ...options }: WorkerOptions & { readonly paceFor: (origin: string) => SharedPace },
  host: WorkerHost,
): Promise<boolean> {
  const { queue } = store;
  const { signal, every, elapsed, emit, by, onDefect, sleep } = host;
  const { job } = claim;
  const lost = new AbortController();
  const stop = AbortSignal.any([signal, lost.signal]);
  let renewedAt = elapsed();
  const renew = async () => {
    const began = elapsed();
    const isOurs = await queue.renew(claim).catch(() => undefined);
    if (isOurs === true) renewedAt = began;
    if (isOurs === false || elapsed() - renewedAt > 1000 * leaseSeconds - leaseRules.margin) lost.abort();
  };
  const quiet = every(leaseRules.renewEvery, () => void renew());
  // A sweep counts a job that nobody gives back as the death of its worker: that of the database is none.
  const giveBack = async (why: string): Promise<boolean> => {
    for (;;)
      try {
        await queue.giveBack(claim, signal.aborted ? 0 : returnedFor, why);
        emit({ type: "job_returned", run: job.run, account: job.account, why });
        return true;
      } catch (error) {
        emit({ type: "database_lost", reason: error instanceof Error ? error.message : String(error) });
        if (!(error instanceof DatabaseError && error.isLost) || signal.aborted) return false;
        await sleep(pauseAfterLoss, signal);
      }
  };
  try {
    const task = await readJob(store.database, job);
    if (!task) {
      await queue.finish(claim, (on) => leaveAccount(on, job));
      return false;
    }
    const end = await endOf(store, claim, task, fleet, { ...options, paceFor, signal: stop }, host);
    if (end.is === "returned") return await giveBack(`${by}: ${end.why}`);
    if (await storeEnd(store, claim, task, end, { ...host, signal: stop })) return false;
    emit({ type: "job_returned", run: job.run, account: job.account, why: `${by}: its lease had run out` });
    return false;
  } catch (error) {
    if (!(error instanceof DatabaseError)) onDefect(error);
    else if (error.isLost) return await giveBack(`${by}: ${error.message}`);
    else emit({ type: "database_lost", reason: error.message });
    return false;
  } finally {
    quiet();
  }
}

/** Does a job by the checkout of this worker. A defect is the end of the account in this run, and not that of the worker. */
async function endOf(
  { database }: FleetStore,
  { job, token, attempt }: Claim,
  task: JobTask,
  current: CurrentFleet,
  means: Omit<JobMeans, "fleet" | "env" | "stores" | "known"> & { readonly paceFor: (origin: string) => SharedPace },
  { env, newId, now, onDefect }: WorkerHost,
): Promise<JobEnd> {
  const { paceFor, ...options } = means;
  const find = ({ name, accounts }: Fleet) => accounts.find((each) => targetOf(name, each.name) === job.target);
  const account = find(await current()) ?? find(await current(true));
  if (!account) return { is: "returned", why: "its fleet.yaml does not have the account" };
  const { window } = account;
  // The rest of what another worker began waits for no window.
  if (window && task.kind === "apply" && attempt === 1 && !isOpen(window, now()))
    return { is: "ended", state: "later", ending: "pending_elsewhere", why: describeShut(window, now()) };
  const fleet = await current();
  const holder = { lease: job.target, token, newId };
  const all = new Set(fleet.accounts.map((each) => targetOf(fleet.name, each.name)));
  // Only this fleet is known: an account of another one may be there.
  const isThere = (target: string) => !target.startsWith(targetOf(fleet.name, "")) || all.has(target);
  let lost: DatabaseError | undefined;
  const query: Database["query"] = (text, values) =>
    database.query<never>(text, values).catch((error: unknown) => {
      if (error instanceof DatabaseError && error.isLost) lost = error;
      throw error;
    });
  const watched = { ...database, query };
  const stores = {
    inventory: (target: string) => ownInventory(watched, target, { account: job.target, isThere }),
    lease: () => leaseRegister(watched, holder),
    journal: (target: string) => journalStore(watched, target, holder),
    pace: paceFor,
  };
  try {
    const end = await doJob(account, task, {
      ...options,
      fleet,
      env,
      stores,
      known: (keySource, asked) => knownApis(watched, { fleet: fleet.name, account: job.account, keySource }, asked),
    });
    // An apply that lost the database has not done all, and a plan without an inventory is another: somebody begins again.
    return lost ? { is: "returned", why: lost.message } : end;
  } catch (error) {
    if (error instanceof DatabaseError) throw error;
    onDefect(error);
    return { is: "ended", state: "failed", ending: "unexpected", why: "a defect of Hostform; its worker printed it" };
  }
}

/** Stores the end of a job, and tries again as long as the lease is ours: nobody is to find the same out twice. False where it is not any more. */
async function storeEnd(
  { queue }: FleetStore,
  claim: Claim,
  { kind }: JobTask,
  end: JobResult,
  { sleep, signal, emit }: Pick<WorkerHost, "sleep" | "signal" | "emit">,
): Promise<boolean> {
  for (let result = end; ;) {
    try {
      return await queue.finish(claim, (on) => writeResult(on, { ...claim.job, kind }, result));
    } catch (error) {
      if (!(error instanceof DatabaseError) || signal.aborted) throw error;
      emit({ type: "database_lost", reason: error.message });
      // A text that it does not take today, it does not take later either.
      if (error.code?.startsWith("22") === true) result = { state: "failed", ending: "unexpected", why: error.message };
      await sleep(pauseAfterLoss, signal);
    }
  }
}
