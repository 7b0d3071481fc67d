import type { KindName } from "../kinds/kind-name.ts";
import type { Role, Route } from "./routes.ts";

/** The names of kinds in the operations of the service's own API: of one object, and of several. */
export const operationNames: Readonly<Record<Exclude<KindName, "job">, readonly [one: string, several: string]>> = {
  service: ["Service", "Services"],
  domain: ["Domain", "Domains"],
  dns_zone: ["DnsZone", "DnsZones"],
  dns_record: ["DnsRecord", "DnsRecords"],
  dnssec: ["Dnssec", "Dnssec"],
  mailbox: ["Mailbox", "Mailboxes"],
  mail_alias: ["MailAlias", "MailAliases"],
  mail_settings: ["MailSettings", "MailSettings"],
  ftp_account: ["FtpAccount", "FtpAccounts"],
  database: ["Database", "Databases"],
  database_user: ["DatabaseUser", "DatabaseUsers"],
  cron: ["Cron", "Crons"],
  certificate: ["Certificate", "Certificates"],
};

const verbs: Readonly<Record<Role["sort"], string>> = {
  list: "list",
  lookup: "list",
  read: "get",
  create: "create",
  update: "update",
  field: "update",
  delete: "delete",
  renew: "renew",
  after: "update",
  set_create: "create",
  set_update: "update",
  set_delete: "delete",
  set_read: "get",
  zone: "update",
};

/** Returns the operation of the service's own API that a request of a contract stands for. */
export function representedBy({ kind, role: { sort } }: Pick<Route, "kind" | "role">): string {
  const [one, several] = operationNames[kind as keyof typeof operationNames];
  const isSingle = one === several;
  // Mail settings are always there.
  if (kind === "mail_settings" && sort === "create") return "updateMailSettings";
  const verb = isSingle && sort === "list" ? "get" : verbs[sort];
  return verb + (verb === "list" ? several : one);
}
