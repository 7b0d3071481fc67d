import { envelope, makeEtag, type Answer } from "../http/answer.ts";
import type { StoredObject } from "../store/objects.ts";
import { expiry, type DomainRecord } from "../kinds/domain.ts";
import { isoTime } from "../kinds/kind.ts";
import { conflict, refuseInvalid } from "../refusal.ts";
import { answered } from "./answered.ts";
import type { Action, Call } from "./call.ts";
import { createAction, getAction, listAction, present, removeAction, updateAction } from "./resource-actions.ts";
import { dnssecTarget, globalTarget, mailSettingsTarget, recordTarget, type ActionTarget } from "./target.ts";

const services = globalTarget("service");
const domains = globalTarget("domain");
const databases = globalTarget("database", { filter: "service_id" });
const certificates = globalTarget("certificate");

/** The action that answers each operation of the OpenAPI document, by its `operationId`. */
export const actions: Readonly<Record<string, Action>> = {
  ...crud("Service", "Services", services),
  createService: createAction(services, presentService),
  ...crud("Domain", "Domains", domains),
  renewDomain,
  ...crud("DnsZone", "DnsZones", globalTarget("dns_zone", { idParam: "zone_id" })),
  ...crud("DnsRecord", "DnsRecords", recordTarget),
  getDnssec: getAction(dnssecTarget),
  createDnssec: createAction(dnssecTarget),
  updateDnssec: updateAction(dnssecTarget),
  deleteDnssec: removeAction(dnssecTarget),
  ...crud("Mailbox", "Mailboxes", globalTarget("mailbox", { filter: "domain" })),
  ...crud("MailAlias", "MailAliases", globalTarget("mail_alias", { filter: "domain" })),
  getMailSettings: getAction(mailSettingsTarget),
  updateMailSettings: updateAction(mailSettingsTarget),
  ...crud("FtpAccount", "FtpAccounts", globalTarget("ftp_account", { filter: "service_id" })),
  ...crud("Database", "Databases", databases),
  createDatabase: createAction(databases, presentDatabase),
  ...crud("DatabaseUser", "DatabaseUsers", globalTarget("database_user", { filter: "service_id" })),
  ...crud("Cron", "Crons", globalTarget("cron", { filter: "service_id" })),
  listCertificates: listAction(certificates),
  createCertificate: createAction(certificates),
  getCertificate: getAction(certificates),
  getJob: getAction(globalTarget("job")),
};

function crud(singular: string, plural: string, target: ActionTarget): Record<string, Action> {
  return {
    [`list${plural}`]: listAction(target),
    [`create${singular}`]: createAction(target),
    [`get${singular}`]: getAction(target),
    [`update${singular}`]: updateAction(target),
    [`delete${singular}`]: removeAction(target),
  };
}

/** The five fields of the vendor's document and no others. */
function presentService(object: StoredObject, call: Call): Answer {
  const { id, type, domain, status, created_at } = answered(call, object);
  const data = JSON.stringify({ id, type, domain, status, created_at });
  return {
    status: 201,
    headers: { ETag: makeEtag(JSON.stringify(object.record)) },
    body: envelope(data, "The service was created."),
  };
}

/** 201, or 202 with its job where it takes time. */
function presentDatabase(object: StoredObject, call: Call): Answer {
  const job = call.context.objects.inScope("job", object.id)[0];
  if (job === undefined) return present(call, 201, object, "The database was created.");
  const answer = present(call, 202, job, "The database is being created.");
  return { ...answer, headers: { ...answer.headers, Location: `/v2026/jobs/${job.id}` } };
}

/** Extends a registration by whole years from its end. */
function renewDomain(call: Call): Answer {
  const { context, body, validators } = call;
  const domain = domains.find(call);
  refuseInvalid(validators.body("RenewalCreate", body));
  const { name, expires_at: end } = domain.record as DomainRecord;
  if (end === null) throw conflict(`The domain ${name} is registered elsewhere and must be renewed there.`);
  const years = Number(body["period_years"]);
  const expires_at = expiry(Date.parse(end), years);
  context.save({ ...domain, record: { ...domain.record, expires_at } });
  const renewal = { domain_id: domain.id, period_years: years, expires_at, created_at: isoTime(context.now) };
  return {
    status: 201,
    headers: {},
    body: envelope(JSON.stringify(renewal), `The domain was renewed until ${expires_at}.`),
  };
}
