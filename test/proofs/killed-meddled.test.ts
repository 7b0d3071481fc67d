import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { accountForFile } from "../support/account.ts";
import { frontForFile } from "../support/front.ts";
import { eventsOf, exits, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { type Moment, openMoments } from "./moments.ts";
import { openReader } from "./read-account.ts";

/**
 * A killed apply of a plan goes on where it has reset values itself: by what it has deleted to make it anew. What somebody else has changed
 * meanwhile is refused all the same: before the deletion, and of what only waits for the new object.
 */
const clock = virtualClock();
const account = accountForFile({}, clock.now);
const front = frontForFile(account);
let moments: ReturnType<typeof openMoments>;
let reader: ReturnType<typeof openReader>;
let start: Moment;
/** The arguments of each way to apply the plan. */
const ways: Record<string, readonly string[]> = {};

const place = (name: string) => join(account.folder, name);
const run = (...args: string[]) => runInProcess(front, [...args, "--inventory", place("inventory")], {}, clock);
const apply = (...args: string[]) =>
  run("apply", ...args, "--json", "--journal", place("journal"), "--parallelism", "1");

const manifest = (datacenter: string, quota: string, to: string) => `version: 1
name: moved
services: { a.example: { plan: WEB-M, datacenter: ${datacenter} } }
domains: { a.example: { service: a.example } }
mail:
  a.example:
    mailboxes: { boss: { quota: 1 GiB }, info: { quota: ${quota} } }
    aliases: { sales: { destinations: [${to}@a.example] } }
`;

const consent = ["--allow-delete", "service/a.example"];

/** Changes the first object of a list by hand. */
async function meddle(list: string, change: (object: JsonObject) => object): Promise<void> {
  const { body } = await account.byHand("GET", `/v2026/${list}`);
  const [object] = body["data"] as readonly (JsonObject & { readonly id: string })[];
  if (!object) throw new Error(`${list} is empty`);
  const { status } = await account.byHand("PUT", `/v2026/${list}/${object.id}`, change(object));
  expect(status).toBe(200);
}

beforeAll(async () => {
  reader = openReader(account);
  const files = [place("journal"), place("inventory")];
  moments = openMoments(account, front, files);
  const mailboxes = ["info", "boss"].map((name) => ({
    address: `${name}@a.example`,
    quota_mb: 1024,
    password: "Abc-123456789",
  }));
  await account.create("/services", {
    domain: { name: "a.example" },
    datacenter: "MAD1",
    hosting: { id_service_type: "WEB-M" },
  });
  await account.create("/domains", { name: "a.example" });
  for (const mailbox of mailboxes) await account.create("/mail/accounts", mailbox);
  const file = account.write("m.yaml", manifest("MAD1", "1 GiB", "boss"));
  exits(0, await apply("-f", file, "--auto-approve"));
  account.write("m.yaml", manifest("BCN1", "2 GiB", "info"));
  const outs = ["--out", place("saved"), "--undo-out", place("undo")];
  const planned = exits(0, await run("plan", "-f", file, "--json", ...outs, ...consent));
  const hash = String(eventsOf(planned).find(({ type }) => type === "plan")?.["hash"]);
  files.push(join(".hostform", `approved-${hash.replace("sha256:", "").slice(0, 32)}.json`));
  Object.assign(ways, {
    saved: [place("saved"), "--auto-approve"],
    approved: ["-f", file, "--approve", hash],
    undo: [place("undo"), "--auto-approve"],
  });
  start = moments.now();
});
afterAll(() => {
  reader.close();
  moments.close();
});

test.each(["saved", "approved", "undo"])(
  "a killed apply does not write over what somebody has changed meanwhile (%s)",
  async (name) => {
    const args = [...(ways[name] ?? []), ...consent];
    moments.goTo(start);
    if (name === "undo") exits(0, await apply(...(ways["saved"] ?? [])));
    const seen = moments.watch();
    exits(0, await apply(...args));
    const points = [...seen];
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
    for (const [where, list, change, said] of name === "undo" ? cases.slice(0, 1) : cases) {
      const moment = points.find((each) => each.where.startsWith(where));
      if (!moment) throw new Error(where);
      moments.goTo(moment);
      await meddle(list, change);
      const before = reader.read();
      const ran = exits(6, await apply(...args));
      expect(
        eventsOf(ran).flatMap(({ summary }) => (String(summary).endsWith(said) ? [summary] : [])),
        list,
      ).toHaveLength(1);
      expect(reader.read(), list).toEqual(before);
    }
  },
);
