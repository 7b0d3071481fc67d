import type { Connection } from "../api/connection.ts";
import { locate } from "../kinds/derived/locate.ts";
import type { Address } from "../model/address.ts";
import type { HttpCall } from "../model/http-call.ts";
import type { Failure, Result } from "../model/failure.ts";
import type { Plan, Step } from "../model/plan.ts";
import type { Outcome, Report } from "../model/report.ts";
import type { RemoteId } from "../model/resource.ts";
import type { Ready } from "./await-ready.ts";
import { MissingReference } from "./build-body.ts";
import { findByKey } from "./find-by-key.ts";
import { journaled } from "./journal/journaled-connection.ts";
import type { Journal } from "./journal/write-journal.ts";
import { keep, ownersIn } from "./owners.ts";
import { lookAgain, readLag } from "./patience.ts";
import { runCall } from "./run-call.ts";
import { polling, type RunContext } from "./run-context.ts";
import { makeSchedule } from "./schedule.ts";
import { makeLedger, type WriteLedger } from "./write-ledger.ts";

export interface ExecuteOptions {
  /** Steps under way at most. */
  readonly parallelism: number;
  readonly onStart: (step: Step) => void;
  readonly onEnd: (step: Step, outcome: Outcome, milliseconds: number) => void;
  /** Has every write before it is sent; undefined: none is kept. */
  readonly journal?: Journal | undefined;
}

/** What a run is given; its requests are counted by itself. */
export interface RunInput extends Omit<RunContext, "connection" | "moved" | "owners"> {
  readonly connection: Connection;
}

/**
 * Runs exactly the plan's calls, steps side by side where the graph allows. A failed step blocks only what depends on it.
 * The report has an outcome for every step, in the plan's order, and says where other writes were sent than planned. Once the
 * connection's `stop` is aborted, no step starts, and what is under way ends as soon as its last answer is there.
 */
export async function executePlan(plan: Plan, input: RunInput, options: ExecuteOptions): Promise<Report> {
  const started = input.deps.now();
  const moved: RunContext["moved"] = new Map();
  const owners = ownersIn(input.live);
  const ledger = makeLedger(input.connection, moved);
  const { journal } = options;
  const { stop } = input.connection;
  const contextFor: ContextFor = (step, index) => {
    const call = index === undefined ? undefined : step.calls[index];
    const counted = ledger.connectionFor(index === undefined ? undefined : { step: step.id, call: index });
    const connection =
      journal && call ? journaled(counted, journal, { step, call }, { ...input, moved, owners }) : counted;
    return { ...input, moved, owners, connection };
  };
  const schedule = makeSchedule(plan.steps);
  await new Promise<void>((resolve, reject) => {
    let running = 0;
    const run = async (step: Step) => {
      try {
        const outcome = await runStep(step, contextFor, ledger, options);
        schedule.settle(step, outcome);
        running -= 1;
        fillLanes();
      } catch (error) {
        reject(error);
      }
    };
    const fillLanes = () => {
      while (running < options.parallelism && !stop.aborted) {
        const step = schedule.next();
        if (!step) break;
        running += 1;
        void run(step);
      }
      if (running === 0) resolve();
    };
    fillLanes();
  });
  const outcomes = plan.steps.map((step) => ({
    step,
    outcome: schedule.outcomes.get(step.id) ?? { is: "not_attempted" as const },
  }));
  return {
    outcomes,
    interrupted: stop.aborted,
    requests: ledger.requests(),
    mismatches: ledger.mismatches(outcomes),
    milliseconds: input.deps.now() - started,
  };
}

/** What one call of a step runs in; without a call: what only looks around. */
type ContextFor = (step: Step, call?: number) => RunContext;

async function runStep(
  step: Step,
  contextFor: ContextFor,
  { hasSent }: WriteLedger,
  { onStart, onEnd, journal }: ExecuteOptions,
): Promise<Outcome> {
  const { now } = contextFor(step).deps;
  const started = now();
  onStart(step);
  const ended = await runCalls(step, contextFor, journal);
  const isHeldBack =
    ended.is === "failed" && ended.failure.sort === "interrupted" && !hasSent({ step: step.id, call: ended.callsDone });
  const outcome: Outcome = isHeldBack ? { is: "not_attempted", callsDone: ended.callsDone } : ended;
  onEnd(step, outcome, now() - started);
  return outcome;
}

/** An exception is a bug of ours; the other steps and their report must not be lost for it. */
function ourBug({ address }: Step, error: unknown): { ok: false; error: Failure } {
  const message = `a bug in Hostform, please report it: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  return { ok: false, error: { sort: "unexpected", method: "", path: address, message, attempts: 0, cause: error } };
}

async function runCalls(step: Step, contextFor: ContextFor, journal: Journal | undefined): Promise<Outcome> {
  let external: string | undefined;
  const caught = (error: unknown) => ourBug(step, error);
  const found = await findOwnId(step, contextFor(step)).catch(caught);
  if (!found.ok) return { is: "failed", failure: found.error, callsDone: 0 };
  for (const [index, call] of step.calls.entries()) {
    const result = await runWhenReferencesAreThere(contextFor(step, index), step.address, call).catch(caught);
    if (result.ok || result.error.givenUp === true)
      journal?.settled(step.id, result.ok ? "done" : "failed", result.ok ? idMade(contextFor(step), step) : undefined);
    if (!result.ok) return { is: "failed", failure: result.error, callsDone: index };
    external = result.value.external ?? external;
  }
  return external === undefined ? { is: "done" } : { is: "done", external };
}

/** Returns the id of what this run has made under an address; undefined for an address of several objects. */
const idMade = ({ made }: RunContext, { address }: Step): RemoteId | undefined =>
  locate(address).kind.members ? undefined : made.get(address)?.id;

/** An update of what was neither live nor made by this run: another step has brought it along, so it is looked up by its key. */
async function findOwnId({ address, action, calls }: Step, context: RunContext): Promise<Result<undefined>> {
  const needsId =
    action === "update" &&
    calls.some(({ params }) =>
      Object.values(params).some((param) => typeof param === "object" && param.idOf === address),
    );
  if (!needsId || context.made.has(address)) return { ok: true, value: undefined };
  const found = await lookAgain(context, readLag, async (isFirst) => {
    const listed = await findByKey(isFirst ? context : polling(context), address);
    return listed.ok ? { ok: true, value: listed.value[0] } : listed;
  });
  if (!found.ok) return found;
  const remote = found.value;
  if (!remote)
    return {
      ok: false,
      error: {
        sort: context.connection.stop.aborted ? "interrupted" : "not_found",
        method: "GET",
        path: address,
        message: "it was to come along with another resource, and is not there",
        attempts: 1,
      },
    };
  keep(context, address, { id: remote.id, raw: remote.raw });
  return { ok: true, value: undefined };
}

/** Some servers fill a field a little after they have answered: what it stands in is read again until it is there. */
async function runWhenReferencesAreThere(
  context: RunContext,
  address: Address,
  call: HttpCall,
): Promise<Result<Ready>> {
  let missing: MissingReference | undefined;
  const ran = await lookAgain<Ready>(context, context.waitTimeout, async () => {
    const found = missing && (await findByKey(polling(context), missing.address));
    if (found && !found.ok) return found;
    const [remote] = found?.value ?? [];
    if (missing && remote) keep(context, missing.address, { id: remote.id, raw: remote.raw });
    try {
      return await runCall(context, address, call);
    } catch (error) {
      if (!(error instanceof MissingReference)) throw error;
      missing = error;
      return { ok: true, value: undefined };
    }
  });
  if (!ran.ok) return ran;
  if (ran.value !== undefined) return { ok: true, value: ran.value };
  const { method, path } = call;
  const sort = context.connection.stop.aborted ? "interrupted" : "not_ready";
  return { ok: false, error: { sort, method, path, message: missing?.message ?? "", attempts: 1 } };
}
