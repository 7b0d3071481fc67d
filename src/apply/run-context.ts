import { bindKind, type BoundKind } from "../contract/bound-kind.ts";
import { textAt } from "../contract/decode-record.ts";
import type { Pointer, Contract } from "../model/contract.ts";
import type { Connection } from "../api/connection.ts";
import type { Address } from "../model/address.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { CollectionId, FoundSecret, Live, TemplatePart, RemoteId } from "../model/resource.ts";
import type { HeldRecord } from "../model/journal.ts";
import type { SharedLists } from "./shared-lists.ts";
import type { CountedConnection } from "./write-ledger.ts";
import { repeatUntil, type Clock } from "../lib/repeat-until.ts";
import type { Failure, Result } from "../model/failure.ts";
import type { HttpCall } from "../model/http-call.ts";
import type { Step } from "../model/plan.ts";

/** An object that this run has made, as the API answered. */
export interface CreatedObject {
  readonly id: RemoteId;
  /** Absent for a member of a set. */
  readonly raw?: JsonObject;
}

/** The identity that a record states: its id (empty if missing or unusable in a URL path) and its address. */
export interface RecordIdentity {
  readonly id: RemoteId;
  /** The expected address also where the server has lengthened the name; undefined where the record holds no name. */
  readonly address: Address | undefined;
}

/** The input of a run, which counts its requests itself. */
export interface RunInput {
  readonly connection: Connection;
  readonly contract: Contract;
  readonly live: Live;
  /** The value behind `${env:…}`, `${file:…}` and `${exec:…}`; checked to be there before the first write. */
  readonly readSecret: (part: Exclude<TemplatePart, string>) => FoundSecret;
  /** Returns a held record without its secrets, so that it can be kept in a file or printed. */
  readonly withhold: (held: HeldRecord) => HeldRecord;
  /** Whether the value of a field is or looks secret. */
  readonly isSecret: (address: Address, field: string, value: Json) => boolean;
  /** Milliseconds to wait for the server to make an object usable. */
  readonly waitTimeout: number;
  /** Milliseconds that lists may take to show what was written. */
  readonly settle: number;
  readonly deps: Clock & { readonly newIdempotencyKey: () => string };
}

/** The context that running steps need beside the plan. */
export interface RunContext extends RunInput {
  readonly connection: CountedConnection;
  /** The objects that the run has made or written so far. */
  readonly made: Map<Address, CreatedObject>;
  /** The owner of each id, by list and id: of objects that were live when the run began, and of those that it has made since. */
  readonly owners: Map<CollectionId, Map<string, Address>>;
  /** The ids that the server has given instead at updates of this run, the last of them now, by `KIND/ID` as planned. */
  readonly moved: Map<string, RemoteId[]>;
  /** Addresses whose deletion this run has begun. */
  readonly deleting: Set<Address>;
  readonly lists: SharedLists;
}

/** One call of a step, or one put-back, as a place in the journal and in the ledger. */
export interface CallPlace {
  readonly step: Step;
  readonly call: HttpCall;
  readonly index: number;
}

/** Returns the context in which one call runs; without a place, one that only reads. */
export type ContextFor = (place: CallPlace | undefined) => RunContext;

/** The same, where what is read counts as waiting for the server. */
export function polling(context: RunContext): RunContext {
  const { connection } = context;
  return { ...context, connection: { ...connection, get: connection.poll } };
}

/** The id of an object made or written by this run, or else live; with `at`, the text that stands there in its record. */
export function knownIdOf(
  { made, live }: Pick<RunContext, "made" | "live">,
  address: Address,
  at?: Pointer,
): RemoteId | undefined {
  const object = made.get(address) ?? live.resources.get(address)?.remotes[0];
  return object && (at === undefined ? object.id : object.raw && textAt(object.raw, at));
}

/** The same of an object that there must be. */
export function remoteIdOf(context: Pick<RunContext, "made" | "live">, address: Address, at?: Pointer): RemoteId {
  const id = knownIdOf(context, address, at);
  if (id === undefined) throw new Error(`The id of ${address} is needed before the step that makes it`);
  return id;
}

/** Returns a kind with its entry in the contract of this run. */
export const kindIn = ({ contract }: Pick<RunContext, "contract">, name: string): BoundKind => bindKind(contract, name);

/** Whether the server refuses a write to what has changed since it was read. */
export const checksETag = ({ contract }: Pick<RunContext, "contract">, call: { readonly etag?: string | undefined }) =>
  call.etag !== undefined && contract.request.precondition !== undefined;

/** Returns the contract with the ids as they are now, from which requests are built. */
export const bindingOf = (context: RunContext) => ({
  contract: context.contract,
  live: context.live,
  idOf: (address: Address, at?: Pointer) => remoteIdOf(context, address, at),
});

/** Returns the failure of a request that was not sent, or whose answer is not its end. */
export const failedCall = (
  { method, path }: Pick<Failure, "method" | "path">,
  sort: Failure["sort"],
  message: string,
  attempts = 0,
): { ok: false; error: Failure } => ({ ok: false, error: { sort, method, path, message, attempts } });

/** Returns the failure of a write that may have been done, with what a search for it has found. */
export const unknownOutcome = (failure: Failure, found: string): { ok: false; error: Failure } => ({
  ok: false,
  error: { ...failure, sort: "unknown_outcome", message: `${failure.message.replace(/\.$/u, "")}; ${found}` },
});

/** The longest time, in milliseconds, that reads may lag behind writes. An object that is still missing afterwards is treated as absent. */
export const maxReadLag = 5_000;

/**
 * Returns the milliseconds for which a creation without a clear answer is looked for. Where no idempotency key makes it safe to send it
 * again, its object must have had all the time that a list may take to show it.
 */
export function creationSearchTime({ contract, settle }: Pick<RunContext, "contract" | "settle">): number {
  return contract.request.idempotency ? maxReadLag : Math.max(maxReadLag, settle);
}

const firstWait = 100;

/**
 * Looks, and looks again with growing waits until there is something to see, or something is so. The last look is when `milliseconds` are
 * over, not before: undefined or false then mean that in all this time there was nothing, or that the run was stopped meanwhile.
 */
export const pollUntil = <T>(
  context: RunContext,
  milliseconds: number,
  look: (context: RunContext, isFirst: boolean) => Promise<Result<T>>,
): Promise<Result<T>> =>
  lookAgain(context, milliseconds, look, (seen) => !seen.ok || (seen.value !== undefined && seen.value !== false));

/** Looks again and again until it is done. After the first look, what is read counts as waiting for the server. */
export function lookAgain<T>(
  context: RunContext,
  milliseconds: number,
  look: (context: RunContext, isFirst: boolean) => Promise<T>,
  isDone: (seen: T) => boolean,
): Promise<T> {
  const { deps, connection } = context;
  let later: RunContext | undefined;
  const bounds = { milliseconds, firstWait, stop: connection.stop };
  return repeatUntil(
    deps,
    bounds,
    (isFirst) => look(isFirst ? context : (later ??= polling(context)), isFirst),
    isDone,
  );
}
