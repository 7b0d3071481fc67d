import type { Fields } from "../fields.ts";
import type { Context } from "../kinds/kind.ts";
import type { KindName } from "../kinds/kind-name.ts";
import type { FieldErrors } from "../refusal.ts";

export interface Creation {
  readonly body: Fields;
  /** The zone of a DNS record or of DNSSEC, else "". */
  readonly scope: string;
  /** Fields that the body cannot say and the record keeps from the item. */
  readonly keep: readonly string[];
  readonly errors: FieldErrors;
}

/** The body that would create what an item of a seed describes: names become identifiers, secrets are made up. */
export function creationBody(name: KindName, item: Fields, context: Context): Creation {
  const { service: serviceName, zone: zoneName, ...rest } = item;
  const errors: FieldErrors = {};
  const resolve = (kind: "service" | "dns_zone", field: string, wanted: unknown): string => {
    const found = context.objects.byKey(`${kind} ${String(wanted).toLowerCase()}`);
    if (found === undefined) errors[field] = [`names none; it was ${JSON.stringify(wanted)}`];
    return found?.id ?? "";
  };
  const body: Fields = { password: "made-up password", ...rest };
  if (serviceName !== undefined) body["service_id"] = resolve("service", "service", serviceName);
  if (name === "service") Object.assign(body, { domain: { name: item["domain"], register: false } });
  const keep = name === "certificate" && item["type"] === "uploaded" ? ["type", "certificate", "chain"] : [];
  if (keep.length > 0) Object.assign(body, { type: "managed", certificate: null, chain: null });
  const inZone = name === "dns_record" || name === "dnssec";
  const scope = inZone ? zoneOf(item, zoneName, resolve, errors, context) : "";
  return { body, scope, keep, errors };
}

function zoneOf(
  { zone_id: id }: Fields,
  name: unknown,
  resolve: (kind: "dns_zone", field: string, wanted: unknown) => string,
  errors: FieldErrors,
  { objects }: Context,
): string {
  if (name !== undefined) return resolve("dns_zone", "zone", name);
  if (typeof id === "string" && objects.byId("dns_zone", id) !== undefined) return id;
  errors["zone"] = ["is required, as the name of a zone (or zone_id)"];
  return "";
}
