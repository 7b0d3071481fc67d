import type { Host } from "../../engine/session/host.ts";
import type { Work } from "../../api/bucket.ts";
import { sharedPace, type SharedPace } from "../../api/shared-pace.ts";
import { getOrMake } from "../../lib/collect.ts";
import { inputError } from "../../engine/session/input-error.ts";
import { DatabaseError, type Database } from "../../postgres/connection.ts";
import type { InventoryStore } from "../../state/inventory/inventory-store.ts";
import { leaseSeconds, type Claim } from "../../postgres/queue.ts";
import { inventoryStore } from "../../postgres/stores/inventory.ts";
import { journalStore } from "../../postgres/stores/journal.ts";
import { leaseRegister, leaseRules } from "../../postgres/stores/lease-register.ts";
import { bucketInDatabase } from "../../postgres/stores/pace.ts";
import { advanceAll, type FleetStore } from "../advance-run.ts";
import type { FleetEvent } from "../events.ts";
import { othersKnown, readJob, writeResult } from "../store/job-store.ts";
import { doJob, type JobEnd, type JobMeans } from "./do-job.ts";

export interface WorkerOptions extends Pick<JobMeans, "fleet" | "allowFile" | "execFile" | "parallelism"> {
  /** Accounts at a time. */
  readonly concurrency: number;
}

/** The machine as a worker needs it. */
export type WorkerHost = Pick<Host, "now" | "sleep" | "env" | "newId" | "elapsed" | "every"> & {
  /** The name of this worker, for people. */
  readonly by: string;
  readonly emit: (event: FleetEvent) => void;
  /** Jobs that run are stopped and given back once it is aborted. */
  readonly signal: AbortSignal;
};

/** Milliseconds. */
const lookEvery = 500;
const sweepEvery = 5_000;
/** After an error of the database. */
const pauseAfterLoss = 2_000;
/** Seconds until a job that this worker could not do may be taken again. */
const returnedFor = 15;

/**
 * Does jobs until `signal` is aborted. A worker that cannot reach its database starts nothing; what it does ends before its lease does, since
 * no write is sent that does not stand in the journal.
 */
export async function runWorker(store: FleetStore, options: WorkerOptions, host: WorkerHost): Promise<void> {
  const { database, queue } = store;
  const { now, sleep, signal, emit, by } = host;
  const paces = new Map<string, SharedPace>();
  const running = new Set<Promise<void>>();
  let sweptAt = Number.NEGATIVE_INFINITY;
  const paceFor = (work: Work) => (origin: string) =>
    getOrMake(paces, `${work} ${origin}`, () => sharedPace(bucketInDatabase(database, origin), work, host));
  const start = (claim: Claim) => {
    const { job, attempt } = claim;
    const work = attempt > 1 && job.kind === "apply" ? "recovery" : job.kind === "recover" ? "recovery" : job.kind;
    const doing = workOn(store, claim, { ...options, paceFor: paceFor(work) }, host).finally(() =>
      running.delete(doing),
    );
    running.add(doing);
  };
  while (!signal.aborted) {
    try {
      if (now() - sweptAt >= sweepEvery) {
        sweptAt = now();
        await queue.sweep();
      }
      await advanceAll(store, options.fleet, now());
      const free = options.concurrency - running.size;
      const claims = free > 0 ? await queue.claim(by, free) : [];
      for (const claim of claims) start(claim);
      if (claims.length === 0) await Promise.race([sleep(lookEvery, signal), ...running]);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      emit({ type: "database_lost", reason: error.message });
      await sleep(pauseAfterLoss, signal);
    }
  }
  await Promise.all(running);
}

/** Does one job, and renews its lease meanwhile. An error of the database leaves it to others, once the lease has run out. */
async function workOn(
  store: FleetStore,
  claim: Claim,
  { fleet, paceFor, ...options }: WorkerOptions & { readonly paceFor: (origin: string) => SharedPace },
  { signal, every, elapsed, env, newId, emit, by }: WorkerHost,
): Promise<void> {
  const { database, queue } = store;
  const { job, token } = claim;
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  signal.addEventListener("abort", onAbort);
  let renewedAt = elapsed();
  const renew = async () => {
    const began = elapsed();
    const isOurs = await queue.renew([claim]).then(
      (tokens) => tokens.has(token),
      () => undefined,
    );
    if (isOurs === true) renewedAt = began;
    if (isOurs === false || elapsed() - renewedAt > 1000 * leaseSeconds - leaseRules.margin) stop.abort();
  };
  const quiet = every(leaseRules.renewEvery, () => void renew());
  try {
    const account = fleet.accounts.find(({ name }) => name === job.account);
    const task = await readJob(database, job);
    if (!task) return void (await queue.finish(claim, async () => undefined));
    const holder = { lease: job.target, token, newId };
    const stores = {
      inventory: (target: string) => ownInventory(database, target, job.target),
      lease: () => leaseRegister(database, holder),
      journal: (target: string) => journalStore(database, target, holder),
      pace: paceFor,
    };
    const means: JobMeans = {
      ...options,
      fleet,
      env,
      stores,
      signal: stop.signal,
      othersKnown: (keySource, asked) =>
        othersKnown(database, { fleet: fleet.name, account: job.account, keySource }, asked),
    };
    const end: JobEnd = account
      ? await doJob(account, task, means)
      : { is: "returned", why: "its fleet.yaml does not have the account" };
    if (end.is === "ended") {
      await queue.finish(claim, (on) => writeResult(on, { ...job, kind: task.kind }, end));
      return;
    }
    await queue.giveBack(claim, signal.aborted ? 0 : returnedFor, `${by}: ${end.why}`);
    emit({ type: "job_returned", run: job.run, account: job.account, worker: by, why: end.why });
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    emit({ type: "database_lost", reason: error.message });
  } finally {
    quiet();
    signal.removeEventListener("abort", onAbort);
  }
}

/** The inventory of a target that is no other account's. Its load throws an InputError where it is. */
function ownInventory(database: Database, target: string, account: string): InventoryStore {
  const store = inventoryStore(database, target);
  return {
    ...store,
    load: async () => {
      const [row] = await database.query<{ account: string }>(
        `WITH added AS (INSERT INTO hostform.target VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING account)
         SELECT account FROM added UNION ALL SELECT account FROM hostform.target WHERE target = $1`,
        [target, account],
      );
      if (row?.account === account) return store.load();
      throw inputError(
        "target_of_other_account",
        `The manifests of ${account} have the name and the API of ${row?.account}: each would delete what the other made`,
        "give the manifests of one of the two another name:",
      );
    },
  };
}
