import type { Json } from "../../model/json.ts";
import { jsonText } from "../../model/json.ts";

/** A list whose order and repetitions mean nothing, each item in its normal form: sorted, each once. */
export function nameSet(normalise: (item: string) => string): (value: Json) => Json {
  return (value) =>
    Array.isArray(value) ? [...new Set(value.map((item) => normalise(jsonText(item))))].sort() : value;
}
