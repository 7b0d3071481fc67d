import type { Result } from "./failure.ts";
import type { Report } from "./report.ts";
import type { Live, Fields, RemoteId } from "./resource.ts";
import type { JsonObject, Json } from "./json.ts";
import type { Address } from "./address.ts";
import type { HttpCall } from "./http-call.ts";
import type { LeaseHolder, Unconfirmed } from "./inventory.ts";
import type { StepId } from "./plan.ts";

/** The first line of a journal: whose apply it is. Times are ISO 8601, UTC. */
export interface Begin extends LeaseHolder {
  readonly type: "begin";
  readonly version: 1;
  /** NAME-HASH */
  readonly target: string;
  readonly plan?: string;
  readonly commit?: string;
}

/** One write that is about to be sent, as it may stand in a file: nothing secret. */
export interface Write extends Pick<Unconfirmed, "address" | "ids" | "before"> {
  readonly step: StepId;
  readonly operation: Exclude<HttpCall["operation"], "set">;
  readonly method: string;
  /** Ids filled in. */
  readonly path: string;
  /** The request writes a whole set, and may be sent again just as an update may. */
  readonly set?: true;
  /** The mark of the object among others of its address (the content of a record); absent where it is secret. */
  readonly identity?: Json;
  /** The request is never sent again while its outcome is unknown: it costs money, or a second object would stand beside the first. */
  readonly once?: true;
  /** Fields that it sends and that are never read. */
  readonly write_only?: readonly string[];
  /** Its Idempotency-Key. */
  readonly key?: string;
  /** SHA-256 of its body without secret values, which could be guessed and tried. */
  readonly body?: string;
}

export interface Intent extends Write {
  readonly type: "intent";
  /** Counts from 1 in a journal. */
  readonly n: number;
  readonly at: string;
}

export interface WriteOutcome {
  /** `unknown`: no answer came, or one that does not tell what was done. */
  readonly is: "done" | "failed" | "unknown";
  readonly status?: number;
  readonly sort?: string;
  /** The id of the object that a creation made, if it is known; where that has another name or none, the creation is `unknown`. */
  readonly id?: RemoteId;
}

/** The part of an intent by which its object is found and named, and by which it may be sent again. */
export type SentIntent = Omit<Intent, "type" | "n" | "at" | "step" | "write_only"> & Partial<Pick<Intent, "at">>;

/**
 * A creation that the server has answered with an id, or a renewal that was done. Until a list shows that, a plan would request it again.
 */
export interface AnsweredRequest extends SentIntent {
  /** Absent for a renewal. */
  readonly id?: RemoteId;
}

/** A write of an earlier apply of which nobody has seen what came of it. */
export interface InFlight {
  readonly intent: Intent;
  /** Creations at the same address that the same apply has seen done: so many new objects are theirs. */
  readonly doneBeside: number;
  /** The id in the answer to a creation that did not show the requested name. */
  readonly answered?: RemoteId;
}

/** The facts that a journal tells of the apply that wrote it. */
export interface ReadJournal {
  readonly begin: Begin;
  readonly inFlight: readonly InFlight[];
  /** The number of intents that must not be repeated blindly (`once`). */
  readonly once: number;
  /** Those of them that have failed. */
  readonly failed: readonly Intent[];
  /** Creations that no list has shown so far. */
  readonly made: readonly AnsweredRequest[];
  /** The ids of the objects whose deletion was done, by their address. */
  readonly deleted: ReadonlyMap<Address, readonly string[]>;
  /** Records that may have been deleted for a successor, and were neither replaced nor put back. */
  readonly held: readonly HeldRecord[];
  /** Values that were about to be removed, and that no step has written again. */
  readonly removedValues: readonly RemovedValues[];
  /** False where it was cut off. */
  readonly ended: boolean;
}

/** An object that is deleted to make room for another, as a journal may hold it. */
export interface HeldRecord {
  readonly address: Address;
  /** The resource that takes its place. */
  readonly successor: Address;
  /** Of the object that is deleted. */
  readonly id: string;
  /** The request that makes it again, ids filled in. */
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The Idempotency-Key of that request. */
  readonly key: string;
  /** Its body: the record as read just before the deletion, less what is read-only. */
  readonly record: JsonObject;
  /** JSON pointers of what is or looks secret, and does not stand in `record`. */
  readonly withheld: readonly string[];
  /** Whether its address was ours. Default: not. */
  readonly ours?: true;
  /** The end of its deletion as far as a journal knows it; absent if that was not sent, or was refused. */
  readonly deletion?: Deletion;
}

export interface Deletion {
  /** `unknown`: no answer came. */
  readonly is: "done" | "unknown";
  /** ISO 8601: the moment at which it was sent. */
  readonly at: string;
}

/** Live values that no manifest writes and that a plan removes and writes again: until then only the journal has them. */
export interface RemovedValues {
  readonly address: Address;
  readonly fields: Fields;
  /** Fields whose value is or looks secret, and does not stand in `fields`. */
  readonly withheld: readonly string[];
  /** Values of the fields that these follow, such as the engine of a database. */
  readonly beside: Fields;
  /** The object that is deleted: while it is there, nothing is lost. Absent where a reference is taken back and set again. */
  readonly of?: { readonly address: Address; readonly id: string };
}

/** The record of all that an apply is about to send and has sent, kept where it outlives the process. */
export interface Journal {
  /** Resolves when it is on the disk, with its number; or with why it is not, and then it must not be sent. */
  readonly intend: (write: Write) => Promise<Result<number, string>>;
  /** Records the outcome of one write. Nobody waits for the disk: without it the next apply only looks once more. */
  readonly ended: (n: number, outcome: WriteOutcome) => void;
  /** Records the outcome of every write that a step has sent so far; `id`: of the object that it made. */
  readonly settled: (step: StepId, is: "done" | "failed", id?: RemoteId) => void;
  /** Keeps what is about to be deleted to make room for another, ahead of the intent of its deletion; nothing secret. */
  readonly hold: (held: HeldRecord) => void;
  /** Records that the object held under this key needs no put-back any more. */
  readonly release: (key: string) => void;
  /** Keeps values that the next intent removes and a later step writes again; nothing secret. */
  readonly noteRemoved: (values: RemovedValues) => void;
  /** The removed values of this address are written again, or were not removed. */
  readonly noteRewritten: (address: Address) => void;
  /** The Idempotency-Key that an earlier apply sent the same creation with; given once. */
  readonly keyOf: (write: Write) => string | undefined;
}

/** The work that an earlier apply has left unfinished. */
export interface Leftover {
  /** Intents of creations that were not done. */
  readonly again: readonly SentIntent[];
  /** Records that may still have to be put back. */
  readonly held: readonly HeldRecord[];
  /** Values that no step has written again so far. */
  readonly removedValues: readonly RemovedValues[];
  /** Earlier requests in the inventory that must not be repeated blindly, and that no list shows so far. */
  readonly unconfirmed: readonly Unconfirmed[];
}

export interface OpenJournal extends Journal {
  /**
   * Ends it: nothing more is written. It is removed where the outcome of every write is known and no creation waits to be confirmed.
   * The leftovers of an earlier apply stay where this one has sent nothing.
   */
  readonly close: (report: Report | undefined) => Promise<void>;
  /** Requests of this apply that must not be repeated blindly, and are not known to have failed. */
  readonly unconfirmed: () => readonly Unconfirmed[];
  /** Removes a closed journal if the outcome of every write is known and `live` shows all that was made. */
  readonly confirm: (live: Live) => Promise<void>;
}

/** The outcome of a write that an earlier apply had in flight. */
export type RecoveredOutcome =
  | { readonly is: "done" }
  | { readonly is: "not_done"; readonly planned: boolean; readonly hint?: string }
  /** It was done, and is not there any more, or not shown yet. */
  | { readonly is: "unlisted"; readonly id: RemoteId; readonly planned: boolean }
  /** It made an object that is live under another name. `wanted`: the manifest still declares the requested name, and none is there. */
  | { readonly is: "renamed"; readonly id: RemoteId; readonly name: Address; readonly wanted: boolean }
  /** `again`: it would be sent again by a run that goes on, and might be done twice. `late`: lists may show it a little later. */
  | { readonly is: "untold"; readonly reason: string; readonly again: boolean; readonly late?: true };
