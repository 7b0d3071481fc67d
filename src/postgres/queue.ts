import type { Connection, Database } from "./connection.ts";
import { fetchJobs, noteWaiting } from "./job-statements.ts";
import { pgBoss, queueName, runOn } from "./pg-boss.ts";
import { queueSchema } from "./tables.ts";

/** The kinds of jobs, the first of which goes before the others. */
const kinds = ["apply", "plan", "drift"] as const;
export type JobKind = (typeof kinds)[number];

/** The work to be done for one account. */
export interface Job {
  /** A UUID. A job of an id that waits already is not queued again. */
  readonly id: string;
  readonly kind: JobKind;
  readonly run: string;
  readonly account: string;
  /** Owners take turns, however many jobs each of them has. */
  readonly owner: string;
  /** The key of its lease: two jobs of one target never run at once. */
  readonly target: string;
  /** Seconds from now before which it does not begin. Default: 0. */
  readonly after?: number;
}

/** A job in the hands of a worker, as long as the lease of its target has the token. */
export interface Claim {
  readonly job: Job;
  readonly token: string;
  /** 1 for the first worker that took it; one that gave it back does not count. */
  readonly attempt: number;
}

/** The jobs of all runs. Functions that take a connection do their part in its transaction. Each throws a DatabaseError where it is lost. */
export type Queue = Awaited<ReturnType<typeof openQueue>>;

/** Seconds. */
export const leaseSeconds = 40;
const graceSeconds = 20;
/** A target may be held by an apply that is not a job, or until the next sweep. */
const heldSeconds = 5;
const maxAttempts = 5;
/** The numbers of the jobs of a kind lie between its priority and that of the next kind. */
const step = 500_000_000;
const sweepLock = 7_081_426_002;
/** No job ends by its age: pg-boss's own maintenance never runs here, and would find nothing. */
const tenYears = 315_360_000;

const priorityOf = (kind: JobKind) => (kinds.length - 1 - kinds.indexOf(kind)) * step;
const priorityOfInterrupted = kinds.length * step;

/** The queue of a database whose tables are those of this program. */
export async function openQueue(database: Database) {
  const boss = await pgBoss(database);
  const remove = (connection: Connection, { id }: Job) => boss.deleteJob(queueName, id, runOn(connection));
  return {
    enqueue: async (connection: Connection, jobs: readonly Job[]): Promise<void> => {
      if (jobs.length === 0) return;
      const rows = (await withTurns(connection, jobs)).map(({ job: { after = 0, ...job }, turn }) => ({
        id: job.id,
        name: queueName,
        data: job,
        priority: priorityOf(job.kind) - turn,
        startAfter: String(after),
        expireInSeconds: tenYears,
        keepUntil: "infinity",
      }));
      await boss.insert(rows, runOn(connection));
      const found = await connection.query(`SELECT 1 FROM ${queueSchema}.job WHERE name = $1 AND id = ANY($2)`, [
        queueName,
        jobs.map(({ id }) => id),
      ]);
      if (found.length !== jobs.length) throw new Error(`${found.length} of ${jobs.length} jobs were queued`);
    },
    /**
     * Takes up to `most` jobs with the leases of their targets. None: nothing waits that may run now.
     * @param except origins: only accounts that were last at another API are taken.
     */
    claim: (worker: string, most: number, except: readonly string[] = []): Promise<readonly Claim[]> =>
      database.transaction(async (connection) => {
        const fetched = await fetchJobs<Fetched>(connection, most, except);
        const claims: Claim[] = [];
        // Workers that want the same rows ask for them in the same order: else each could wait for the other.
        for (const { data: job, retryCount } of fetched.toSorted((a, b) => (a.data.target < b.data.target ? -1 : 1))) {
          const token = await takeLease(connection, job, worker);
          if (token === undefined) await putBack(connection, job, heldSeconds);
          else claims.push({ job, token, attempt: retryCount + 1 });
        }
        for (const { job, attempt } of claims)
          await connection.query(
            `UPDATE hostform.run_account SET state = 'running', why = NULL, attempts = $3, ended = NULL
             WHERE run = $1 AND account = $2 AND state = 'queued'`,
            [job.run, job.account, attempt],
          );
        return claims;
      }),
    /** Prolongs a lease. False where it has another holder by now. */
    renew: async ({ job, token }: Claim): Promise<boolean> => {
      const renewed = await database.query(
        `UPDATE hostform.lease SET until = clock_timestamp() + make_interval(secs => $1)
         WHERE target = $2 AND token = $3 RETURNING 1`,
        [leaseSeconds, job.target, token],
      );
      return renewed.length > 0;
    },
    /** Ends a job and its lease together with what `work` stores. False where the lease has another holder by now: then nothing is stored. */
    finish: (claim: Claim, work: (connection: Connection) => Promise<unknown>): Promise<boolean> =>
      database.transaction(async (connection) => {
        if (!(await endLease(connection, claim))) return false;
        await work(connection);
        await remove(connection, claim.job);
        return true;
      }),
    /** Lets another worker have the job after some seconds. False as for finish. */
    giveBack: (claim: Claim, seconds: number, why: string): Promise<boolean> =>
      database.transaction(async (connection) => {
        if (!(await endLease(connection, claim))) return false;
        await putBack(connection, claim.job, seconds);
        await noteWaiting(connection, claim.job, why);
        return true;
      }),
    /**
     * Queues the jobs again whose workers ended without a word. Those for which that was so too often have failed, which `fail` stores.
     * @param grace seconds since the start of the server in which all leases look as if they had run out.
     */
    sweep: (fail: (connection: Connection, job: Job, why: string) => Promise<unknown>, grace = graceSeconds) =>
      database.transaction(async (connection) => {
        const dead = (await mayNotSweep(connection, grace)) ? [] : await takeDead(connection);
        const tooOften = dead.filter(({ retryCount }) => retryCount + 1 >= maxAttempts);
        const others = dead.filter((each) => !tooOften.includes(each));
        for (const { data: job } of others) await noteWaiting(connection, job, "its worker ended without a word");
        for (const { data: job } of tooOften) {
          await fail(connection, job, `${maxAttempts} workers ended without a word while they did it`);
          await remove(connection, job);
        }
        return { again: others.map(({ data }) => data), failed: tooOften.map(({ data }) => data) };
      }),
    /** Removes the jobs of accounts of a run that wait, and returns how many there were. What a worker has, or takes now, is not waited for. */
    withdraw: async (connection: Connection, run: string, accounts: readonly string[]): Promise<number> => {
      if (accounts.length === 0) return 0;
      const gone = await connection.query(
        `DELETE FROM ${queueSchema}.job WHERE name = $1 AND id IN (
           SELECT id FROM ${queueSchema}.job WHERE name = $1 AND state < 'active' AND data->>'run' = $2 AND data->>'account' = ANY($3)
           FOR UPDATE SKIP LOCKED
         ) RETURNING 1`,
        [queueName, run, accounts],
      );
      return gone.length;
    },
  };
}

interface Fetched {
  readonly data: Job;
  readonly retryCount: number;
}

/**
 * Gives each job its place: the owners take turns, so the n-th job of one comes beside the n-th of another. Who comes later begins at the
 * turn that is served now: neither before those who wait already nor behind all of them.
 */
async function withTurns(connection: Connection, jobs: readonly Job[]) {
  const last = new Map<string, number>();
  for (const kind of new Set(jobs.map((job) => job.kind))) {
    const base = priorityOf(kind);
    const rows = await connection.query<{ owner: string; first: number; last: number }>(
      `SELECT data->>'owner' AS owner, $2 - max(priority) AS first, $2 - min(priority) AS last FROM ${queueSchema}.job
       WHERE name = $1 AND state < 'active' AND priority <= $2 AND priority > $2 - $3::int GROUP BY 1`,
      [queueName, base, step],
    );
    last.set(kind, rows.reduce((least, { first }) => Math.min(least, first), rows[0]?.first ?? 0) - 1);
    for (const row of rows) last.set(`${kind} ${row.owner}`, row.last);
  }
  return jobs.map((job) => {
    const key = `${job.kind} ${job.owner}`;
    const turn = (last.get(key) ?? last.get(job.kind) ?? -1) + 1;
    last.set(key, turn);
    return { job, turn };
  });
}

/** Returns the token of the lease; undefined where another holds it. Only a sweep ends that of a job: it queues the job again, too. */
async function takeLease(connection: Connection, job: Job, worker: string): Promise<string | undefined> {
  const [row] = await connection.query<{ token: string }>(
    `INSERT INTO hostform.lease AS held (target, version, until, job, token, worker)
     VALUES ($1, gen_random_uuid()::text, clock_timestamp() + make_interval(secs => $2), $3, gen_random_uuid(), $4)
     ON CONFLICT (target) DO UPDATE SET version = excluded.version, content = NULL, until = clock_timestamp() + make_interval(secs => $2),
       job = excluded.job, token = excluded.token, worker = excluded.worker
     WHERE held.until <= clock_timestamp() AND held.job IS NULL
     RETURNING token`,
    [job.target, leaseSeconds, job.id, worker],
  );
  return row?.token;
}

/** Locks the job first, as a claim does: of a job that another took in the same moment, a claim has the lock as well, and waits for the lease. */
async function endLease(connection: Connection, { job, token }: Claim): Promise<boolean> {
  const ended = await connection.query(
    `WITH own AS MATERIALIZED (SELECT 1 FROM ${queueSchema}.job WHERE name = $4 AND id = $2 FOR UPDATE)
     DELETE FROM hostform.lease WHERE target = $1 AND job = $2 AND token = $3 AND (SELECT count(*) FROM own) >= 0 RETURNING 1`,
    [job.target, job.id, token, queueName],
  );
  return ended.length === 1;
}

/** Without a start, pg-boss does not count this attempt. */
const putBack = (connection: Connection, { id }: Job, seconds: number) =>
  connection.query(
    `UPDATE ${queueSchema}.job SET state = 'created', started_on = NULL, start_after = now() + make_interval(secs => $3)
     WHERE name = $1 AND id = $2 AND state = 'active'`,
    [queueName, id, seconds],
  );

/** One worker sweeps at a time; and nobody may have renewed a lease while the server was down. */
async function mayNotSweep(connection: Connection, grace: number): Promise<boolean> {
  const [turn] = await connection.query<{ mine: boolean }>(
    `SELECT pg_try_advisory_xact_lock($1)
       AND clock_timestamp() >= pg_postmaster_start_time() + make_interval(secs => $2) AS mine`,
    [sweepLock, grace],
  );
  return turn?.mine !== true;
}

/**
 * Ends the leases that ran out, and returns their jobs, which wait again. An interrupted apply goes before all others from then on. A job without a lease, which
 * somebody deleted, gets one that nobody renews: its worker may still be at it.
 */
async function takeDead(connection: Connection): Promise<readonly Fetched[]> {
  await connection.query(
    `INSERT INTO hostform.lease (target, until, job)
     SELECT data->>'target', clock_timestamp() + make_interval(secs => $2), id FROM ${queueSchema}.job j
     WHERE name = $1 AND state = 'active' AND NOT EXISTS (SELECT 1 FROM hostform.lease WHERE job = j.id) ON CONFLICT DO NOTHING`,
    [queueName, leaseSeconds],
  );
  return connection.query<Fetched>(
    `WITH dead AS (
       DELETE FROM hostform.lease WHERE target IN (
         SELECT target FROM hostform.lease WHERE until <= clock_timestamp() AND job IS NOT NULL FOR UPDATE SKIP LOCKED
       ) RETURNING job
     )
     UPDATE ${queueSchema}.job
       SET state = 'created', priority = CASE WHEN data->>'kind' = 'apply' THEN $2 ELSE priority END
     FROM dead WHERE name = $1 AND id = dead.job AND state = 'active'
     RETURNING data, retry_count AS "retryCount"`,
    [queueName, priorityOfInterrupted],
  );
}
