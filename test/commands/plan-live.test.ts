import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { virtualClock } from "../support/virtual-clock.ts";
import { checkEvents, eventsOf, exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { pinged, planned, snapshots, type File } from "./snapshots.ts";

const hour = 3_600_000;

const { account, live, manifest, take, plan, read, edit } = snapshots();

describe("plan --live", () => {
  beforeEach(async () => {
    await take();
  });

  const change = `services: { shop.example: {} }
crons: { shop.example: { jobs: { backup: { schedule: "@daily", command: other } } } }
removed: [{ address: cron/shop.example/ping, action: delete }]`;

  test("needs neither key nor network, and says what it is against and how old that is", async () => {
    edit((file) => {
      file.taken_at = new Date(Date.now() - 3 * hour).toISOString();
    });
    const ran = exits(0, await runInProcess(noAccount, ["plan", "--live", live(), "-f", manifest(change)]));
    expect(ran.stdout).toMatch(/^Target: offline at https:/u);
    expect(ran.stdout).toMatch(/\nAgainst a snapshot, not live state: 3 h old, taken \d{4}-\S+Z\n/u);
    expect(ran.stdout).toMatch(/~ cron\/shop\.example\/backup .*\n +~ command .*\n +~ schedule /u);
    expect(ran.stdout).toMatch(/- cron\/shop\.example\/ping .*will be deleted/u);
    const events = eventsOf(await plan(change, "--json"));
    expect(checkEvents(events)).toEqual([]);
    expect(events.find(({ type }) => type === "target")).toMatchObject({ snapshot: { takenAt: read().taken_at } });
  });

  test.each([
    [0, "less than a minute"],
    [-hour, "less than a minute"],
    [61_000, "1 min"],
    [47 * hour, "47 h"],
    [49 * hour, "2 days"],
  ])("%i ms ago is %s old", async (ago, age) => {
    const taken = Date.parse(read().taken_at);
    const args = ["plan", "--live", live(), "-f", manifest("dns: {}")];
    const { stdout } = await runInProcess({ ...account, flags: [], env: {} }, args, {}, virtualClock(taken + ago));
    expect(stdout).toContain(`: ${age} old,`);
  });

  test("a field that was left out of the snapshot counts neither as equal nor as different: it is reported, and no change is planned for it", async () => {
    const ran = await plan(pinged, "--json");
    expect(eventsOf(ran).find(({ code }) => code === "not_in_snapshot")).toMatchObject({
      severity: "notice",
      summary: "1 field is left out of the snapshot, and not compared: command of cron/shop.example/ping",
    });
    expect(eventsOf(ran).find(({ type }) => type === "planned")).toMatchObject({ changes: [{ path: "schedule" }] });
  });

  test("does nothing in a list that the snapshot does not hold", async () => {
    edit((file) => {
      file.collections = file.collections.filter(({ kind }) => kind !== "cron");
    });
    const ran = exits(6, await plan(change, "--json"));
    expect(eventsOf(ran).find(({ type }) => type === "incomplete")).toMatchObject({
      collection: "cron/shop.example",
      reason: "not in the snapshot",
    });
    expect(eventsOf(ran).filter(({ type }) => type === "refused").length).toBe(1);
  });

  test("plans all of what is new: what would belong to it is known not to be there", async () => {
    const ran = await plan(
      `
services: { new.example: { plan: WEB-M, datacenter: MAD1 } }
domains: { new.example: { service: new.example } }
dns: { new.example: { records: { www: { A: 192.0.2.1 } } } }
mail: { new.example: { aliases: { sales: { destinations: [info@shop.example] } } } }
crons: { new.example: { jobs: { x: { schedule: "@daily", command: x } } } }`,
      "--json",
    );
    expect(planned(ran).toSorted()).toEqual([
      "create cron/new.example/x",
      "create dns_record/new.example/www/A",
      "create dns_zone/new.example",
      "create domain/new.example",
      "create mail_alias/sales@new.example",
      "create service/new.example",
    ]);
    expect(ran.status).toBe(0);
  });

  test("but not where the list of its parents is not whole", async () => {
    edit((file) => {
      for (const collection of file.collections)
        if (collection.kind === "dns_zone") collection.incomplete = "cut short";
    });
    expect((await plan("dns: { new.example: { records: { www: { A: 192.0.2.1 } } } }")).status).toBe(6);
  });

  test.each([
    ["--base-url", "https://api.test"],
    ["--emulator"],
    ["--emulator-data", "x.db"],
    ["--key-file", "key"],
    ["--ca-file", "ca.pem"],
  ])("beside %s is a contradiction", async (...flags) => {
    const ran = exits(3, await plan("dns: {}", ...flags));
    expect(ran.stderr).toContain(`Both a snapshot (--live) and ${flags[0]} are given`);
  });

  test("is not for apply", async () => {
    const ran = await runInProcess(account, ["apply", "--live", live(), "-f", manifest("dns: {}"), "--auto-approve"]);
    expect(ran.status).toBe(3);
    expect(ran.stderr).toContain("live");
  });

  test("refuses a snapshot of another API or contract", async () => {
    const other = exits(3, await plan("provider: { base_url: https://other.test }"));
    expect(other.stderr).toContain("provider.base_url is https://other.test");
    edit((file) => {
      file.target["contract"] = "theirs";
    });
    const contract = exits(3, await plan("dns: {}"));
    expect(contract.stderr).toContain("taken with the contract theirs");
  });
});

describe("plan --live refuses a file that is not a snapshot", () => {
  let good: File;
  beforeAll(async () => {
    await take();
    good = read();
  });
  const collection = (file: File, kind: string) => {
    const found = file.collections.find((each) => each.kind === kind && each.objects.length > 0);
    if (!found) throw new Error(`no ${kind}`);
    return found;
  };
  const first = (file: File, kind: string) => {
    const [object] = collection(file, kind).objects;
    if (!object) throw new Error(`no ${kind}`);
    return object;
  };
  const changed = (change: (file: File) => void) => () => {
    const file = structuredClone(good);
    change(file);
    return JSON.stringify(file);
  };

  const files: [string, () => string, RegExp][] = [
    ["not JSON", () => "version: 1", /it is not JSON/u],
    ["empty", () => "", /it is not JSON/u],
    ["a list", () => "[]", /does not state its version/u],
    ["another JSON", () => "{}", /does not state its version/u],
    ["of another version", changed((file) => (file.snapshot = 2)), /version 2; this Hostform reads version 1/u],
    ["with a key too many", changed((file) => Object.assign(file, { more: 1 })), /additional properties/u],
    [
      "with a wrong type",
      changed((file) => Object.assign(first(file, "domain"), { record: "x" })),
      /record must be object/u,
    ],
    ["without its time", changed((file) => (file.taken_at = "yesterday")), /taken_at/u],
    ["of no time there is", changed((file) => (file.taken_at = "2026-99-99T00:00:00Z")), /is not a time/u],
    ["with an unknown kind", changed((file) => (collection(file, "domain").kind = "dom\u001b[31main")), /not a kind/u],
    [
      "with a scope of another kind",
      changed((file) => (collection(file, "domain").scope = { zone: "x" })),
      /not by zone/u,
    ],
    [
      "with a list of what has no name",
      changed((file) => (collection(file, "cron").scope = { service: "" })),
      /scope\/service/u,
    ],
    [
      "with one list twice",
      changed((file) => file.collections.push(collection(file, "cron"))),
      /holds cron\/\S+ twice/u,
    ],
    [
      "with two objects of one address",
      changed((file) => {
        const again = structuredClone(first(file, "domain"));
        again.record["id"] = "dom_other";
        collection(file, "domain").objects.push(again);
      }),
      /2 objects have the address domain\/shop\.example/u,
    ],
    [
      "with one object twice",
      changed((file) => collection(file, "domain").objects.push(first(file, "domain"))),
      /came twice/u,
    ],
    [
      "with an id that leads elsewhere",
      changed((file) => (first(file, "cron").record["id"] = "x/../../keys")),
      /usable id/u,
    ],
    ["with an id that is none", changed((file) => (first(file, "cron").record["id"] = { a: 1 })), /usable id/u],
    [
      "with an object of another list",
      changed((file) => (collection(file, "cron").scope = { service: "a.example" })),
      /do not agree/u,
    ],
    [
      "with an address that is not its record's",
      changed((file) => (first(file, "domain").address = "domain/other.example")),
      /other\.example|shop\.example/u,
    ],
    [
      "with a key __proto__",
      () => JSON.stringify(good).replace('"record":{', '"record":{"__proto__":{"id":"x"},'),
      /key __proto__/u,
    ],
    [
      "nested without end",
      () => JSON.stringify(good).replace('"record":{', `"record":{"x":${"[".repeat(100_000)}${"]".repeat(100_000)},`),
      /nested/u,
    ],
  ];

  test.each(files)("%s", async (_name, text, words) => {
    account.write("live.json", text());
    const ran = await plan("domains: { shop.example: {} }\ncrons: { shop.example: {} }");
    expect(ran.stderr).toMatch(words);
    expect(ran.stderr).toContain("bad_snapshot");
    expect(ran.stderr).not.toContain("\u001b");
    expect(ran).toMatchObject({ status: 3, stdout: "" });
  });

  test.each([["absent.json"], ["."], ["/dev/zero"]])("%s", async (path) => {
    const args = ["plan", "--live", path, "-f", manifest("dns: {}")];
    expect(exits(3, await runInProcess(noAccount, args)).stderr).toContain(path);
  });
});
