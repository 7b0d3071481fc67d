import { envelope } from "../http/answer.ts";
import { makeEtag, type Answer } from "../http/answer.ts";
import type { StoredObject } from "../store/stored-object.ts";
import { answered } from "./answered.ts";
import type { Action, Call } from "./call.ts";
import { renewAction } from "./renew-action.ts";
import { createAction, getAction, listAction, present, removeAction, updateAction } from "./resource-actions.ts";
import { dnssecTarget, globalTarget, mailSettingsTarget, recordTarget, type ActionTarget } from "./target.ts";

const services = globalTarget("service");
const databases = globalTarget("database", { filter: "service_id" });
const certificates = globalTarget("certificate");

/** The action that answers each operation of the OpenAPI document, by its `operationId`. */
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
