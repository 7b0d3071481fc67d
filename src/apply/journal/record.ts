import type { Address } from "../../model/address.ts";
import type { Json } from "../../model/json.ts";
import type { HttpCall } from "../../model/http-call.ts";
import type { RunningApply } from "../../model/inventory.ts";
import type { StepId } from "../../model/plan.ts";
import type { RemoteId } from "../../model/resource.ts";
import type { Carry } from "../carries.ts";
import type { HeldRecord } from "../exchanges/held.ts";

/** The first line of a journal: whose apply it is. Times are ISO 8601, UTC. */
export interface Begin {
  readonly type: "begin";
  readonly version: 1;
  /** NAME-HASH */
  readonly target: string;
  readonly plan?: string;
  readonly commit?: string;
  readonly by: string;
  readonly host: string;
  readonly pid: number;
  readonly process?: string;
  readonly since: string;
}

/** One write that is about to be sent, as it may stand in a file: nothing secret. */
export interface Write {
  readonly step: StepId;
  readonly address: Address;
  readonly operation: HttpCall["operation"];
  readonly method: string;
  /** Ids filled in. */
  readonly path: string;
  /** What tells the object from others of its address (the content of a record); absent where it is secret. */
  readonly identity?: Json;
  /** Where it is never sent again while it is not known whether it was done: it costs money, or a second one would stand beside the first. */
  readonly once?: true;
  /** Of what the address stood for when it was planned. */
  readonly ids?: readonly string[];
  /** The field that tells by its change that it was done, as it was. */
  readonly before?: { readonly field: string; readonly value: Json };
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

export interface Ended {
  /** `unknown`: no answer came, or one that does not tell what was done. */
  readonly is: "done" | "failed" | "unknown";
  readonly status?: number;
  readonly sort?: string;
  /** The id of the object that a creation made, if it is known. */
  readonly id?: RemoteId;
}

export interface OutcomeOf extends Ended {
  readonly type: "outcome";
  readonly n: number;
}

/**
 * An object that is about to be deleted to make room for another: the request that makes it again, should the other be refused. What
 * is or looks secret is withheld.
 */
export interface Hold extends HeldRecord {
  readonly type: "hold";
}

/** The object with this key needs no put-back any more: it is there again, or another is in its place, or it was given up. */
export interface Release {
  readonly type: "release";
  readonly key: string;
}

/** Values that are about to be taken away, until a later step writes them again. */
export interface CarryBegin extends Carry {
  readonly type: "carry";
}

/** The carried values of this address are written again, or were never taken away. */
export interface CarryEnd {
  readonly type: "carry_end";
  readonly address: Address;
}

/** The apply has ended by itself: steps by what became of them. */
export interface End {
  readonly type: "end";
  readonly done: number;
  readonly failed: number;
  readonly blocked: number;
  readonly not_attempted: number;
}

/** The only line of the file beside a journal that keeps a second apply out. */
export interface Lock extends RunningApply {
  readonly type: "lock";
}

/** One line of a journal, or of its lock (schemas/journal.schema.json). */
export type JournalRecord = Begin | Intent | OutcomeOf | Hold | Release | CarryBegin | CarryEnd | End | Lock;

/** A creation that the server has answered with an id. Until a list shows the object, a plan would create it again. */
export interface Made {
  readonly intent: Intent;
  readonly id: RemoteId;
}

/** A write of an earlier apply of which nobody has seen what came of it. */
export interface InFlight {
  readonly intent: Intent;
  /** Creations at the same address that the same apply has seen done: so many new objects are theirs. */
  readonly doneBeside: number;
}

/** What a journal tells of the apply that wrote it. */
export interface ReadJournal {
  readonly begin: Begin;
  readonly inFlight: readonly InFlight[];
  /** The number of intents that must not be repeated blindly (`once`). */
  readonly once: number;
  /** Creations that no list has shown so far. */
  readonly made: readonly Made[];
  /** Records that may have been deleted for a successor, and were neither replaced nor put back. */
  readonly held: readonly HeldRecord[];
  /** Values that were about to be taken away, and that no step has written again. */
  readonly carries: readonly Carry[];
  /** False where it was cut off. */
  readonly ended: boolean;
}
