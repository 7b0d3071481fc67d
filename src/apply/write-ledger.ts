import type { ApiRequest, Connection, Reader } from "../api/connection.ts";
import { fillRequest } from "../api/fill-request.ts";
import type { HttpCall } from "../model/http-call.ts";
import { type Failure, mayBeDone } from "../model/failure.ts";
import type { StepId } from "../model/plan.ts";
import type { Mismatch, Report, Requests } from "../model/report.ts";
import { addTo } from "../lib/collect.ts";

/** A connection whose requests are counted. What is read only to wait for the server goes by `poll`. */
export interface CountedConnection extends Connection {
  readonly poll: Reader["get"];
}

/** Ids that the server has changed meanwhile, by `KIND/ID` as planned. */
type Moved = ReadonlyMap<string, string>;

/** Which call of which step a request is made for. */
interface CallPosition {
  readonly step: StepId;
  readonly call: number;
}

/** What an apply has sent, call by call, so that it can be held against the plan. */
export interface WriteLedger {
  /** The connection that one call is made on; undefined: for what belongs to none, which may only read. */
  readonly connectionFor: (place: CallPosition | undefined) => CountedConnection;
  readonly requests: () => Requests;
  /** Whether any write of a call went out. */
  readonly hasSent: (place: CallPosition) => boolean;
  /** Where other writes were sent than the plan has: empty, but for a bug of ours. */
  readonly mismatches: (outcomes: Report["outcomes"]) => Mismatch[];
}

/** One write as it was sent; with the refusal, if that was the answer. */
interface SentWrite {
  readonly method: string;
  readonly path: string;
  readonly refusal?: Failure["sort"];
  /** No answer told whether it was done. */
  readonly mayBeDone?: boolean;
}

export function makeLedger(connection: Connection, moved: Moved = new Map()): WriteLedger {
  const sent = new Map<string, SentWrite[]>();
  const counts = { attemptsAgain: 0, reads: 0, polls: 0 };
  const counted =
    (count: "reads" | "polls"): Reader["get"] =>
    (request) => {
      counts[count] += 1;
      return connection.get(request);
    };
  const [get, poll] = [counted("reads"), counted("polls")];
  const send =
    (key: string): Connection["send"] =>
    async (request) => {
      const result = await connection.send(request);
      const { attempts } = result.ok ? result.value : result.error;
      // The run was stopped before it went out.
      if (attempts === 0) return result;
      counts.attemptsAgain += attempts - 1;
      const { method, path } = request;
      const refused = result.ok ? {} : { refusal: result.error.sort, mayBeDone: mayBeDone(result.error) };
      addTo(sent, key, { method, path, ...refused });
      return result;
    };
  const sentFor = (place: CallPosition | undefined) => sent.get(keyOf(place)) ?? [];
  return {
    connectionFor: (place) => ({ ...connection, send: send(keyOf(place)), get, poll }),
    hasSent: (place) => sentFor(place).length > 0,
    requests: () => {
      const { attemptsAgain, reads, polls } = counts;
      const again = [...sent.values()].reduce((sum, { length }) => sum + length - 1, 0);
      return { writes: sent.size, repeated: attemptsAgain + again, reads, polls };
    },
    mismatches: (outcomes) => {
      const stray = sentFor(undefined).map(showSent);
      const strays = stray.length > 0 ? [{ planned: [], sent: stray }] : [];
      return [...strays, ...outcomes.flatMap((each) => mismatchOf(each, sentFor, moved))];
    },
  };
}

const keyOf = (place: CallPosition | undefined) => (place ? `${place.call} ${place.step}` : "");

function mismatchOf(
  { step, outcome }: Report["outcomes"][number],
  sentFor: (place: CallPosition) => SentWrite[],
  moved: Moved,
): Mismatch[] {
  const sent = step.calls.map((_, call) => sentFor({ step: step.id, call }));
  const done = outcome.is === "done" ? step.calls.length : outcome.is === "blocked" ? 0 : (outcome.callsDone ?? 0);
  const begun = outcome.is === "failed" ? done + 1 : done;
  const asPlanned = step.calls.every((call, index) => {
    const writes = sent[index] ?? [];
    return writes.length === 0 ? index >= done : index < begun && isAsPlanned(call, writes, moved);
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
  const asPlanned = pathOf(call);
  if (method === call.method && path === asPlanned) return true;
  const [planned, actual] = [asPlanned.split("/"), path.split("/")];
  const isNow = (id: string, now: string | undefined) =>
    [...moved].some(([from, to]) => from.endsWith(`/${id}`) && encodeURIComponent(to) === now);
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
