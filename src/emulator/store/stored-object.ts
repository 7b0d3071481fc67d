import type { Fields } from "../fields.ts";
import type { KindName } from "../kinds/kind-name.ts";

/** A later change of an object: its time in ms since 1970, and the fields that change then. */
export type ScheduledChange = readonly [time: number, change: Fields];

/** An object as it is at the time of reading: `record` has the scheduled changes whose time has come, `schedule` holds the others. */
export interface StoredObject {
  readonly id: string;
  readonly kind: KindName;
  /** Identifier or name of what it belongs to, or "". */
  readonly scope: string;
  readonly record: Fields;
  readonly schedule: readonly ScheduledChange[];
}

/** An object as it is written. `naturalKey` is null for objects that may repeat. */
export interface Writing extends StoredObject {
  readonly naturalKey: string | null;
}
