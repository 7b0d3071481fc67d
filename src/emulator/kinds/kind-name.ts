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
