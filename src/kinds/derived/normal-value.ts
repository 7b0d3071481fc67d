import type { Json } from "../../model/json.ts";
import type { Key } from "../../model/resource.ts";
import type { Kind } from "../kind.ts";
import { normaliseScalar } from "../shared/normal-forms.ts";

/** A field's value in its normal form. A field without one is a text, unless it is never compared. */
export function normalValue(kind: Kind, field: string, value: Json, key: Key): Json {
  const rules = kind.fields[field];
  if (rules?.normalise) return rules.normalise(value, key);
  return rules?.access === "write_only" || rules?.access === "manifest_only" ? value : normaliseScalar(value);
}
