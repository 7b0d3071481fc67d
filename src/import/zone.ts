import type { Diagnostic, Position } from "../model/diagnostic.ts";

/** A file of zones or of a manifest: its path, as messages name it, and its content. */
export interface TextFile {
  readonly file: string;
  readonly text: string;
}

/** One record of a zone that a file holds. */
export interface ZoneRecord {
  /** The whole name of its owner, in lower case, with its final dot. */
  readonly name: string;
  readonly type: string;
  /** Seconds; undefined: the zone's. */
  readonly ttl: number | undefined;
  /** The data without the priority; all names in it are whole. */
  readonly content: string;
  readonly priority?: number;
  readonly at: Position;
}

/** A zone that a file holds. */
export interface FileZone {
  readonly name: string;
  /** The TTL of records that have none of their own, in seconds. */
  readonly ttl: number | undefined;
  readonly records: readonly ZoneRecord[];
  readonly file: string;
}

/** Returns the warning for a part of a file that no manifest has. */
export const notImported = (at: Position, part: string, reason: string): Diagnostic => ({
  severity: "warning",
  code: "not_imported",
  summary: `${part} is not in the manifest: ${reason}`,
  at,
});
