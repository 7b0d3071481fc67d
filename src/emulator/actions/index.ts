import { envelope } from "../http/answer.ts";
import { etagOf, type Answer } from "../http/answer.ts";
import type { ServiceRecord } from "../kinds/service.ts";
import type { StoredObject } from "../store/stored-object.ts";
import type { Action, Call } from "./call.ts";
import { renewAction } from "./renew-action.ts";
import { createAction, getAction, listAction, present, removeAction, updateAction } from "./resource-actions.ts";
import { dnssecTarget, globalTarget, mailSettingsTarget, recordTarget, type Target } from "./target.ts";

const services = globalTarget("service");
const databases = globalTarget("database", { filter: "service_id" });
const certificates = globalTarget("certificate");

/** What answers each operation of the OpenAPI document, by its `operationId`. */
export const actions: Readonly<Record<string, Action>> = {
  ...crud("Service", "Services", services),
  createService: createAction(services, presentService),
  ...crud("Domain", "Domains", globalTarget("domain")),
  renewDomain: renewAction,
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

function crud(singular: string, plural: string, target: Target): Record<string, Action> {
  return {
    [`list${plural}`]: listAction(target),
    [`create${singular}`]: createAction(target),
    [`get${singular}`]: getAction(target),
    [`update${singular}`]: updateAction(target),
    [`delete${singular}`]: removeAction(target),
  };
}

/** The five fields of the vendor's document and no others. */
function presentService({ id, record }: StoredObject): Answer {
  const { type, domain, status, created_at } = record as ServiceRecord;
  const data = JSON.stringify({ id, type, domain, status, created_at });
  return {
    status: 201,
    headers: { ETag: etagOf(JSON.stringify(record)) },
    body: envelope(data, "The service was created."),
  };
}

/** 201, or 202 with its job where it takes time. */
function presentDatabase({ id, record }: StoredObject, { context }: Call): Answer {
  const job = context.objects.inScope("job", id)[0];
  if (job === undefined) return present(201, record, "The database was created.");
  const answer = present(202, job.record, "The database is being created.");
  return { ...answer, headers: { ...answer.headers, Location: `/v2026/jobs/${job.id}` } };
}
