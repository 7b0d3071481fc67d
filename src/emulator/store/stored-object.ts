import type { Fields } from "../fields.ts";
import type { KindName } from "../kinds/kind-name.ts";

/** What befalls an object at a time: ms since 1970, and the fields that change then. */
export type ScheduledChange = readonly [time: number, change: Fields];

/** An object as it is at the time of reading: steps whose time has come are in `record`, `schedule` holds the others. */
export interface StoredObject {
  readonly id: string;
  readonly kind: KindName;
  /** Identifier or name of what it belongs to, or "". */
  readonly scope: string;
  readonly record: Fields;
  readonly schedule: readonly ScheduledChange[];
}

/** What is written of an object. `naturalKey` is null for what may repeat. */
export interface Writing extends StoredObject {
  readonly naturalKey: string | null;
}
