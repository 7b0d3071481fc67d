/** The kinds of the API, and jobs. */
export const kindNames = [
  "service",
  "domain",
  "dns_zone",
  "dns_record",
  "dnssec",
  "mailbox",
  "mail_alias",
  "mail_settings",
  "ftp_account",
  "database",
  "database_user",
  "cron",
  "certificate",
  "job",
] as const;

export type KindName = (typeof kindNames)[number];

/** Returns the name of a kind's schema in the document: `DnsZone`, and `DnsZoneCreate` and `DnsZoneUpdate` for bodies. */
export const schemaOf = (kind: KindName): string =>
  kind
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
