import { readFields } from "./body.ts";
import type { Json } from "./json.ts";
import type { Fields, Value, Values } from "./resource.ts";
import { openSecret } from "./secret.ts";

/** Returns a value as it is sent and compared, of a secret too; undefined while it is not known. */
export function clearValue(value: Value | undefined): Json | undefined {
  if (value?.is !== "secret") return value?.value;
  return value.secret && openSecret(value.secret);
}

/** Returns the known values, those of secrets too, as the rules of kinds judge them. */
export const clearFields = (values: Values): Fields => readFields(values, clearValue);
