import type { Address } from "./address.ts";
import type { Failure } from "./failure.ts";
import type { JsonObject } from "./json.ts";
import type { Step, StepId } from "./plan.ts";
import type { CollectionId } from "./resource.ts";

/**
 * The outcome of one step. `external`: done, but a person or a registry must still act, or the run was stopped before it was ready.
 * `adopted`: not created, because the object was there already.
 * `not_attempted`: held back because the run was stopped; `callsDone`: after some of its calls, default none.
 */
export type Outcome =
  | { readonly is: "done"; readonly external?: string; readonly adopted?: true }
  | { readonly is: "failed"; readonly failure: Failure; readonly callsDone: number }
  | { readonly is: "blocked"; readonly by: StepId }
  | { readonly is: "not_attempted"; readonly callsDone?: number };

export interface Requests {
  /** Calls of the plan that were sent. */
  readonly writes: number;
  /** Writes that were sent again: further attempts, and what took the place of one refused with 409 or 412. */
  readonly repeated: number;
  readonly reads: number;
  /** Reads that only waited for the server. */
  readonly polls: number;
}

/** A step that sent other writes than the plan has, each as `METHOD path`: a bug of ours. Without an address: writes of no step. */
export interface Mismatch {
  readonly address?: Address;
  readonly planned: readonly string[];
  readonly sent: readonly string[];
}

/**
 * The end of one object that was deleted to make room for another, which was refused: it was created again, or that failed. `later`: the
 * next apply looks again, and makes it if nothing stands in its place.
 */
export interface PutBack {
  readonly address: Address;
  /** The refused step; of what an earlier apply has left, the address of the object that was to be made. */
  readonly by: StepId;
  readonly method: string;
  /** Ids filled in. */
  readonly path: string;
  readonly outcome:
    | { readonly is: "put_back" }
    /** `record`: the body to be sent by hand; what looks secret is left out. */
    | { readonly is: "failed"; readonly failure: Failure; readonly record: JsonObject; readonly later: boolean };
}

/** The request `after` of a collection. `kept`: whether the next apply sends it again if it failed. */
export interface SentAfterRequest {
  readonly collection: CollectionId;
  readonly kept: boolean;
  readonly failure?: Failure;
}

/** An outcome for every step of a plan, in its order. */
export interface Report {
  readonly outcomes: readonly { readonly step: Step; readonly outcome: Outcome }[];
  /** Of what steps deleted to make room for what was refused; absent if there is nothing. */
  readonly putBacks?: readonly PutBack[];
  /** The requests that made the API use what was written, each with its failure; absent if none was sent. */
  readonly afterRequests?: readonly SentAfterRequest[];
  readonly interrupted: boolean;
  /** Why the lock was lost while the plan ran; absent where it was not. */
  readonly lockLost?: string;
  readonly requests: Requests;
  readonly mismatches: readonly Mismatch[];
  readonly milliseconds: number;
}

/** Something that did not hold in a rehearsal. */
export interface RehearsalFinding {
  /** `seed`: the embedded service cannot stand for the live state. `run`: the plan itself. `cut`: what is left after a crash. */
  readonly stage: "seed" | "run" | "cut";
  readonly summary: string;
  /** One line each. */
  readonly details: readonly string[];
}

/** The results of rehearsing a plan on the embedded service. */
export interface Rehearsal {
  /** Live objects that the embedded service was filled with. */
  readonly objects: number;
  readonly steps: number;
  readonly calls: number;
  /** Cuts that were tried, two a call; undefined where that was not asked for. */
  readonly cuts?: number;
  /** Empty where all held. */
  readonly findings: readonly RehearsalFinding[];
  readonly milliseconds: number;
}

export interface StatusRow {
  readonly address: Address;
  /** The server's own word; empty where the kind has none. */
  readonly status: string;
  /** `missing`: declared, and not there. */
  readonly state: "ready" | "pending" | "failed" | "missing";
  /** Present if a manifest is given and does not declare the resource. `platform`: the platform made it, and keeps it. */
  readonly undeclared?: "unmanaged" | "platform";
  /** The server's reason for a failure, or what a person or a registry must still do. */
  readonly reason?: string;
  /** Data that a person must carry elsewhere, such as DS records. */
  readonly tells?: readonly string[];
  readonly expiresAt?: string;
  /** Whole days from now; negative once it is over. */
  readonly daysLeft?: number;
  readonly usedMb?: number;
  /** null: unlimited. */
  readonly limitMb?: number | null;
}
