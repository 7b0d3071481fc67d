import { certificate } from "./certificate.ts";
import { cron } from "./cron.ts";
import { database } from "./database.ts";
import { databaseUser } from "./database-user.ts";
import { dnsRecord } from "./dns-record.ts";
import { dnsZone } from "./dns-zone.ts";
import { dnssec } from "./dnssec.ts";
import { domain } from "./domain.ts";
import { ftpAccount } from "./ftp-account.ts";
import type { Kind } from "./kind.ts";
import type { KindName } from "./kind-name.ts";
import { mailAlias } from "./mail-alias.ts";
import { mailSettings } from "./mail-settings.ts";
import { mailbox } from "./mailbox.ts";
import { service } from "./service.ts";

/** Every kind of object the service knows, in an order in which each stands after what it refers to. */
export const kinds: Readonly<Record<KindName, Kind>> = {
  service,
  domain,
  dns_zone: dnsZone,
  dns_record: dnsRecord,
  dnssec,
  mail_settings: mailSettings,
  mailbox,
  mail_alias: mailAlias,
  ftp_account: ftpAccount,
  database,
  database_user: databaseUser,
  cron,
  certificate,
  // Work that goes on after a 202. Its scope is what it makes.
  job: { idPrefix: "job", scope: ({ resource }: { readonly resource: { readonly id: string } }) => resource.id },
};
