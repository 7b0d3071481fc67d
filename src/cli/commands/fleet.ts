import type { Ending } from "../../engine/session/host.ts";
import { inputError } from "../../engine/session/input-error.ts";
import { readNotifyUrl } from "../../engine/session/notify.ts";
import { keepFiles } from "../../lib/keep-files.ts";
import { counted } from "../../lib/shorten.ts";
import { isHash } from "../../lib/short-hash.ts";
import { describeRunner } from "../../model/runner.ts";
import { openDatabase } from "../../postgres/database.ts";
import { openQueue } from "../../postgres/queue.ts";
import { advanceRun, type FleetStore } from "../../fleet/advance-run.ts";
import type { FleetEvent } from "../../fleet/events.ts";
import { readFleet } from "../../fleet/file/read-fleet.ts";
import { requireApprovable } from "../../fleet/require-approvable.ts";
import { followRun, type Followed } from "../../fleet/follow-run.ts";
import type { Fleet, RunKind, RunOptions } from "../../fleet/model.ts";
import { cancelRun, continueRun, isOver, type RunStatus } from "../../fleet/runs/advance.ts";
import { readWaves, type GivenWaves } from "../../fleet/runs/waves.ts";
import { selectAccounts, startRun, stoppedRun, type Selection } from "../../fleet/start-run.ts";
import { readBoard, readDetails, readHistories } from "../../fleet/store/read-board.ts";
import { readPeriod } from "../../fleet/work/watch.ts";
import { runWorker, type WorkerHost, type WorkerOptions } from "../../fleet/work/worker.ts";
import { boardPages, boardPaths } from "../../render/fleet/board-pages.ts";
import { fleetEvent, fleetStatusEvents } from "../../render/fleet/fleet-json.ts";
import { renderFleetEvent, renderFleetStatus, renderHistory } from "../../render/fleet/fleet-text.ts";
import { versionEvent } from "../../render/json-events.ts";
import { explain } from "../endings.ts";
import type { Io } from "../io.ts";
import { printer } from "../printer.ts";
import { policyOfEach } from "../policy.ts";
import { orSayWhy } from "./fleet-database.ts";

interface FileOptions {
  readonly file: string;
  readonly json: boolean;
}
interface SelectionOptions extends FileOptions, Selection {}
type ConsentOptions = Pick<RunOptions, "acceptTarget" | "allowDelete" | "allowPurchase">;
interface ApplyOptions extends SelectionOptions, ConsentOptions, GivenWaves {
  readonly approve?: string | undefined;
  readonly autoApprove: boolean;
  readonly continue: boolean;
}
type WorkOptions = Omit<WorkerOptions, "fleet" | "watchEvery" | "notifyUrl" | "policy">;
interface WatchOptions extends FileOptions, WorkOptions {
  readonly drift?: string | undefined;
  readonly notifyUrl?: string | undefined;
}

/** A fleet and its database, and this process as its runs know it. */
interface OpenFleet extends FleetStore {
  readonly fleet: Fleet;
  readonly emit: (event: FleetEvent) => void;
  readonly signal: AbortSignal;
  readonly by: string;
}

/** Opens the fleet and its database for the length of `work`. */
async function withFleet(
  { file, json }: FileOptions,
  io: Io,
  work: (open: OpenFleet) => Promise<Ending>,
): Promise<Ending> {
  const fleet = await readFleet(file, "-f, or write a fleet.yaml there");
  return orSayWhy(json, io, async () => {
    const database = await openDatabase(io.env);
    const stop = new AbortController();
    io.onInterrupt(() => stop.abort());
    const emit = (event: FleetEvent) =>
      json ? io.writeEvent(fleetEvent(event)) : io.write(renderFleetEvent(event, io));
    try {
      if (json) io.writeEvent(versionEvent());
      const queue = await openQueue(database);
      return await work({ fleet, database, queue, emit, signal: stop.signal, by: describeRunner(io.env, io.runner) });
    } finally {
      await database.close();
    }
  });
}

/** Begins a run, or goes on with it, and follows it. */
async function startAndFollow(
  open: OpenFleet,
  kind: RunKind,
  options: SelectionOptions & { readonly approve?: string | undefined },
  runOptions: RunOptions,
  io: Io,
): Promise<Followed> {
  const { fleet, emit, by } = open;
  const { group, owner, only, approve } = options;
  const request = { kind, selection: { group, owner, only }, options: runOptions, approve };
  const started = await startRun(open, fleet, request, { newId: io.newId, by });
  emit({ type: "run_started", kind, ...started });
  // The hash of a run that is planned already is known: who gives it has seen the plans.
  const approveKnown = (status: RunStatus) =>
    approve !== undefined && status.run.state === "waiting" && isHash(approve, status.run.hash ?? "")
      ? approved(status.run.hash ?? "", by)(status)
      : status;
  return follow(open, started.run, io, approveKnown);
}

async function follow(
  open: OpenFleet,
  id: string,
  io: Io,
  change?: (status: RunStatus) => RunStatus,
  known: RunStatus["accounts"] = [],
): Promise<Followed> {
  const { fleet, emit, signal } = open;
  const followed = await followRun(open, id, fleet, { ...io, emit, signal, change, known });
  if (!followed) throw noSuchRun(id);
  return followed;
}

const noSuchRun = (id: string) =>
  inputError("no_such_run", `This fleet has no run ${id}`, "hostform fleet status shows those that wait");

const fleetPlans = (kind: "plan" | "drift") => (options: SelectionOptions & Partial<ConsentOptions>, io: Io) =>
  withFleet(options, io, async (open) => {
    const { allowDelete = [], allowPurchase = [], acceptTarget = false } = options;
    const given = { waves: [], allowDelete, allowPurchase, acceptTarget };
    return (await startAndFollow(open, kind, options, given, io)).ending;
  });

export const fleetPlan = fleetPlans("plan");
export const fleetDrift = fleetPlans("drift");

export const fleetApply = (options: ApplyOptions, io: Io): Promise<Ending> =>
  withFleet(options, io, (open) => applyAll(open, options, io));

/** Applies with workers in this process, which end with it. */
export const fleetRun = (options: ApplyOptions & WorkOptions, io: Io): Promise<Ending> =>
  withFleet(options, io, async (opened) => {
    const stop = new AbortController();
    // A worker that a defect ends takes the command along, which would follow the run in a database that is closed.
    const open = { ...opened, signal: AbortSignal.any([opened.signal, stop.signal]) };
    // The command that follows the run prints what came back.
    const emit: OpenFleet["emit"] = (event) => event.type !== "job_returned" && open.emit(event);
    const host = { ...workerHost(options, open, io), emit };
    const worker = runWorker(open, { ...options, fleet: open.fleet, policy: policyOfEach(io) }, host);
    const applied = applyAll(open, options, io);
    try {
      // A worker ends by itself only at an interrupt, which ends the command, too: that has to say so.
      return await Promise.race([applied, worker.then(() => applied)]);
    } finally {
      stop.abort();
      await worker;
    }
  });

async function applyAll(open: OpenFleet, options: ApplyOptions, io: Io): Promise<Ending> {
  const { fleet, signal, by } = open;
  const { allowDelete, allowPurchase, autoApprove, acceptTarget } = options;
  const waves = readWaves(
    options,
    fleet.accounts.map(({ name }) => name),
  );
  const given = { ...waves, allowDelete, allowPurchase, autoApprove, acceptTarget };
  const begin = () => startAndFollow(open, "apply", options, given, io);
  const first = await (options.continue ? goOn(open, options, given, io) : begin());
  const { run } = first.status;
  if (run.state !== "waiting" || run.hash === undefined || signal.aborted) return first.ending;
  if (run.options.autoApprove !== true && !(io.interactive && (await asks(first.status, io, signal))))
    return first.ending;
  return (await follow(open, run.id, io, approved(run.hash, by), first.status.accounts)).ending;
}

/** Goes on with an apply that was stopped. */
async function goOn(
  open: OpenFleet,
  { group, owner, only, approve }: ApplyOptions,
  options: RunOptions,
  io: Io,
): Promise<Followed> {
  const request = { kind: "apply", selection: { group, owner, only }, options, approve } as const;
  const plans = await stoppedRun(open.database, open.fleet, request);
  const { run } = plans;
  const { accounts } = await changeRun(open, run, io, (status) => ({ ...status, run: continueRun(status.run) }));
  open.emit({ type: "run_started", run, kind: "apply", accounts: accounts.length, resumed: true, plans });
  return follow(open, run, io);
}

/** Who approved the same plans before stays the one who did. */
const approved =
  (hash: string, by: string) =>
  ({ run, accounts }: RunStatus): RunStatus => ({
    run: { ...run, approved: run.approved?.hash === hash ? run.approved : { hash, by } },
    accounts,
  });

async function asks({ accounts }: RunStatus, io: Io, signal: AbortSignal): Promise<boolean> {
  const count = accounts.filter(({ state }) => state === "changed").length;
  const answer = await io.ask(`Apply the plans of ${counted(count, "account")}? Only "yes" is accepted: `, signal);
  return answer?.trim() === "yes";
}

/** Changes a run of the fleet; one that has `ended` stays as it is. Throws an InputError where the fleet has none of this id. */
async function changeRun(
  open: OpenFleet,
  id: string,
  { now }: Pick<Io, "now">,
  change: (found: RunStatus) => RunStatus,
): Promise<RunStatus & { readonly ended: boolean }> {
  let ended = false;
  const status = await advanceRun(open, id, open.fleet, now(), (found) => {
    if (found.run.fleet !== open.fleet.name) throw noSuchRun(id);
    const changed = change(found);
    ended = isOver(found);
    return ended ? found : changed;
  });
  if (!status) throw noSuchRun(id);
  return { ...status, ended };
}

export const fleetApprove = ({ run: id, hash, ...options }: FileOptions & { run: string; hash: string }, io: Io) =>
  withFleet(options, io, async (open) => {
    const { run, ended } = await changeRun(open, id, io, (found) => {
      requireApprovable(found.run, hash);
      return approved(found.run.hash ?? "", open.by)(found);
    });
    open.emit({ type: "run_approved", run: id, kind: run.kind, state: run.state, ended, hash: run.hash });
    return "done";
  });

export const fleetCancel = ({ run: id, ...options }: FileOptions & { run: string }, io: Io) =>
  withFleet(options, io, async (open) => {
    const { run, ended } = await changeRun(open, id, io, cancelRun);
    open.emit({ type: "run_cancelled", run: id, kind: run.kind, state: run.state, ended });
    return "done";
  });

export const fleetStatus = ({ html, ...options }: SelectionOptions & { html?: string | undefined }, io: Io) =>
  withFleet(options, io, async ({ database, fleet }) => {
    const board = await readBoard(database, fleet, selectAccounts(fleet, options));
    if (options.json) for (const event of fleetStatusEvents(board)) io.writeEvent(event);
    else io.write(renderFleetStatus(board, io));
    if (html === undefined) return "done";
    const details = (names: readonly string[]) => readDetails(database, fleet.name, names);
    await keepFiles(html, boardPaths(board), boardPages(board, details, io.mask)).catch((error: unknown) => {
      throw pagesNotWritten(html, error);
    });
    if (!options.json) io.write(`The pages are in ${html}: open its index.html.\n`);
    return "done";
  });

/** Errors of the database, and our own, stay what they are. */
const pagesNotWritten = (folder: string, error: unknown) =>
  error instanceof Error && error.constructor === Error
    ? inputError(
        "not_written",
        `The pages cannot be written to ${folder}: ${error.message}`,
        "name a folder for these pages alone, which this user may write to",
      )
    : error;

export const fleetHistory = ({ account, ...options }: FileOptions & { account: string }, io: Io) =>
  withFleet(options, io, async ({ database, fleet }) => {
    const entries = (await readHistories(database, fleet.name, [account], 1000)).get(account) ?? [];
    if (entries.length === 0)
      throw inputError(
        "no_such_account",
        `No run of the fleet ${fleet.name} had an account ${account}`,
        "hostform fleet status shows the accounts",
      );
    if (options.json)
      for (const entry of entries) io.writeEvent(fleetEvent({ type: "account_ended", account, ...entry }));
    else io.write(renderHistory(entries, io));
    return "done";
  });

export async function fleetWorker({ drift, notifyUrl: url, ...options }: WatchOptions, io: Io): Promise<Ending> {
  const watchEvery = drift === undefined ? undefined : readPeriod(drift);
  const notifyUrl = readNotifyUrl(url, io);
  return withFleet(options, io, async (open) => {
    const { fleet } = open;
    if (!options.json) io.write(`A worker of the fleet ${fleet.name} waits for jobs. Ctrl-C ends it.\n`);
    const given = { ...options, fleet, watchEvery, notifyUrl, policy: policyOfEach(io) };
    await runWorker(open, given, workerHost(options, open, io));
    return "done";
  });
}

const workerHost = ({ json }: FileOptions, { emit, signal, by }: OpenFleet, io: Io): WorkerHost => ({
  ...io,
  emit,
  signal,
  by,
  warn: printer(io, { json }),
  onDefect: (error) => void explain(error, { json, all: true }, io),
});
