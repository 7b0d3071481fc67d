import { writtenFields } from "../../kinds/derived/repeatable.ts";
import type { Address } from "../../model/address.ts";
import type { OnServerRejection, Plan, Step, StepId } from "../../model/plan.ts";
import type { Outcome, PutBack } from "../../model/report.ts";
import type { HeldObject } from "./held.ts";
import { isUnsettled, type Failure } from "../../model/failure.ts";
import { isCreation } from "../../model/http-call.ts";
import type { Journal, HeldRecord } from "../../model/journal.ts";
import { takesPlace } from "../object-identity.ts";
import { maxReadLag, type CallPlace, type ContextFor } from "../run-context.ts";
import { failedPutBack, isHeldStill, findUnreplaced, putBack } from "./put-back.ts";

/** One successor, and what is deleted to make room for it: while this is done, its place is empty. */
export interface Exchange {
  readonly successor: Step;
  /** The records to be read before a step deletes them. */
  readonly toHold: Map<StepId, ToHold>;
  /** Once anything is in it, something may have been deleted already, and the exchange must be completed. */
  readonly held: HeldObject[];
  /** Deletions of which no answer says whether they were done. */
  readonly unsure: Set<HeldObject>;
  /** The number of its steps that run. */
  running: number;
  /** Whether it was completed or undone. */
  over: boolean;
}

/** The records that a step's deletions take, and that are put back if the successor is refused. */
type ToHold = Extract<OnServerRejection, { readonly is: "put_back" }>;

export type RunExchanges = ReturnType<typeof makeExchanges>;

type Outcomes = ReadonlyMap<StepId, Outcome>;

/** @param deletedEarlier what an earlier apply has deleted, and neither replaced nor put back. */
export function makeExchanges({ steps }: Plan, deletedEarlier: readonly HeldObject[]) {
  const byStep = new Map<StepId, Exchange>();
  const removals = new Map<Address, StepId>(
    steps.flatMap(({ id, action, address }) => (action === "delete" ? [[address, id] as const] : [])),
  );
  for (const step of steps) {
    const own = (step.on_refusal ?? []).flatMap((each) => (each.is === "put_back" ? [each] : []));
    const earlier = deletedEarlier.filter(({ successor }) => successor === step.address && step.action !== "delete");
    if (own.length + earlier.length === 0) continue;
    const exchange: Exchange = {
      successor: step,
      toHold: new Map(),
      held: [...earlier],
      unsure: new Set(),
      running: 0,
      over: false,
    };
    byStep.set(step.id, exchange);
    for (const entry of own) {
      const deletion = removals.get(entry.address) ?? step.id;
      byStep.set(deletion, exchange);
      exchange.toHold.set(deletion, entry);
    }
  }
  const all = new Set(byStep.values());
  const open = (outcomes: Outcomes): Exchange[] =>
    [...all].filter(
      ({ held, over, successor }) => held.length > 0 && !over && outcomes.get(successor.id)?.is !== "done",
    );
  return {
    /** The exchange that a step belongs to, as the successor or as a deletion. */
    of: (step: StepId) => byStep.get(step),
    isBegun: ({ id }: Step) => (byStep.get(id)?.held ?? []).length > 0,
    /** The step for which a deletion would be made in vain, because it will not run any more; undefined for any other step. */
    pointless: ({ id }: Step, outcomes: Outcomes): StepId | undefined => {
      const successor = byStep.get(id)?.successor;
      const outcome = successor && successor.id !== id ? outcomes.get(successor.id) : undefined;
      if (!successor || !outcome || outcome.is === "done") return undefined;
      return outcome.is === "blocked" ? outcome.by : successor.id;
    },
    /** Those that are begun, and neither completed nor undone. */
    open,
    /** Exchanges that cannot come to their end any more, and whose place is empty. */
    failed: (outcomes: Outcomes) =>
      open(outcomes).filter(({ successor, running }) => outcomes.has(successor.id) && running === 0),
  };
}

/**
 * Ends an exchange whose successor will not be made by this run: makes again all that was deleted for it, unless something stands in
 * its place. Where that is not known, nothing is sent, and the next apply looks again.
 */
export async function undoExchange(
  { successor, held, unsure }: Exchange,
  outcome: Outcome | undefined,
  contextFor: ContextFor,
  journal: Journal | undefined,
): Promise<PutBack[]> {
  const context = contextFor(undefined);
  const release = ({ key }: HeldObject) => journal?.release(key);
  // It is not known whether it is needed.
  const unknown = (each: HeldObject, failure: Failure): PutBack => {
    const { address, method, path } = each;
    return { address, by: successor.id, method, path, outcome: failedPutBack(context, each, failure, true) };
  };
  const made = madeBy(successor, outcome);
  const unmade = held.filter((each) => !made.some(takesPlace(context, each)));
  const looked = await findUnreplaced(context, successor.address, unmade, searchTimeAfter(outcome));
  if (!looked.ok) return unmade.map((each) => unknown(each, looked.error));
  held.filter((each) => !looked.value.includes(each)).forEach(release);
  const ended: PutBack[] = [];
  for (const [index, each] of looked.value.entries()) {
    const there = unsure.has(each) ? await isHeldStill(context, each) : { ok: true as const, value: false };
    if (!there.ok) {
      ended.push(unknown(each, there.error));
      continue;
    }
    const place = placeOf(context.withhold(each), successor, index);
    const put = there.value ? undefined : await putBack(contextFor(place), each, successor.id);
    if (put) ended.push(put);
    if (put?.outcome.is === "failed" && put.outcome.later) continue;
    journal?.settled(place.step.id, put?.outcome.is === "failed" ? "failed" : "done");
    release(each);
    if (put?.outcome.is !== "failed") journal?.noteRewritten(each.address);
  }
  return ended;
}

/** Returns what the step has surely made, by the fields that it has sent. */
function madeBy({ calls }: Step, outcome: Outcome | undefined) {
  const done = outcome && "callsDone" in outcome ? (outcome.callsDone ?? 0) : 0;
  return calls.slice(0, done).filter(isCreation).map(writtenFields);
}

/** Answers after which it is certain that nothing was made. */
const finalRefusals: ReadonlySet<Failure["sort"]> = new Set(["invalid", "forbidden", "not_found", "stale"]);

/** Milliseconds for which the successor is looked for; undefined if it is certain that it was not made. */
function searchTimeAfter(outcome: Outcome | undefined): number | undefined {
  if (outcome?.is !== "failed") return undefined;
  const { failure } = outcome;
  if (isUnsettled(failure)) return maxReadLag;
  return finalRefusals.has(failure.sort) ? undefined : 0;
}

/** The journal knows a put-back by a step of its own: its outcome is not that of the refused one. */
function placeOf({ address, withheld, path, method }: HeldRecord, successor: Step, index: number): CallPlace {
  // A hash must not disclose a secret either, because guesses could be tried against it.
  const values = withheld.map((pointer) => ({ pointer, field: pointer.slice(1), parts: [] }));
  return {
    step: { ...successor, id: `put back ${address} for ${successor.id}`, address },
    call: { operation: "create", method, path, params: {}, query: {}, base: {}, values },
    index: successor.calls.length + index,
  };
}
