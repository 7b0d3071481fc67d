import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { openAccount } from "../support/account.ts";
import { openFront } from "../support/front.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import type { Place, Thing } from "./draw-exchange.ts";
import { openReader, type Holdings } from "./read-account.ts";

/** The account in which exchanges are drawn. */
const seed = {
  service: [{ domain: "example.com", hosting: { id_service_type: "WEB-M" } }],
  domain: [{ name: "example.com", service: "example.com" }],
  dns_zone: [{ name: "example.com" }],
};

const noUpdate = "{ operations: { update: null } }";

/** A contract without updates of crons, aliases and records, so that each change of them is an exchange. */
const plainContract = `contract: 1\nname: c\nextends: v2026\nkinds: { cron: ${noUpdate}, mail_alias: ${noUpdate}, dns_record: ${noUpdate} }\n`;

/** The manifest's beginning, in which the account is declared. */
const manifestBegin =
  "version: 1\nname: exchanges\npolicy: { max_deletes: 100% }\nservices: { example.com: {} }\ndomains: { example.com: {} }\n";

/** The values that a manifest takes from outside. */
export const secretsOfPlaces = { PW: "correct horse battery" };

/**
 * Opens an account in which exchanges are drawn, on a clock that passes only while somebody waits.
 *
 * @param lax whether the service makes a second object of one name, where others refuse it.
 */
export async function openExchanges(lax: boolean) {
  const clock = virtualClock();
  const account = await openAccount({ seed, lax }, clock.now);
  const front = await openFront(account);
  const reader = openReader(account);
  const lists = thingPaths(reader.read());
  const contract = account.write("c.yaml", plainContract);
  const journal = join(account.folder, "journal");
  return {
    clock,
    account,
    front,
    journal,
    hasJournal: () => existsSync(journal),
    /** Makes by hand what stands in a place before its exchange. */
    make: async ({ before }: Place) => {
      for (const { list, body } of before) {
        const { path, base } = lists[list];
        const made = await account.byHand("POST", path, { ...base, ...body });
        expect(made.status, JSON.stringify(made.body)).toBe(201);
      }
    },
    /** The arguments of an apply that makes the exchange. */
    applyOf: ({ manifest, flags }: Place, parallelism = 1) => {
      const file = account.write("m.yaml", manifestBegin + manifest);
      const fixed = ["--auto-approve", "--json", "--journal", journal, "--contract", contract];
      return ["apply", "-f", file, ...fixed, "--parallelism", String(parallelism), ...flags];
    },
    /** What stands in a place, without ids, versions and times. */
    heldIn: ({ isIn }: Place) =>
      Object.entries(reader.read())
        .flatMap(([kind, items]) => items.filter((item) => isIn(kind, item)).map((item) => ({ kind, ...item })))
        .map(({ id: _id, etag: _etag, created_at: _at, password_updated_at: _set, ...item }: Record<string, unknown>) =>
          JSON.stringify(item),
        )
        .toSorted(),
    close: async () => {
      reader.close();
      await front.close();
      await account.close();
    },
  };
}

interface Posting {
  readonly path: string;
  /** Fields of each body. */
  readonly base: Readonly<Record<string, unknown>>;
}

/** Returns the path and the base of the body with which things are made by hand. */
function thingPaths(held: Holdings): Readonly<Record<Thing["list"], Posting>> {
  const id = (kind: string) => String(held[kind]?.[0]?.["id"]);
  return {
    records: { path: `/v2026/dns/zones/${id("dns_zone")}/records`, base: {} },
    aliases: { path: "/v2026/mail/aliases", base: {} },
    crons: { path: "/v2026/crons", base: { service_id: id("service") } },
  };
}
