import type { Address } from "../../model/address.ts";
import type { OnServerRejection, Plan, Step, StepId } from "../../model/plan.ts";
import type { Outcome } from "../../model/report.ts";
import type { HeldObject } from "./held.ts";

/** One successor, and what is deleted to make room for it: while this is done, its place is empty. */
export interface Exchange {
  readonly successor: Step;
  readonly held: HeldObject[];
  /** Deletions of which no answer says whether they were done. */
  readonly unsure: Set<HeldObject>;
  /** Whether anything may have been deleted already, so that it must be completed. */
  begun: boolean;
  /** Whether it was completed or undone. */
  over: boolean;
}

/** The records that a step's deletions take, and that are put back if the successor is refused. */
export type ToHold = Extract<OnServerRejection, { readonly is: "put_back" }>;

export interface RunExchanges {
  /** The exchange that a step belongs to, as the successor or as a deletion. */
  readonly of: (step: StepId) => Exchange | undefined;
  /** The records to be read before a step deletes them. */
  readonly toHold: (step: Step) => ToHold | undefined;
  readonly started: (step: Step) => void;
  readonly ended: (step: Step) => void;
  /** The step for which a deletion would be made in vain, because it will not run any more; undefined for any other step. */
  readonly pointless: (step: Step, outcomes: ReadonlyMap<StepId, Outcome>) => StepId | undefined;
  /** Exchanges that cannot come to their end any more, and whose place is empty. */
  readonly failed: (outcomes: ReadonlyMap<StepId, Outcome>) => Exchange[];
  /** Those that are begun, and neither completed nor undone. */
  readonly open: (outcomes: ReadonlyMap<StepId, Outcome>) => Exchange[];
}

/** @param deletedEarlier what an earlier apply has deleted, and neither replaced nor put back. */
export function makeExchanges({ steps }: Plan, deletedEarlier: readonly HeldObject[]): RunExchanges {
  const byStep = new Map<StepId, Exchange>();
  const entries = new Map<StepId, ToHold>();
  const removals = new Map<Address, StepId>(
    steps.flatMap(({ id, action, address }) => (action === "delete" ? [[address, id] as const] : [])),
  );
  for (const step of steps) {
    const own = (step.on_refusal ?? []).flatMap((each) => (each.is === "put_back" ? [each] : []));
    const earlier = deletedEarlier.filter(({ successor }) => successor === step.address && step.action !== "delete");
    if (own.length + earlier.length === 0) continue;
    const exchange: Exchange = {
      successor: step,
      held: [...earlier],
      unsure: new Set(),
      begun: earlier.length > 0,
      over: false,
    };
    byStep.set(step.id, exchange);
    for (const entry of own) {
      const deletion = removals.get(entry.address) ?? step.id;
      byStep.set(deletion, exchange);
      entries.set(deletion, entry);
    }
  }
  const all = new Set(byStep.values());
  const running = new Map<Exchange, number>();
  const count = ({ id }: Step, by: number) => {
    const exchange = byStep.get(id);
    if (exchange) running.set(exchange, (running.get(exchange) ?? 0) + by);
  };
  const open: RunExchanges["open"] = (outcomes) =>
    [...all].filter(({ begun, over, successor }) => begun && !over && outcomes.get(successor.id)?.is !== "done");
  return {
    of: (step) => byStep.get(step),
    toHold: ({ id }) => entries.get(id),
    started: (step) => count(step, 1),
    ended: (step) => count(step, -1),
    pointless: ({ id }, outcomes) => {
      const successor = byStep.get(id)?.successor;
      const outcome = successor && successor.id !== id ? outcomes.get(successor.id) : undefined;
      if (!successor || !outcome || outcome.is === "done") return undefined;
      return outcome.is === "blocked" ? outcome.by : successor.id;
    },
    open,
    failed: (outcomes) =>
      open(outcomes).filter((exchange) => outcomes.has(exchange.successor.id) && running.get(exchange) === 0),
  };
}
