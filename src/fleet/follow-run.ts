import type { Ending, Host } from "../engine/session/host.ts";
import type { Plan } from "../model/plan.ts";
import { DatabaseError } from "../postgres/connection.ts";
import { advanceRun, type FleetStore } from "./advance-run.ts";
import type { FleetEvent } from "./events.ts";
import type { AccountState, Fleet, Run, RunAccount, RunState } from "./model.ts";
import type { RunStatus } from "./runs/advance.ts";
import { groupChanges, type AccountChanges } from "./runs/group-changes.ts";
import { countStates, runEnding } from "./runs/run-ending.ts";
import { readShown, shownPlans } from "./store/run-store.ts";

/** Milliseconds between two looks at a run. */
const lookEvery = 500;
/** Milliseconds without any worker after which that is said, again and again. */
const workerGone = 15_000;
const pauseAfterLoss = 2_000;
/** Milliseconds: a shorter pause is not worth a line. */
const shortPause = 3_000;

const under: ReadonlySet<AccountState> = new Set(["queued", "running"]);
const over: ReadonlySet<RunState> = new Set(["waiting", "stopped", "done", "cancelled"]);

/** The end of following a run: it waits for a person, or has ended. */
export interface Followed {
  readonly status: RunStatus;
  readonly ending: Ending;
}

interface FollowOptions extends Pick<Host, "now" | "sleep"> {
  readonly emit: (event: FleetEvent) => void;
  readonly signal: AbortSignal;
  /** A change of a person to the run, made first. It may be made twice: the database that is lost at its end may have it. */
  readonly change?: ((status: RunStatus) => RunStatus) | undefined;
  /** Accounts of the run whose states have been emitted. */
  readonly known: readonly RunAccount[];
}

/**
 * Follows a run until it ends, or waits for a person, or for nothing but windows; emits what happens meanwhile. Goes on while the database is
 * away, and says so. `signal`: ends it as interrupted; the run goes on without it.
 */
export async function followRun(
  store: FleetStore,
  id: string,
  fleet: Fleet,
  { emit, signal, now, sleep, change: first, known }: FollowOptions,
): Promise<Followed | undefined> {
  const seen = new Map(known.map(({ account, state }) => [account, state]));
  /** The reasons why jobs were given back, by account. */
  const returned = new Map<string, string>();
  /** The ends of the pauses that were said, by API. */
  const paused = new Map<string, number>();
  let wave: number | undefined;
  let quietSince = now();
  let [isLost, isQuiet, change] = [false, false, first];
  const look = async (): Promise<Followed | "none" | "goes_on"> => {
    const status = await advanceRun(store, id, fleet, now(), change, isQuiet);
    [isQuiet, change] = [false, undefined];
    if (!status) return "none";
    const { run, accounts } = status;
    const news = accounts.filter(({ account, state }) => seen.get(account) !== state);
    for (const account of news) {
      seen.set(account.account, account.state);
      if (!under.has(account.state)) emit(endOf(id, account));
    }
    for (const { account, state, why } of accounts) {
      if (state !== "queued" || why === undefined || returned.get(account) === why) continue;
      returned.set(account, why);
      emit({ type: "job_returned", run: id, account, why });
    }
    const isNext = run.state === "applying" && run.wave !== wave;
    if (wave !== undefined && (isNext || run.state === "done"))
      emit({
        type: "wave_ended",
        run: id,
        wave: wave + 1,
        sums: countStates(accounts.filter((each) => each.wave === wave)),
      });
    if (isNext) emit(waveStarted(run, accounts));
    if (isNext) wave = run.wave;
    const isOnlyLater =
      !accounts.some(({ state }) => under.has(state)) && accounts.some(({ state }) => state === "later");
    // Other accounts of a wave that is stopped may still be under way.
    const isStopping = run.state === "stopped" && accounts.some(({ state }) => state === "running");
    if ((over.has(run.state) && !isStopping) || isOnlyLater || signal.aborted)
      return ended(store, status, { emit, signal });
    for (const { host, until, seconds } of news.length > 0 ? [] : await pausedApis(store)) {
      // Each answer that comes late makes it a little longer.
      if (until - (paused.get(host) ?? 0) >= shortPause) emit({ type: "api_paused", run: id, host, seconds });
      paused.set(host, Math.max(until, paused.get(host) ?? 0));
    }
    if (news.length > 0 || (await hasWorker(store))) quietSince = now();
    else if (now() - quietSince >= workerGone) {
      [isQuiet, quietSince] = [true, now()];
      emit({ type: "workers_missing", run: id, jobs: accounts.filter(({ state }) => state === "queued").length });
    }
    return "goes_on";
  };
  for (;;) {
    try {
      const found = await look();
      if (found !== "goes_on") return found === "none" ? undefined : found;
      isLost = false;
    } catch (error) {
      if (!(error instanceof DatabaseError && error.isLost) || signal.aborted) throw error;
      if (!isLost) emit({ type: "database_lost", reason: error.message });
      isLost = true;
    }
    await sleep(isLost ? pauseAfterLoss : lookEvery, signal);
  }
}

async function ended(
  { database }: FleetStore,
  status: RunStatus,
  { emit, signal }: { readonly emit: (event: FleetEvent) => void; readonly signal: AbortSignal },
): Promise<Followed> {
  const { run, accounts } = status;
  const { id, kind, hash, state, stopped, options } = run;
  const hasPlans = state === "waiting" || (kind === "plan" && accounts.some((account) => account.state === "changed"));
  if (hash !== undefined && hasPlans) {
    const plans = await shownPlans(database, id);
    const groups = readShown(`the plans of run ${id}`, "hostform fleet plan", () => groupChanges(plans.map(changesOf)));
    emit({ type: "run_waiting", run: id, kind, groups, ...(options.autoApprove !== true && { hash }) });
  }
  if (state === "stopped" && stopped) emit({ type: "run_stopped", run: id, reason: stopped });
  const ending = signal.aborted ? "interrupted" : endingOf(run, accounts);
  emit({ type: "run_ended", run: id, kind, state, sums: countStates(accounts), ending });
  return { status, ending };
}

/** A run that waits for a person has not done what was asked for. */
function endingOf({ kind, state }: Run, accounts: readonly RunAccount[]): Ending {
  const worst = runEnding(accounts);
  if (state === "cancelled") return "interrupted";
  const isOpen = kind === "apply" && (state === "waiting" || state === "stopped");
  return isOpen && (worst === "done" || worst === "changes") ? "refused" : worst;
}

function endOf(run: string, account: RunAccount): FleetEvent {
  const { owner: _, group: _group, needs: _needs, wave: _wave, planHash: _hash, ...end } = account;
  return { type: "account_ended", run, ...end };
}

const waveStarted = ({ id, wave }: Run, accounts: readonly RunAccount[]): FleetEvent => ({
  type: "wave_started",
  run: id,
  wave: wave + 1,
  waves: 1 + Math.max(0, ...accounts.map((account) => account.wave ?? 0)),
  accounts: accounts.filter((account) => account.wave === wave).length,
});

/** The domains that a plan names are the account's own, and so is the name of its manifest. */
function changesOf({ account, shown }: { readonly account: string; readonly shown: string }): AccountChanges {
  const plan = JSON.parse(shown) as Plan;
  const keys = [...plan.owned.addresses, ...plan.steps.map((step) => step.address)].map(
    (address) => /^[^/]*\/(?:[^/]*@)?([^/]*)/u.exec(address)?.[1] ?? "",
  );
  const domains = [...new Set(keys)].filter((key) => /\.[a-z][a-z0-9-]+$/u.test(key));
  return { account, domains, names: [account, plan.target.name], steps: plan.steps };
}

/** Whether some worker has a job. */
async function hasWorker({ database }: FleetStore): Promise<boolean> {
  const rows = await database.query(
    "SELECT 1 FROM hostform.lease WHERE job IS NOT NULL AND until > clock_timestamp() LIMIT 1",
  );
  return rows.length > 0;
}

/** Returns the APIs to which nothing is sent now: `until` in milliseconds of the database's clock. */
const pausedApis = ({ database }: FleetStore) =>
  database.query<{ host: string; until: number; seconds: number }>(
    `SELECT host, until, ceil((until - now) / 1000)::int AS seconds FROM (
       SELECT host, (bucket->>'pausedUntil')::float8 AS until, extract(epoch FROM clock_timestamp())::float8 * 1000 AS now
       FROM hostform.pace) AS p WHERE until - now >= $1`,
    [shortPause],
  );
