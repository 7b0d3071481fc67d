import type { JsonObject } from "../model/json.ts";
import type { Key } from "../model/resource.ts";

/** Live state as a file keeps it (schemas/snapshot.schema.json): whole lists, redacted, so that a plan needs neither key nor network. */
export interface Snapshot {
  readonly snapshot: 1;
  readonly hostform: string;
  /** ISO 8601, in UTC. */
  readonly taken_at: string;
  /** `name` is the manifest's, where one was given. */
  readonly target: {
    readonly name?: string;
    readonly base_url: string;
    readonly contract: string;
    readonly emulator: boolean;
  };
  readonly collections: readonly SnapshotCollection[];
}

/** One list of the API. `incomplete`: why it cannot be trusted to be whole. */
export interface SnapshotCollection {
  readonly kind: string;
  readonly scope: Key;
  readonly incomplete?: string;
  readonly objects: readonly SnapshotObject[];
}

/** One object of a list: what the contract names of its record, less the fields that were redacted. */
export interface SnapshotObject {
  readonly address: string;
  readonly record: JsonObject;
  readonly redacted?: readonly string[];
}
