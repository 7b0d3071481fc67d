import type { Fields } from "../../model/resource.ts";
import { jsonText } from "../../model/json.ts";
import type { Kind } from "../kind.ts";

/** Returns the status of an object if its kind does not know the word: such an object may be usable or not. */
export function unknownStatus({ readiness }: Kind, fields: Fields): string | undefined {
  const { status: value = null } = fields;
  // A server that sends no status has none to be known.
  if (!readiness || value === null) return undefined;
  const status = jsonText(value);
  const known = [...readiness.ready, ...readiness.awaited, ...readiness.failed];
  return known.includes(status) || readiness.external?.(status, fields) !== undefined ? undefined : status;
}
