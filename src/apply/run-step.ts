import { UnusableParameter } from "../api/fill-request.ts";
import { bindAddress, type BoundAddress } from "../contract/bound-kind.ts";
import { failedRead, isUnsettled, type Failure, type Result } from "../model/failure.ts";
import type { HttpCall, RestoreCall } from "../model/http-call.ts";
import type { Step } from "../model/plan.ts";
import type { Outcome } from "../model/report.ts";
import type { RemoteId } from "../model/resource.ts";
import type { Ready } from "./await-ready.ts";
import { MissingReference } from "./build-body.ts";
import type { Exchange } from "./exchanges/run-exchanges.ts";
import { type HeldObject, holdRecord } from "./exchanges/held.ts";
import { findByKey } from "./find-objects.ts";
import type { Journal } from "../model/journal.ts";
import { keep } from "./object-identity.ts";
import { failedCall, pollUntil, maxReadLag, type ContextFor, type RunContext } from "./run-context.ts";
import { runCreate } from "./run-create.ts";
import { runDelete } from "./run-delete.ts";
import { runRenew } from "./run-renew.ts";
import { runUpdate } from "./run-update.ts";
import { runSet } from "./run-set.ts";
import type { WriteLedger } from "./write-ledger.ts";

export interface StepOptions {
  /** Called when the first request of a step is sent: until then the step waits for its turn. */
  readonly onStart: (step: Step) => void;
  /** `milliseconds`: since `onStart`. */
  readonly onEnd: (step: Step, outcome: Outcome, milliseconds: number) => void;
  /** Has every write before it is sent; undefined: none is kept. */
  readonly journal?: Journal | undefined;
}

interface StepMeans extends Pick<WriteLedger, "hasSent"> {
  /** Returns the contexts of a step. Each of their requests calls `onSent` once. */
  readonly contextsOf: (step: Step, onSent: () => void) => ContextFor;
}

/** Runs the calls of one step, and says when it starts and ends. */
export async function runStep(
  step: Step,
  exchange: Exchange | undefined,
  { contextsOf, hasSent, onStart, onEnd, journal }: StepOptions & StepMeans,
): Promise<Outcome> {
  let started: number | undefined;
  const start = () => {
    if (started === undefined) onStart(step);
    return (started ??= looking.deps.now());
  };
  const contextFor = contextsOf(step, start);
  const looking = contextFor(undefined);
  const ended = await runCalls(step, exchange, contextFor, journal);
  const isHeldBack =
    ended.is === "failed" && ended.failure.sort === "interrupted" && !hasSent({ step: step.id, call: ended.callsDone });
  const outcome: Outcome = isHeldBack ? { is: "not_attempted", callsDone: ended.callsDone } : ended;
  onEnd(step, outcome, looking.deps.now() - start());
  return outcome;
}

/** An exception is a bug of ours, unless an answer has left out what a path needs; the other steps and their report must not be lost for it. */
function failedBy({ address }: Step, error: unknown): { ok: false; error: Failure } {
  if (error instanceof UnusableParameter) return failedRead("malformed", address, `it was not sent: ${error.message}`);
  const message = `a bug in Hostform, please report it: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  return { ok: false, error: { sort: "unexpected", method: "", path: address, message, attempts: 0, cause: error } };
}

async function runCalls(
  step: Step,
  exchange: Exchange | undefined,
  contextFor: ContextFor,
  journal: Journal | undefined,
): Promise<Outcome> {
  const looking = contextFor(undefined);
  const bound = bindAddress(looking.contract, step.address);
  let external: string | undefined;
  let adopted = step.calls.length > 0;
  const caught = (error: unknown) => failedBy(step, error);
  const found = await findOwnId(step, bound, looking).catch(caught);
  if (!found.ok) return { is: "failed", failure: found.error, callsDone: 0 };
  const records = exchange ? await holdRecords(looking, bound, exchange, step).catch(caught) : nothingHeld;
  if (!records.ok) return { is: "failed", failure: records.error, callsDone: 0 };
  for (const [index, call] of step.calls.entries()) {
    const held = records.value.find((each) => isDeletionOf(call, each));
    if (held) journal?.hold(looking.withhold(held));
    const result = await runWhenReferencesAreThere(contextFor({ step, call, index }), bound, call).catch(caught);
    if (held && exchange) noteDeletion(exchange, held, result, journal);
    if (result.ok || result.error.givenUp === true)
      journal?.settled(step.id, result.ok ? "done" : "failed", result.ok ? idMade(looking, bound) : undefined);
    if (!result.ok) return { is: "failed", failure: result.error, callsDone: index };
    external = result.value.external ?? external;
    adopted &&= result.value.adopted === true;
  }
  if (external === undefined && !adopted) return done;
  return { is: "done", ...(external !== undefined && { external }), ...(adopted && { adopted }) };
}

/** One for all steps, which may be a hundred thousand. */
const done: Outcome = { is: "done" };

type HeldNow = HeldObject & { readonly call: RestoreCall };
const nothingHeld: Result<readonly HeldNow[]> = { ok: true, value: [] };

/** Reads all records before the first is deleted: some servers take others of the same name along. */
async function holdRecords(
  context: RunContext,
  bound: BoundAddress,
  { successor, toHold }: Exchange,
  { id }: Step,
): Promise<Result<readonly HeldNow[]>> {
  const all: HeldNow[] = [];
  for (const call of toHold.get(id)?.calls ?? []) {
    const held = await holdRecord(context, bound, successor.address, call);
    if (!held.ok) return held;
    if (held.value) all.push({ ...held.value, call });
  }
  return { ok: true, value: all };
}

function noteDeletion(exchange: Exchange, held: HeldObject, result: Result<Ready>, journal: Journal | undefined): void {
  const isUnsure = !result.ok && isUnsettled(result.error);
  if (!result.ok && !isUnsure) {
    journal?.release(held.key);
    return;
  }
  exchange.held.push(held);
  if (isUnsure) exchange.unsure.add(held);
}

const isDeletionOf = (call: HttpCall, held: HeldNow) =>
  call.operation === "set" ? call.form === "delete" : call.operation === "delete" && held.call.id === call.params["id"];

/** Returns the id of what this run has made under an address; undefined for an address of several objects. */
const idMade = ({ made }: RunContext, { address, kind }: BoundAddress): RemoteId | undefined =>
  kind.members ? undefined : made.get(address)?.id;

/** An update of what was neither live nor made by this run: another step has brought it along, so it is looked up by its key. */
async function findOwnId(
  { address, action, calls }: Step,
  bound: BoundAddress,
  context: RunContext,
): Promise<Result<undefined>> {
  const needsId =
    action === "update" &&
    calls.some(({ params }) =>
      Object.values(params).some((param) => typeof param === "object" && param.idOf === address),
    );
  if (!needsId || context.made.has(address)) return { ok: true, value: undefined };
  const found = await pollUntil(context, maxReadLag, async (looking) => {
    const listed = await findByKey(looking, bound);
    return listed.ok ? { ok: true, value: listed.value[0] } : listed;
  });
  if (!found.ok) return found;
  const remote = found.value;
  if (!remote) {
    const message = "the server should have created it with another resource, and it does not exist";
    return failedRead(context.connection.stop.aborted ? "interrupted" : "not_found", address, message);
  }
  keep(context, bound, { id: remote.id, raw: remote.raw });
  return { ok: true, value: undefined };
}

/** Some servers fill a field a little after they have answered: what it stands in is read again until it is there. */
async function runWhenReferencesAreThere(
  context: RunContext,
  bound: BoundAddress,
  call: HttpCall,
): Promise<Result<Ready>> {
  let missing: MissingReference | undefined;
  const ran = await pollUntil<Ready | undefined>(context, context.waitTimeout, async (looking) => {
    const found = missing && (await findByKey(looking, missing.bound));
    if (found && !found.ok) return found;
    const [remote] = found?.value ?? [];
    if (missing && remote) keep(context, missing.bound, { id: remote.id, raw: remote.raw });
    try {
      return await sendCall(context, bound, call);
    } catch (error) {
      if (!(error instanceof MissingReference)) throw error;
      missing = error;
      return { ok: true, value: undefined };
    }
  });
  if (!ran.ok) return ran;
  if (ran.value !== undefined) return { ok: true, value: ran.value };
  const sort = context.connection.stop.aborted ? "interrupted" : "not_ready";
  return failedCall(call, sort, missing?.message ?? "", 1);
}

/** Sends one call of a plan, and waits until its object is usable. */
function sendCall(context: RunContext, bound: BoundAddress, call: HttpCall): Promise<Result<Ready>> {
  switch (call.operation) {
    case "create":
      return runCreate(context, bound, call);
    case "update":
      return runUpdate(context, bound, call);
    case "delete":
      return runDelete(context, bound, call);
    case "renew":
      return runRenew(context, bound, call);
    case "set":
      return runSet(context, bound, call);
  }
}
