import { rulesOf } from "../../contract/rules-of.ts";
import { restoreCall } from "../../contract/binding.ts";
import { recordIn } from "../../api/response.ts";
import { decodeRecord, idOfRecord } from "../../contract/decode-record.ts";
import { collectionAt, collectionOf } from "../../kinds/derived/collection.ts";
import type { Address } from "../../model/address.ts";
import type { Pointer } from "../../model/contract.ts";
import { isHopeless, isUnsettled, mayBeDone, type Failure, type Result } from "../../model/failure.ts";
import type { PutBack } from "../../model/report.ts";
import type { Remote, RemoteId } from "../../model/resource.ts";
import { bindAddress, type BoundAddress } from "../../contract/bound-kind.ts";
import { lacksIds, writesSets } from "../../contract/sets.ts";
import type { Json } from "../../model/json.ts";
import { buildUpdateBody, fillCall } from "../build-body.ts";
import { listUnder, findObjects } from "../find-objects.ts";
import { newRunState, isSameObject, decodeHeld, namesIn, takesPlace } from "../object-identity.ts";
import { awaitJob } from "../await-ready.ts";
import {
  creationSearchTime,
  failedCall,
  lookAgain,
  pollUntil,
  maxReadLag,
  bindingOf,
  knownIdOf,
  type RunContext,
  type RunInput,
} from "../run-context.ts";
import { inTurn } from "../shared-lists.ts";
import { finishing, makeLedger } from "../write-ledger.ts";
import { showRecord, type HeldObject } from "./held.ts";
import { setCalls, takesWholeSets } from "../../contract/set-calls.ts";
import { knownValues } from "../../model/body.ts";
import type { HeldRecord } from "../../model/journal.ts";
import { buildSetBody } from "../set-body.ts";

const done: PutBack["outcome"] = { is: "put_back" };

/** Makes a deleted object again, once. */
export async function putBack(context: RunContext, held: HeldObject, by: string): Promise<PutBack> {
  const bound = bindAddress(context.contract, held.address);
  const request = held.call ? fillCall(context, bound.kind, { ...held.call, operation: "create" }) : held;
  const work = () => restore(context, bound, { ...held, ...request });
  const { zone } = bound.kind.entry.operations;
  const outcome = await (zone ? inTurn(context.lists, collectionAt(held.address), work) : work());
  return { address: held.address, by, method: held.method, path: request.path, outcome };
}

/** @param later whether that may change by itself. */
export const failedPutBack = (
  { withhold }: RunContext,
  held: HeldObject,
  failure: Failure,
  later: boolean,
): PutBack["outcome"] => ({ is: "failed", failure, record: showRecord(withhold(held)), later });

/** Puts back what an earlier apply has deleted for successors that will not be made now. Its journal still holds each of them. */
export async function restoreHeld(all: readonly HeldObject[], input: RunInput): Promise<PutBack[]> {
  const connection = finishing(makeLedger(input.connection).connectionFor(undefined));
  const context = { ...newRunState(input), connection };
  const ended: PutBack[] = [];
  for (const held of all) ended.push(await putBack(context, held, held.successor));
  return ended;
}

/**
 * Looks for so many `milliseconds` whether objects have appeared in the places of those that were deleted, and returns those whose place
 * is empty: all of them without a look where it is certain that nothing was made, and `milliseconds` is undefined.
 */
export async function findUnreplaced(
  context: RunContext,
  successor: Address,
  held: readonly HeldObject[],
  milliseconds: number | undefined,
): Promise<Result<readonly HeldObject[]>> {
  if (milliseconds === undefined || held.length === 0) return { ok: true, value: held };
  const before = new Set<string>((context.live.resources.get(successor)?.remotes ?? []).map(({ id }) => id));
  for (const { id, address } of held) if (address === successor) before.add(id);
  const look = async (looking: RunContext): Promise<Result<readonly HeldObject[]>> => {
    const listed = await listUnder(looking, bindAddress(context.contract, successor));
    if (!listed.ok) return listed;
    const made = listed.value.flatMap(({ id, fields }) => (before.has(id) ? [] : [fields]));
    return { ok: true, value: held.filter((each) => !made.some(takesPlace(context, each))) };
  };
  return lookAgain(context, milliseconds, look, (seen) => !seen.ok || seen.value.length === 0);
}

/** Looks for as long as a list may lag whether an object that may have been deleted is there to stay, or was created again. */
export async function isHeldStill(context: RunContext, held: HeldObject): Promise<Result<boolean>> {
  const bound = bindAddress(context.contract, held.address);
  const look = (looking: RunContext) => isHeldThere(looking, bound, held);
  return lookAgain(context, maxReadLag, look, (there) => !there.ok || !there.value);
}

/** Whether an object, or one that is the same, is there. */
const isHeldThere = (context: RunContext, bound: BoundAddress, held: HeldObject): Promise<Result<boolean>> =>
  isListed(context, bound, (remote) => remote.id === held.id || isSameObject(context, held, remote));

/** Whether a fresh list has such an object under an address. */
async function isListed(
  context: RunContext,
  bound: BoundAddress,
  isIt: (remote: Remote) => boolean,
): Promise<Result<boolean>> {
  const listed = await listUnder(context, bound);
  return listed.ok ? { ok: true, value: listed.value.some(isIt) } : listed;
}

/** Times that it is sent at most under its idempotency key, where no answer says whether it was done; without a key once. */
const mostSends = 3;

/** Whether the server may take it another time. */
const isPassing = (error: Failure): boolean => isHopeless(error) || error.sort === "rate_limited";

async function restore(context: RunContext, bound: BoundAddress, held: HeldObject): Promise<PutBack["outcome"]> {
  const { method, path, query, key, withheld } = held;
  const failed = (error: Failure, later: boolean) => failedPutBack(context, held, error, later);
  if (withheld.length > 0) {
    const names = withheld.map((pointer) => pointer.slice(1)).join(", ");
    const message = `the journal of the apply that deleted it does not hold ${names}, because that looks secret`;
    return failed(failedCall(held, "invalid", message).error, false);
  }
  const isSet = writesSets(bound.kind.entry);
  const built: Result<Json> = isSet ? await bodyOfHeldSet(context, bound, held) : bodyOfHeld(context, bound, held);
  if (!built.ok) return failed(built.error, true);
  const rules = rulesOf(context.contract, bound.kind.name, "create");
  for (let nth = 1; ; nth += 1) {
    const sent = await context.connection.send({ method, path, query, body: built.value, idempotencyKey: key, rules });
    if (sent.ok) {
      const job = await awaitJob(context, rules, sent.value);
      if (!job.ok) return failed(job.error, job.error.givenUp !== true);
      const record = held.call ? undefined : recordIn(rules, sent.value.body);
      const isGone = record && (await isGoneAgain(context, bound, held, idOfRecord(bound.kind, record)));
      return isGone ? failed(failedCall(held, "not_found", goneAgain).error, false) : done;
    }
    const { error } = sent;
    if (!isUnsettled(error) && error.sort !== "conflict") return failed(error, isPassing(error));
    const again = await isThereAgain(context, bound, held);
    if (again.ok && again.value) return done;
    if (again.ok && !mayBeDone(error)) return failed(error, false);
    if (!again.ok || nth === mostSends || !context.contract.request.idempotency) return failed(error, true);
  }
}

const goneAgain =
  "the server answered as to an earlier run that put it back, and it was deleted since, so it is not put back again";

/** Whether the object of an answer is not there: a server repeats its answer to an earlier run under the same idempotency key. */
async function isGoneAgain(context: RunContext, bound: BoundAddress, held: HeldObject, id: RemoteId): Promise<boolean> {
  if (id === "" || context.contract.request.idempotency === undefined) return false;
  // The id of a set is none of its members.
  const isIt = (remote: Remote) => (lacksIds(bound.kind) ? isSameObject(context, held, remote) : remote.id === id);
  const there = await pollUntil(context, creationSearchTime(context), (looking) => isListed(looking, bound, isIt));
  return there.ok && !there.value;
}

/** Returns the body that makes an object again. Of what an earlier apply has deleted, the journal holds the record alone. */
function bodyOfHeld(context: RunContext, bound: BoundAddress, held: HeldObject): Result<Json> {
  const { record, call } = held;
  const { kind, key } = bound;
  const { scope } = collectionOf(kind, key);
  const gone: Address[] = [];
  const idOf = (parent: Address, at?: Pointer) => {
    const id = knownIdOf(context, parent, at);
    if (id === undefined) gone.push(parent);
    return id ?? "";
  };
  const remote = () => decodeRecord(kind, record, { scope, nameOf: namesIn(context) }).remote;
  const request = call ?? restoreCall({ ...bindingOf(context), idOf }, kind, key, remote());
  if (gone.length === 0) return { ok: true, value: buildUpdateBody(context, bound, request, record) };
  return failedCall(held, "not_found", `${gone[0]} is gone`);
}

/** Looks for as long as a list may lag whether a deleted object was created again. Until then a list may still show the deleted one. */
async function isThereAgain(context: RunContext, bound: BoundAddress, held: HeldObject): Promise<Result<boolean>> {
  const createdAgain = await pollUntil(context, creationSearchTime(context), (looking) =>
    isListed(looking, bound, (remote) => remote.id !== held.id && isSameObject(context, held, remote)),
  );
  return createdAgain.ok && !createdAgain.value ? isHeldThere(context, bound, held) : createdAgain;
}

/** Returns the body of the request that makes a held set again, beside the others as they are now where those are written with it. */
async function bodyOfHeldSet(context: RunContext, bound: BoundAddress, held: HeldRecord): Promise<Result<Json>> {
  const { address, kind, key } = bound;
  const { operations } = kind.entry;
  const { objects: remotes } = decodeHeld(context, held);
  const shared = Object.entries(remotes[0]?.fields ?? {}).filter(
    ([name, value]) => kind.members?.shared.includes(name) === true && value !== null,
  );
  const [call] = setCalls(bindingOf(context), kind, {
    address,
    key,
    live: [],
    members: remotes.map((stays) => ({ stays, fields: {} })),
    shared: knownValues(Object.fromEntries(shared)),
    changed: new Set(),
  });
  const now = operations.zone ? await findObjects(context, bound, undefined) : undefined;
  if (now && !now.ok) return now;
  if (!call) return { ok: true, value: held.record };
  const whole = takesWholeSets(operations) ? { ...call, whole: true as const } : call;
  const body = buildSetBody(context, bound, whole, { remotes, items: now?.value.items ?? [] });
  return { ok: true, value: body ?? null };
}
