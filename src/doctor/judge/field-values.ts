import type { Spelt } from "../../contract/spelling/read-field.ts";
import type { FieldContract } from "../../model/contract.ts";
import type { Json, JsonObject } from "../../model/json.ts";

/** A contradiction between the spelling of a field and its values, and the words to write at the field. */
export interface Misspelling {
  readonly expected: string;
  readonly found: string;
  readonly write: JsonObject;
}

/** The values of a field as records hold them. */
export interface FieldValues {
  readonly spelt: Spelt;
  readonly name: string;
  readonly field: FieldContract;
  readonly records: readonly JsonObject[];
  /** Those of them that are not null, nor the sentinel. */
  readonly values: readonly Json[];
}
