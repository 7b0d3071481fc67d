import { envelope, makeEtag, type Answer } from "../http/answer.ts";
import type { StoredObject } from "../store/objects.ts";
import { expiry } from "../kinds/domain.ts";
import { isoTime } from "../kinds/kind.ts";
import { conflict, refuseInvalid } from "../refusal.ts";
import { schemaOf, type KindName } from "../kinds/kind-name.ts";
import { answered } from "./answered.ts";
import {
  dnssecTarget,
  globalTarget,
  mailSettingsTarget,
  dnsRecordTarget,
  type Action,
  type Call,
  type ActionTarget,
} from "./call.ts";
import { createAction, getAction, listAction, present, removeAction, updateAction } from "./resource-actions.ts";

const services = globalTarget("service");
const domains = globalTarget("domain");
const databases = globalTarget("database", "service_id");

const sorts = { list: listAction, create: createAction, get: getAction, update: updateAction, delete: removeAction };

/** The action that answers each operation of the OpenAPI document, by its `operationId`. */
export const actions: Readonly<Record<string, Action>> = {
  ...actionsOf(services),
  createService: createAction(services, presentService),
  ...actionsOf(domains),
  renewDomain,
  ...actionsOf(globalTarget("dns_zone", undefined, "zone_id")),
  ...actionsOf(dnsRecordTarget),
  ...actionsOf(dnssecTarget, ["create", "get", "update", "delete"]),
  ...actionsOf(globalTarget("mailbox", "domain")),
  ...actionsOf(globalTarget("mail_alias", "domain")),
  ...actionsOf(mailSettingsTarget, ["get", "update"]),
  ...actionsOf(globalTarget("ftp_account", "service_id")),
  ...actionsOf(databases),
  createDatabase: createAction(databases, presentDatabase),
  ...actionsOf(globalTarget("database_user", "service_id")),
  ...actionsOf(globalTarget("cron", "service_id")),
  ...actionsOf(globalTarget("certificate"), ["list", "create", "get"]),
  ...actionsOf(globalTarget("job"), ["get"]),
};

/** `verbs`: the operations that the API has for a kind. */
function actionsOf(
  target: ActionTarget,
  verbs: readonly (keyof typeof sorts)[] = ["list", "create", "get", "update", "delete"],
): Record<string, Action> {
  return Object.fromEntries(verbs.map((verb) => [operationId(verb, target.kind), sorts[verb](target)]));
}

/** Returns the `operationId` of a verb and a kind: `getMailbox`, and `listMailboxes` for several. */
export function operationId(verb: string, kind: KindName): string {
  const schema = schemaOf(kind);
  const several = /[sx]$/.test(schema) ? `${schema}es` : `${schema}s`;
  return verb + (verb === "list" ? several : schema);
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
  const { name, expires_at: end } = domain.record as { readonly name: string; readonly expires_at: string | null };
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
