import type { Thing } from "./draw-exchange.ts";
import type { Holdings } from "./read-account.ts";

/** The account in which exchanges are drawn. */
export const exchangeSeed = {
  service: [{ domain: "example.com", hosting: { id_service_type: "WEB-M" } }],
  domain: [{ name: "example.com", service: "example.com" }],
  dns_zone: [{ name: "example.com" }],
};

const noUpdate = "{ operations: { update: null } }";

/** A contract without updates of crons, aliases and records, so that each change of them is an exchange. */
export const plainContract = `contract: 1\nname: c\nextends: v2026\nkinds: { cron: ${noUpdate}, mail_alias: ${noUpdate}, dns_record: ${noUpdate} }\n`;

/** The manifest's beginning, in which the account is declared. */
export const manifestBegin =
  "version: 1\nname: exchanges\npolicy: { max_deletes: 100% }\nservices: { example.com: {} }\ndomains: { example.com: {} }\n";

interface Posting {
  readonly path: string;
  /** Fields of each body. */
  readonly base: Readonly<Record<string, unknown>>;
}

/** Returns the path and the base of the body with which things are made by hand. */
export function thingPaths(held: Holdings): Readonly<Record<Thing["list"], Posting>> {
  const id = (kind: string) => String(held[kind]?.[0]?.["id"]);
  return {
    records: { path: `/v2026/dns/zones/${id("dns_zone")}/records`, base: {} },
    aliases: { path: "/v2026/mail/aliases", base: {} },
    crons: { path: "/v2026/crons", base: { service_id: id("service") } },
  };
}
