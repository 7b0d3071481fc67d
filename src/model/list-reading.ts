import type { ApiRules, Pointer } from "./contract.ts";
import type { CallRequest } from "./http-call.ts";
import type { JsonObject } from "./json.ts";

/** The rules for reading one list, and for choosing the records of it that count. */
export interface ListReading {
  readonly rules: ApiRules;
  readonly request: CallRequest;
  /** The list is one object at most. */
  readonly isSingle: boolean;
  /** Tells one object of the list from another; empty where it has no id. */
  readonly idOf: (item: JsonObject) => string;
  /** The list is an object: where the key of each value is put. */
  readonly keyedBy?: Pointer | undefined;
  /** The list may hold ids alone: where each is put. */
  readonly idAt?: Pointer | undefined;
  /** Whether a record counts; of a part of one, as far as that shows it. Undefined: each does. */
  readonly accepts?: ((item: JsonObject) => boolean) | undefined;
  /** The list holds only a part of each record, which is read by itself. */
  readonly detail?: DetailReading | undefined;
}

export interface DetailReading {
  readonly rules: ApiRules;
  /** Undefined where nothing can be asked for, because the item has no usable id. */
  readonly requestOf: (item: JsonObject) => CallRequest | undefined;
  /** The whole record under the id that the list gave; undefined where it is another's. */
  readonly complete: (item: JsonObject, record: JsonObject) => JsonObject | undefined;
}
