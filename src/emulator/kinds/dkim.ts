import type { Context } from "./kind.ts";

export type Dkim = { readonly enabled: boolean; readonly selector: string; readonly record: string };

/** The DER header of a 2048-bit RSA public key, so that the made-up key reads like one. */
const keyHeader = Buffer.from("30820122300d06092a864886f70d01010105000382010f003082010a0282010100", "hex");
const keyTrailer = Buffer.from("0203010001", "hex");

/** DKIM of a domain: always the same key for the same domain of one store. */
export function dkimOf(domain: string, enabled: boolean, { digest }: Context): Dkim {
  const key = Buffer.concat([keyHeader, digest(`dkim ${domain}`, 256), keyTrailer]);
  return { enabled, selector: "sel", record: `v=DKIM1; k=rsa; p=${key.toString("base64")}` };
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
    const record = {
      name,
      type: "TXT",
      content: dkim.record,
      ttl: 3600,
      priority: null,
      disabled: false,
      comment: null,
    };
    bring("dns_record", { scope: zone.id, record: { ...record, managed: true } });
  }
}
