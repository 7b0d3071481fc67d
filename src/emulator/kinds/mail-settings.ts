import { lowerCase, type Fields } from "../fields.ts";
import type { Context, Kind } from "./kind.ts";

export type Dkim = { readonly enabled: boolean; readonly selector: string; readonly record: string };

type Input = { readonly dkim: { readonly enabled: boolean } };

type SettingsRecord = Fields & { readonly domain: string; readonly dkim: Dkim };

/** Mail settings of a domain: they come and go with it, so that there is nothing to make or delete. */
export const mailSettings: Kind<Input, SettingsRecord> = {
  normalise: (input) => lowerCase(input, "catch_all"),
  naturalKey: ({ domain }) => `mail_settings ${domain}`,
  change: (before, input) => ({ record: { ...input, dkim: { ...before.dkim, ...input.dkim } } }),
  touched: ({ record }, context) => keepDkimRecord(String(record["domain"]), context),
};

export function defaultMailSettings(domain: string, context: Context): SettingsRecord {
  return {
    domain,
    catch_all: null,
    autoresponder: { enabled: false, subject: null, message: null, starts_at: null, ends_at: null },
    dkim: dkimOf(domain, context),
    sending_limit_per_hour: 500,
  };
}

/** The DER header of a 2048-bit RSA public key, so that the made-up key reads like one. */
const keyHeader = Buffer.from("30820122300d06092a864886f70d01010105000382010f003082010a0282010100", "hex");
const keyTrailer = Buffer.from("0203010001", "hex");

/** DKIM of a new mail domain: always the same key for the same domain of one store. */
function dkimOf(domain: string, { digest }: Context): Dkim {
  const key = Buffer.concat([keyHeader, digest(`dkim ${domain}`, 256), keyTrailer]);
  return { enabled: false, selector: "sel", record: `v=DKIM1; k=rsa; p=${key.toString("base64")}` };
}

/** Brings the zone of a domain in line with its mail settings. */
export function keepDkimRecord(domain: string, context: Context): void {
  const dkim = context.objects.byKey(`mail_settings ${domain}`)?.record["dkim"] as Dkim | undefined;
  if (dkim !== undefined) setDkimRecord(domain, dkim, context);
}

/**
 * Lets the zone of a domain, where the account has it, hold the managed TXT record of enabled DKIM, and not hold it
 * otherwise. Whatever the owner put at that name stays as it is.
 */
export function setDkimRecord(domain: string, dkim: Dkim, { objects, bring }: Context): void {
  const zone = objects.byKey(`dns_zone ${domain}`);
  if (zone === undefined) return;
  const name = `${dkim.selector}._domainkey`;
  const present = objects.byKeyPrefix(`dns_record ${zone.id} ${name} `);
  if (!dkim.enabled) {
    for (const { id, record } of present) if (record["managed"] === true) objects.remove(id);
  } else if (present.length === 0) {
    const record = { name, type: "TXT", content: dkim.record, ttl: 3600, priority: null };
    bring("dns_record", { scope: zone.id, record: { ...record, disabled: false, comment: null, managed: true } });
  }
}
