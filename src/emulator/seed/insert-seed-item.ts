import { checkBody, shownFields, type Context } from "../kinds/kind.ts";
import type { Validators } from "../document/validators.ts";
import { isFields, type Fields } from "../fields.ts";
import { kinds } from "../kinds/index.ts";
import { schemaOf, type KindName } from "../kinds/kind-name.ts";
import { addMailDomain, isMailDomain } from "../kinds/mail-domain.ts";
import type { FieldErrors } from "../refusal.ts";

export interface SeedContext {
  readonly validators: Validators;
  readonly context: Context;
  /** True: nothing comes along with what is inserted. */
  readonly alone: boolean;
}

/** Creates one seed item like a POST would, then sets its read-only fields. Returns field errors if the item is invalid. */
export function insertSeedItem(seeding: SeedContext, name: KindName, item: Fields): FieldErrors {
  if (name === "mail_settings") return insertSettings(seeding, item);
  if (name === "dns_record" && item["type"] === "SOA") return {};
  const { context, validators, alone } = seeding;
  const kind = kinds[name];
  const { body, scope, keep, errors: unresolved } = creationBody(name, item, context);
  if (Object.keys(unresolved).length > 0) return unresolved;
  const errors = validators.body(`${schemaOf(name)}Create`, body);
  kind.normalise?.(body);
  const wrong = checkBody(kind, body, context, scope, errors);
  // A mirror holds records of every type, also of those that this service does not take.
  const { type: _type, ...others } = wrong;
  const mistakes = alone && name === "dns_record" ? others : wrong;
  if (Object.keys(mistakes).length > 0) return mistakes;
  if (!alone) removeOwn(name, body, item, scope, context);
  const draft = kind.make?.(body, context, scope) ?? { record: body };
  const laid = layOver(draft.record, item, [...readOnlyFields(seeding, schemaOf(name)), ...keep]);
  const record = shownFields(name, laid, validators);
  const wrongFields = validators.record(schemaOf(name), kind.idPrefix === undefined ? record : { id: "", ...record });
  if (Object.keys(wrongFields).length > 0) return wrongFields;
  const { id } = item;
  const object = context.bring(name, { ...draft, record, ...(typeof id === "string" ? { id } : {}) });
  if (!alone) kind.made?.(object, body, context);
  return {};
}

/** Mail settings are there with their domain: a seed changes them. */
function insertSettings({ context, validators, alone }: SeedContext, item: Fields): FieldErrors {
  const kind = kinds.mail_settings;
  const domain = String(item["domain"]).toLowerCase();
  if (alone && isMailDomain(domain, context.objects)) addMailDomain(domain, context);
  const settings = context.objects.byKey(`mail_settings ${domain}`);
  if (settings === undefined)
    return { domain: [`is not a mail domain of the account; it was ${JSON.stringify(item["domain"])}`] };
  const fields = validators.fields("MailSettings").filter((field) => field !== "domain");
  const record = layOver(settings.record, item, fields);
  const wrongFields = validators.record("MailSettings", record);
  if (Object.keys(wrongFields).length > 0) return wrongFields;
  const saved = context.save({ ...settings, record });
  if (!alone) kind.touched?.(saved, context);
  return {};
}

/** Takes away what the service brought by itself and the seed names: a primary FTP account, a managed DNS record. */
function removeOwn(name: KindName, body: Fields, item: Fields, scope: string, { objects }: Context): void {
  if (name === "ftp_account" && item["primary"] === true) {
    const accounts = objects.inScope("ftp_account", String(body["service_id"]));
    for (const { id, record } of accounts) if (record["primary"] === true) objects.remove(id);
  }
  if (name === "dns_record" && item["managed"] === true) {
    const own = objects.byKey(kinds.dns_record.naturalKey?.(body, scope) ?? "");
    if (own?.record["managed"] === true) objects.remove(own.id);
  }
}

function readOnlyFields({ validators }: SeedContext, schema: string): readonly string[] {
  const created = validators.fields(`${schema}Create`);
  return validators.fields(schema).filter((field) => !created.includes(field) && field !== "id" && field !== "etag");
}

function layOver(record: Fields, item: Fields, fields: readonly string[]): Fields {
  const laid = { ...record };
  for (const field of fields) {
    const [below, above] = [record[field], item[field]];
    if (above !== undefined) laid[field] = isFields(below) && isFields(above) ? { ...below, ...above } : above;
  }
  return laid;
}

/**
 * The body that would create what an item of a seed describes: names become identifiers, secrets are made up. `scope` is the zone of a
 * DNS record or of DNSSEC, else ""; `keep` names the fields that the body cannot say and the record keeps from the item.
 */
function creationBody(name: KindName, item: Fields, { objects }: Context) {
  const { service: serviceName, zone: zoneName, ...rest } = item;
  const errors: FieldErrors = {};
  const resolve = (kind: "service" | "dns_zone", field: string, wanted: unknown): string => {
    const found = objects.byKey(`${kind} ${String(wanted).toLowerCase()}`);
    if (found === undefined) errors[field] = [`names none; it was ${JSON.stringify(wanted)}`];
    return found?.id ?? "";
  };
  const body: Fields = { password: "made-up password", ...rest };
  if (serviceName !== undefined) body["service_id"] = resolve("service", "service", serviceName);
  if (name === "service") Object.assign(body, { domain: { name: item["domain"], register: false } });
  const keep = name === "certificate" && item["type"] === "uploaded" ? ["type", "certificate", "chain"] : [];
  if (keep.length > 0) Object.assign(body, { type: "managed", certificate: null, chain: null });
  const zoneOf = ({ zone_id: id }: Fields): string => {
    if (zoneName !== undefined) return resolve("dns_zone", "zone", zoneName);
    if (typeof id === "string" && objects.byId("dns_zone", id) !== undefined) return id;
    errors["zone"] = ["is required, as the name of a zone (or zone_id)"];
    return "";
  };
  const scope = name === "dns_record" || name === "dnssec" ? zoneOf(item) : "";
  return { body, scope, keep, errors };
}
