import type { Json } from "../../model/json.ts";
import type { Key } from "../../model/resource.ts";
import type { Kind } from "../kind.ts";

/** A field's value in its normal form; a field without one is taken as it is. */
export function normalValue(kind: Kind, field: string, value: Json, key: Key): Json {
  const { normalise } = kind.fields[field] ?? {};
  return normalise ? normalise(value, key) : value;
}
