import type { ApiRules } from "../model/contract.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { getPointer, isObject } from "../model/json-pointer.ts";

/** The one record of an answer; some servers put it into a list of one. */
export function recordIn({ answer }: ApiRules, body: Json): JsonObject | undefined {
  const found = getPointer(body, answer.record);
  const only = Array.isArray(found) && found.length === 1 ? found[0] : found;
  return isObject(only) ? only : undefined;
}
