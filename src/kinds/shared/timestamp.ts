import type { Json } from "../../model/json.ts";

/** A point in time as ISO 8601 in UTC with whole seconds, whatever its zone is written in; what is none stays as it is. */
export function normaliseTimestamp(value: Json): Json {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? value : new Date(time).toISOString().replace(".000Z", "Z");
}
