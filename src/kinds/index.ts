import { certificate } from "./certificate.ts";
import { cron } from "./cron.ts";
import { database } from "./database.ts";
import { databaseUser } from "./database_user.ts";
import { dnsRecord } from "./dns_record.ts";
import { dnsZone } from "./dns_zone.ts";
import { dnssec } from "./dnssec.ts";
import { domain } from "./domain.ts";
import { ftpAccount } from "./ftp_account.ts";
import type { Kind } from "./kind.ts";
import { mailAlias } from "./mail_alias.ts";
import { mailSettings } from "./mail_settings.ts";
import { mailbox } from "./mailbox.ts";
import { service } from "./service.ts";

/** Every kind there is, parents before children. */
export const kinds: readonly Kind[] = [
  service,
  domain,
  dnsZone,
  dnsRecord,
  dnssec,
  mailbox,
  mailAlias,
  mailSettings,
  ftpAccount,
  database,
  databaseUser,
  cron,
  certificate,
];

const byName: ReadonlyMap<string, Kind> = new Map(kinds.map((kind) => [kind.name, kind]));

/** Returns the kind with this name, or undefined. For names that users supply; otherwise use `kindNamed`. */
export const findKind = (name: string): Kind | undefined => byName.get(name);

/** The kind of that name; a missing one is a bug, for names that a kind itself gave. */
export function kindNamed(name: string): Kind {
  const kind = byName.get(name);
  if (!kind) throw new Error(`No kind is named ${name}`);
  return kind;
}
