import { cron } from "./cron.ts";
import { dnsRecord } from "./dns_record.ts";
import { dnsZone } from "./dns_zone.ts";
import { domain } from "./domain.ts";
import type { Kind } from "./kind.ts";
import { mailbox } from "./mailbox.ts";
import { service } from "./service.ts";

/** Every kind there is, parents before children. */
export const kinds: readonly Kind[] = [service, domain, dnsZone, dnsRecord, mailbox, cron];

const byName: ReadonlyMap<string, Kind> = new Map(kinds.map((kind) => [kind.name, kind]));

/** The kind of that name, or undefined where the name comes from a user. */
export function findKind(name: string): Kind | undefined {
  return byName.get(name);
}

/** The kind of that name; a missing one is a bug, for names that a kind itself gave. */
export function kindNamed(name: string): Kind {
  const kind = byName.get(name);
  if (!kind) throw new Error(`No kind is named ${name}`);
  return kind;
}
