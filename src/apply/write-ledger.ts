import type { ApiRequest, Connection, Reader } from "../api/connection.ts";
import { fillRequest } from "../api/fill-request.ts";
import { addTo } from "../lib/collect.ts";
import type { HttpCall } from "../model/http-call.ts";
import { type Failure, mayBeDone } from "../model/failure.ts";
import type { StepId } from "../model/plan.ts";
import type { Mismatch, Report } from "../model/report.ts";

/** A connection whose requests are counted. What is read only to wait for the server goes by `poll`. */
export interface CountedConnection extends Connection {
  readonly poll: Reader["get"];
}

/** The ids that the server has given instead, one after the other, by `KIND/ID` as planned. */
type Moved = ReadonlyMap<string, readonly string[]>;

/** Which call of which step a request is made for. */
interface CallPosition {
  readonly step: StepId;
  readonly call: number;
}

/** The writes that an apply has sent, call by call, so that they can be held against the plan. */
export type WriteLedger = ReturnType<typeof makeLedger>;

/** One write as it was sent; with the refusal, if that was the answer. */
interface SentWrite {
  readonly call: number;
  readonly method: string;
  readonly path: string;
  readonly refusal?: Failure["sort"];
  /** No answer says whether it was done. */
  readonly mayBeDone?: boolean;
}

export function makeLedger(connection: Connection, moved: Moved = new Map()) {
  const sent = new Map<StepId, SentWrite[]>();
  const counts = { writes: 0, repeated: 0, reads: 0, polls: 0 };
  const counted =
    (count: "reads" | "polls", onSent: (() => void) | undefined): Reader["get"] =>
    (request) => {
      counts[count] += 1;
      return connection.get({ ...request, onSent });
    };
  const send =
    (place: CallPosition, onSent: (() => void) | undefined): Connection["send"] =>
    async (request) => {
      const result = await connection.send({ ...request, onSent });
      const { attempts } = result.ok ? result.value : result.error;
      // The run was stopped before it went out.
      if (attempts === 0) return result;
      const isFirst = !hasSent(place);
      counts.writes += Number(isFirst);
      counts.repeated += attempts - Number(isFirst);
      const { step, call } = place;
      const refused = !result.ok && { refusal: result.error.sort, mayBeDone: mayBeDone(result.error) };
      addTo(sent, step, { call, method: request.method, path: request.path, ...refused });
      return result;
    };
  const sentFor = (step: StepId): readonly SentWrite[] => sent.get(step) ?? [];
  // A step sends its calls one after the other, and may have thousands.
  const hasSent = ({ step, call }: CallPosition) =>
    sentFor(step).findLast((write) => write.call <= call)?.call === call;
  return {
    /** The connection that one call is made on; by default for what belongs to none, which may only read. Each of its requests calls `onSent` once. */
    connectionFor: (place: CallPosition = nowhere, onSent?: () => void): CountedConnection => ({
      ...connection,
      send: send(place, onSent),
      get: counted("reads", onSent),
      poll: counted("polls", onSent),
    }),
    /** Whether any write of a call went out. */
    hasSent,
    requests: () => ({ ...counts }),
    /** Returns the places where other writes were sent than the plan has: empty, but for a bug of ours. */
    mismatches: (outcomes: Report["outcomes"]): Mismatch[] => {
      const stray = sentFor(nowhere.step).map(showSent);
      const strays = stray.length > 0 ? [{ planned: [], sent: stray }] : [];
      return [...strays, ...outcomes.flatMap((each) => mismatchOf(each, sentFor, moved))];
    },
  };
}

/** The place of a write that belongs to no step. */
const nowhere: CallPosition = { step: "", call: 0 };

function mismatchOf(
  { step, outcome }: Report["outcomes"][number],
  sentFor: (step: StepId) => readonly SentWrite[],
  moved: Moved,
): Mismatch[] {
  const sent = step.calls.map((): SentWrite[] => []);
  for (const write of sentFor(step.id)) sent[write.call]?.push(write);
  const done = outcome.is === "done" ? step.calls.length : outcome.is === "blocked" ? 0 : (outcome.callsDone ?? 0);
  const begun = outcome.is === "failed" ? done + 1 : done;
  const asPlanned = step.calls.every((call, index) => {
    const writes = sent[index] ?? [];
    // A set that others have written as planned meanwhile is not sent again.
    const maySendNothing = index >= done || call.operation === "set";
    return writes.length === 0 ? maySendNothing : index < begun && isAsPlanned(call, writes, moved);
  });
  return asPlanned
    ? []
    : [{ address: step.address, planned: step.calls.map(showCall), sent: sent.flat().map(showSent) }];
}

/**
 * The planned write; and after it only what takes the place of one that was not done: the same again where reading back has shown
 * nothing of it, once the same again after a 412, once an update of what was there already after a 409.
 */
function isAsPlanned(call: HttpCall, writes: readonly SentWrite[], moved: Moved): boolean {
  const [first, ...again] = writes;
  if (!first || !isThe(call, first, moved)) return false;
  const refusals = writes.slice(0, -1).flatMap((write) => (write.mayBeDone === true ? [] : [write.refusal]));
  return new Set(refusals).size === refusals.length && again.every((next, index) => takesPlaceOf(writes[index], next));
}

function takesPlaceOf(refused: SentWrite | undefined, { method, path }: SentWrite): boolean {
  if (refused?.refusal === "stale" || refused?.mayBeDone === true)
    return method === refused.method && path === refused.path;
  return refused?.refusal === "conflict" && (method === "PUT" || method === "PATCH");
}

const unknown = "*";
/** The request of a call; ids that only the run knows are `*`. */
const pathOf = (call: HttpCall) => fillRequest(call, () => unknown).path;

function isThe(call: HttpCall, { method, path }: SentWrite, moved: Moved): boolean {
  const [planned, actual] = [pathOf(call).split("/"), path.split("/")];
  const isNow = (id: string, now: string | undefined) =>
    [...moved].some(([from, to]) => from.endsWith(`/${id}`) && to.map(encodeURIComponent).includes(now ?? ""));
  return (
    method === call.method &&
    planned.length === actual.length &&
    planned.every((segment, index) => segment === unknown || segment === actual[index] || isNow(segment, actual[index]))
  );
}

const showCall = (call: HttpCall) => `${call.method} ${pathOf(call)}`;
const showSent = ({ method, path, refusal }: SentWrite) =>
  `${method} ${path}${refusal === undefined ? "" : ` (refused: ${refusal.replaceAll("_", " ")})`}`;

const never = new AbortController().signal;

/** A connection for what completes an exchange: it sends and waits also after the run was stopped. */
export const finishing = (connection: CountedConnection): CountedConnection => ({
  ...connection,
  stop: never,
  send: (request: ApiRequest) => connection.send({ ...request, finish: true }),
  get: (request) => connection.get({ ...request, finish: true }),
  poll: (request) => connection.poll({ ...request, finish: true }),
});
