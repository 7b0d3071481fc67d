import { expect, test } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { eventsOf, exits } from "../support/run-hostform.ts";
import { killedStage } from "./killed-stage.ts";

/**
 * A killed apply of a plan goes on where it has reset values itself: by what it has deleted to make it anew. What somebody else has changed
 * meanwhile is refused all the same: before the deletion, and of what only waits for the new object.
 */
const manifest = (datacenter: string, quota: string, to: string) => `version: 1
name: moved
services: { a.example: { plan: WEB-M, datacenter: ${datacenter} } }
domains: { a.example: { service: a.example } }
mail:
  a.example:
    mailboxes: { boss: { quota: 1 GiB }, info: { quota: ${quota} } }
    aliases: { sales: { destinations: [${to}@a.example] } }
`;

const { account, apply, applied, read, goTo } = killedStage({
  before: manifest("MAD1", "1 GiB", "boss"),
  after: manifest("BCN1", "2 GiB", "info"),
  prepare: async ({ create }) => {
    const service = { domain: { name: "a.example" }, datacenter: "MAD1", hosting: { id_service_type: "WEB-M" } };
    await create("/services", service);
    await create("/domains", { name: "a.example" });
    for (const name of ["info", "boss"])
      await create("/mail/accounts", { address: `${name}@a.example`, quota_mb: 1024, password: "Abc-123456789" });
  },
});

/** Changes the first object of a list by hand. */
async function meddle(list: string, change: (object: JsonObject) => object): Promise<void> {
  const { body } = await account.byHand("GET", `/v2026/${list}`);
  const [object] = body["data"] as readonly (JsonObject & { readonly id: string })[];
  if (!object) throw new Error(`${list} is empty`);
  const { status } = await account.byHand("PUT", `/v2026/${list}/${object.id}`, change(object));
  expect(status).toBe(200);
}

test.each(["saved", "approved", "undo"])(
  "a killed apply does not write over what somebody has changed meanwhile (%s)",
  async (way) => {
    const { args, seen } = await applied(way);
    const cases = [
      [
        "before DELETE /v2026/services",
        "services",
        (it: JsonObject) => ({ ...it, settings: { ...(it["settings"] as JsonObject), backups: false } }),
        "settings.backups was true, and is false",
      ],
      [
        "after POST /v2026/services",
        "mail/accounts",
        (it: JsonObject) => ({ ...it, quota_mb: 4096 }),
        "quota_mb was 1024, and is 4096",
      ],
      [
        "after POST /v2026/services",
        "mail/aliases",
        (it: JsonObject) => ({ ...it, destinations: ["x@b.example"] }),
        'destinations was ["boss@a.example"], and is ["x@b.example"]',
      ],
    ] as const;
    for (const [where, list, change, said] of way === "undo" ? cases.slice(0, 1) : cases) {
      const moment = seen.find((each) => each.where.startsWith(where));
      if (!moment) throw new Error(where);
      goTo(moment);
      await meddle(list, change);
      const before = read();
      const ran = exits(6, await apply(...args));
      expect(
        eventsOf(ran).flatMap(({ summary }) => (String(summary).endsWith(said) ? [summary] : [])),
        list,
      ).toHaveLength(1);
      expect(read(), list).toEqual(before);
    }
  },
);
