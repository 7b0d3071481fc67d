import { stoppedBefore, type ApiRequest } from "../api/connection.ts";
import type { ApiResponse } from "../api/response.ts";
import { locate } from "../kinds/derived/locate.ts";
import { whyNotRetried } from "../kinds/derived/repeatable.ts";
import type { Contract } from "../model/contract.ts";
import type { Result } from "../model/failure.ts";
import type { Step, StepId } from "../model/plan.ts";
import type { Outcome } from "../model/report.ts";
import type { CountedConnection } from "./write-ledger.ts";

/** Resolves when a step has its turn: false if it has none. */
export type Turn = Promise<boolean>;

/** Steps that run as far as their first request before their turn, so that the journal takes many requests at once. */
export interface WriteAhead {
  /** Prepares the next steps, if few are left that are. */
  readonly fill: (upcoming: (count: number) => readonly Step[]) => void;
  /** Gives a step its turn; undefined if it is not prepared. */
  readonly run: (step: Step) => Promise<Outcome> | undefined;
  /** Ends what has had no turn. */
  readonly close: () => Promise<unknown>;
}

interface Prepared {
  readonly outcome: Promise<Outcome>;
  readonly take: (isIts: boolean) => void;
  readonly moved: number;
  readonly since: number;
}

export interface AheadOptions {
  /** Steps under way at most. One fewer are prepared: none where they run one by one. */
  readonly parallelism: number;
  /** Ids that the server has changed: a request that was made before may name the former one. */
  readonly moved: ReadonlyMap<string, unknown>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Milliseconds after which a step is prepared anew: from the time in the journal a later apply reckons how long a list may lag. */
const freshFor = 1000;

const untaken: Prepared["take"] = () => undefined;

/** @param start runs a step, and sends nothing of it before its turn. */
export function makeWriteAhead(
  { parallelism, moved, now }: AheadOptions,
  start: (step: Step, turn: Turn) => Promise<Outcome>,
): WriteAhead {
  const prepared = new Map<StepId, Prepared>();
  const most = parallelism - 1;
  let untilNext = 0;
  const prepare = (step: Step) => {
    let take = untaken;
    const turn = new Promise<boolean>((resolve) => (take = resolve));
    prepared.set(step.id, { outcome: start(step, turn), take, moved: moved.size, since: now() });
  };
  return {
    fill: (upcoming) => {
      if (untilNext > 0) return;
      untilNext = most / 2;
      for (const step of upcoming(most)) if (!prepared.has(step.id)) prepare(step);
    },
    run: ({ id }) => {
      untilNext -= 1;
      const found = prepared.get(id);
      prepared.delete(id);
      const isUsable = found?.moved === moved.size && now() - found.since < freshFor;
      found?.take(isUsable);
      return isUsable ? found.outcome : undefined;
    },
    close: () => {
      for (const { take } of prepared.values()) take(false);
      return Promise.all([...prepared.values()].map(({ outcome }) => outcome));
    },
  };
}

/**
 * Whether the first request of a step may stand in the journal though it may never be sent: a later apply that does not find its effect
 * sends it again, which does no harm.
 */
export function mayBeAhead({ calls: [call], purchase, address }: Step, { request }: Contract): boolean {
  const { kind } = locate(address);
  if (!call || purchase || whyNotRetried(kind, call) !== undefined) return false;
  if (call.operation === "delete") return true;
  if (call.operation !== "update" && !(call.operation === "create" && request.idempotency)) return false;
  return call.values.every((value) => "value" in value && kind.fields[value.field]?.access !== "write_only");
}

/** A connection that sends nothing before its step has its turn. */
export function inTurn(connection: CountedConnection, turn: Turn): CountedConnection {
  const afterTurn =
    <Request extends Pick<ApiRequest, "path"> & Partial<ApiRequest>>(
      send: (request: Request) => Promise<Result<ApiResponse>>,
    ) =>
    async (request: Request): Promise<Result<ApiResponse>> => {
      const { method = "GET", path } = request;
      return (await turn) ? send(request) : { ok: false, error: stoppedBefore({ method, path }, undefined) };
    };
  const { send, get, poll } = connection;
  return { ...connection, send: afterTurn(send), get: afterTurn(get), poll: afterTurn(poll) };
}
