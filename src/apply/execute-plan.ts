import { kindNamed } from "../kinds/index.ts";
import { whyNotRetried } from "../kinds/derived/repeatable.ts";
import { kindOf, type Address } from "../model/address.ts";
import { isUnsettled } from "../model/failure.ts";
import type { Plan, Step } from "../model/plan.ts";
import type { Outcome, PutBack, Report } from "../model/report.ts";
import { findTemporarilyRemovedValues, withholdSecretValues } from "./temporarily-removed-values.ts";
import type { RemovedValues } from "../model/journal.ts";
import { finishing, makeLedger } from "./write-ledger.ts";
import { makeExchanges, type Exchange, type RunExchanges, undoExchange } from "./exchanges/run-exchanges.ts";
import type { HeldObject } from "./exchanges/held.ts";
import { journaled } from "./journaled-connection.ts";
import { claimNameless, newRunState } from "./object-identity.ts";
import { sendAfterWrites } from "./after-writes.ts";
import type { ContextFor, RunInput } from "./run-context.ts";
import { runStep, type StepOptions } from "./run-step.ts";
import { makeSchedule, type Schedule } from "./schedule.ts";

export interface ExecuteOptions extends StepOptions {
  /** Requests under way at most. */
  readonly parallelism: number;
  /** Records that an earlier apply deleted for a successor that does not exist yet; default: none. */
  readonly held?: readonly HeldObject[];
  /** Whether an inventory is kept, in which a failure outlives the run; default: none is. */
  readonly keepsInventory?: boolean;
}

/**
 * Runs exactly the plan's calls, steps side by side where the graph allows. A failed step blocks only what depends on it; what was
 * deleted to make room for it is put back. The report has an outcome for every step, in the plan's order, and says where other writes
 * were sent than planned. Once the connection's `stop` is aborted, no step starts but those that complete an exchange, and what is
 * under way ends as soon as its last answer is there.
 */
export async function executePlan(plan: Plan, input: RunInput, options: ExecuteOptions): Promise<Report> {
  const started = input.deps.now();
  const state = newRunState(input);
  claimNameless(state.owners, input.contract, plan);
  const ledger = makeLedger(input.connection, state.moved);
  const { journal } = options;
  const { stop } = input.connection;
  const removedBySteps = findTemporarilyRemovedValues(plan);
  const exchanges = makeExchanges(plan, options.held ?? []);
  const contextsOf =
    (step: Step, onSent?: () => void): ContextFor =>
    (place) => {
      const connection = ledger.connectionFor(place && { step: step.id, call: place.index }, onSent);
      const context = { ...state, connection };
      if (journal && place) context.connection = journaled(connection, journal, place, context);
      if (exchanges.isBegun(step)) context.connection = finishing(context.connection);
      return context;
    };
  const schedule = makeSchedule(plan.steps);
  const putBacks: PutBack[] = [];
  const undo = async (exchange: Exchange) => {
    exchange.over = true;
    const outcome = schedule.outcomes.get(exchange.successor.id);
    putBacks.push(...(await undoExchange(exchange, outcome, contextsOf(exchange.successor), journal)));
  };
  const run = async (step: Step) => {
    const exchange = exchanges.of(step.id);
    if (exchange) exchange.running += 1;
    const removed = removedBySteps.get(step.id) ?? [];
    for (const each of removed) journal?.noteRemoved(withholdSecretValues(each, input.isSecret));
    const outcome = await runStep(step, exchange, { ...options, contextsOf, hasSent: ledger.hasSent });
    for (const address of writtenAgain(step, removed, outcome)) journal?.noteRewritten(address);
    if (exchange) exchange.running -= 1;
    schedule.settle(step, outcome);
    if (exchange?.successor.id === step.id && outcome.is === "done")
      for (const { key } of exchange.held) journal?.release(key);
    for (const failed of exchanges.failed(schedule.outcomes)) await undo(failed);
  };
  await runAll(schedule, run, { parallelism: options.parallelism, ahead: stepsAhead(plan, options), stop, exchanges });
  for (const open of exchanges.open(schedule.outcomes)) await undo(open);
  const written = plan.steps.filter(({ id, calls }) => calls.some((_, call) => ledger.hasSent({ step: id, call })));
  const afterRequests = await sendAfterWrites(written, plan, {
    contextFor: (collection) => ({
      ...state,
      connection: ledger.connectionFor({ step: `after ${collection}`, call: 0 }),
    }),
    kept: options.keepsInventory === true,
    stopped: stop.aborted,
  });
  const outcomes = plan.steps.map((step) => ({
    step,
    outcome: schedule.outcomes.get(step.id) ?? { is: "not_attempted" as const },
  }));
  return {
    outcomes,
    ...(putBacks.length > 0 && { putBacks }),
    ...(afterRequests.length > 0 && { afterRequests }),
    interrupted: stop.aborted,
    requests: ledger.requests(),
    mismatches: ledger.mismatches(outcomes),
    milliseconds: input.deps.now() - started,
  };
}

/** The addresses whose removed values a step has written again, or has not removed away. */
function writtenAgain(
  { action, detaches, address }: Step,
  removed: readonly RemovedValues[],
  outcome: Outcome,
): readonly Address[] {
  if (outcome.is === "done") return action === "delete" || detaches === true ? [] : [address];
  const isUnsure = outcome.is === "failed" && isUnsettled(outcome.failure);
  return isUnsure ? [] : removed.map((each) => each.address);
}

/**
 * Returns how many steps may begin before a connection is free for them, so that it need not wait until their requests are in the journal:
 * those that one sync writes while those of the last one are sent. None if a step takes away what another puts there, which nothing may delay,
 * makes what must not be made twice, or keeps the server at work.
 */
function stepsAhead({ steps }: Plan, { parallelism, journal, held = [] }: ExecuteOptions): number {
  return journal && held.length === 0 && steps.every(mayWait) ? 2 * (parallelism - 1) : 0;
}

function mayWait({ address, calls, gaps, replaces, on_refusal: onRefusal }: Step): boolean {
  const kind = kindNamed(kindOf(address));
  const isPlain = !gaps && !replaces && !onRefusal && !kind.readiness;
  return isPlain && calls.every((call) => whyNotRetried(kind, call) === undefined);
}

interface Lanes extends Pick<ExecuteOptions, "parallelism"> {
  readonly ahead: number;
  readonly stop: AbortSignal;
  readonly exchanges: RunExchanges;
}

/** Runs steps side by side until none is left that may run. */
function runAll(
  schedule: Schedule,
  run: (step: Step) => Promise<void>,
  { parallelism, ahead, stop, exchanges }: Lanes,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let running = 0;
    const runOne = async (step: Step) => {
      try {
        await run(step);
        running -= 1;
        fillLanes();
      } catch (error) {
        reject(error);
      }
    };
    const fillLanes = () => {
      // The first outcome may say that all others fail, too.
      while (running < parallelism + (schedule.outcomes.size > 0 ? ahead : 0)) {
        const step = schedule.next(stop.aborted ? exchanges.isBegun : undefined);
        if (!step) break;
        const by = exchanges.pointless(step, schedule.outcomes);
        if (by !== undefined) {
          schedule.settle(step, { is: "blocked", by });
          continue;
        }
        running += 1;
        void runOne(step);
      }
      if (running === 0) resolve();
    };
    fillLanes();
  });
}
