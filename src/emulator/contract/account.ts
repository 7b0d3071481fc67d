import { conflict } from "../refusal.ts";
import type { Fields } from "../fields.ts";
import type { KindName } from "../kinds/kind-name.ts";
import type { Objects, StoredObject } from "../store/objects.ts";
import { getBelow } from "./json.ts";

/** The parts of the key by which an object is known, such as `zone` and `name`. */
export type KeyParts = Readonly<Record<string, string>>;

/** Returns where a field of Hostform stands in a stored record. */
export function storedPath(kind: KindName, field: string): readonly string[] {
  if (field === "service") return ["service_id"];
  return kind === "service" && field === "plan" ? ["hosting", "id_service_type"] : field.split(".");
}

export const valueOf = ({ kind }: StoredObject, record: Fields, field: string): unknown =>
  getBelow(record, storedPath(kind, field));

/** Returns a value as a text: empty for an object. */
export const textOf = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? String(value) : "";

/** The beginning of an object's key, beside its own texts: an address, or the name of its service or zone. */
const owners: Readonly<Record<KindName, "address" | "service" | "zone" | undefined>> = {
  service: undefined,
  domain: undefined,
  dns_zone: undefined,
  dns_record: "zone",
  dnssec: "zone",
  mailbox: "address",
  mail_alias: "address",
  mail_settings: undefined,
  ftp_account: "service",
  database: "service",
  database_user: "service",
  cron: "service",
  certificate: "service",
  job: undefined,
};

/** Returns the parts of an object's key. */
export function keyPartsOf({ kind, record, scope }: StoredObject, objects: Objects): KeyParts {
  const texts = Object.entries(record).filter((field): field is [string, string] => typeof field[1] === "string");
  const own = Object.fromEntries(texts);
  if (owners[kind] === "address") {
    const [local = "", domain = ""] = textOf(record["address"]).split("@");
    return { ...own, local, domain };
  }
  if (owners[kind] === "zone") return { ...own, zone: textOf(objects.byId("dns_zone", scope)?.record["name"]) };
  if (owners[kind] !== "service") return own;
  const service = objects.byId("service", textOf(record["service_id"]));
  return service === undefined ? own : { ...own, service: textOf(service.record["domain"]) };
}

/** Returns the scope in the store that the known parts of a key name: undefined for all objects, null if its parent does not exist. */
export function scopeOf(kind: KindName, parts: KeyParts, objects: Objects): string | undefined | null {
  const { zone, domain, service } = parts;
  if (owners[kind] === "zone" && zone !== undefined) return objects.byKey(`dns_zone ${zone.toLowerCase()}`)?.id ?? null;
  if (owners[kind] === "address" && domain !== undefined) return domain.toLowerCase();
  if (owners[kind] === "service" && kind !== "certificate" && service !== undefined)
    return objects.byKey(`service ${service.toLowerCase()}`)?.id ?? null;
  return undefined;
}

/** Returns what a new object's key says of its record, for an API whose bodies leave it out. */
export function keyFields(kind: KindName, parts: KeyParts, objects: Objects): Fields {
  const { local, domain, service, zone: _scope, ...own } = parts;
  const fields: Fields = { ...own };
  if (owners[kind] !== "address" && domain !== undefined) fields["domain"] = domain;
  if (local !== undefined && domain !== undefined) fields["address"] = `${local}@${domain}`;
  if (owners[kind] === "service" && service !== undefined) {
    const parent = objects.byKey(`service ${service.toLowerCase()}`);
    if (parent === undefined) throw conflict(`There is no service ${service}.`);
    fields["service_id"] = parent.id;
  }
  return fields;
}

/** Returns all objects of a kind, or of one scope of it. */
export function allOf(kind: KindName, scope: string | undefined, objects: Objects): readonly StoredObject[] {
  if (scope !== undefined) return objects.inScope(kind, scope);
  if (kind === "dnssec") return objects.ofKind("dns_zone").flatMap(({ id }) => objects.inScope(kind, id));
  return objects.ofKind(kind);
}

/** Returns the service that a zone stands under: that of its name, of a name above, or the first. */
export function serviceOfZone(zone: StoredObject, objects: Objects): StoredObject | undefined {
  const labels = String(zone.record["name"]).split(".");
  const above = labels.map((_, index) => objects.byKey(`service ${labels.slice(index).join(".")}`));
  return above.find((service) => service !== undefined) ?? objects.ofKind("service")[0];
}
