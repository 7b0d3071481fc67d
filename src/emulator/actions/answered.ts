import type { Fields } from "../fields.ts";
import type { StoredObject } from "../store/stored-object.ts";
import { spellRecord } from "../spelling/spell-record.ts";
import type { Call } from "./call.ts";

/** A stored record as this service is told to spell it. */
export function answered(
  { spelling, context }: Call,
  { kind, scope, record }: Pick<StoredObject, "kind" | "scope" | "record">,
): Fields {
  if (spelling.size === 0) return record;
  const zone = kind === "dns_record" ? context.objects.byId("dns_zone", scope) : undefined;
  return spellRecord(kind, record, String(zone?.record["name"]), spelling);
}
