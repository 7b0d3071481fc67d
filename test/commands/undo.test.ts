import fc from "fast-check";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { canonicalJson } from "../../src/saved-plans/lines.ts";
import { openAccount } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { listed } from "../support/live-records.ts";
import { eventsOf, exits, runInProcess } from "../support/run-hostform.ts";
import { size } from "../proofs/size.ts";
import { accountPutBack, head, inService, secrets } from "./account-put-back.ts";

/** `plan --undo-out`: what a plan does is taken back by another plan, so that what is live is as it was, field by field. */
const { account, list, write, run, done } = accountPutBack();

/** What the server sets by itself, and does not set back. */
const passing = ["id", "etag", "serial", "updated_at", "created_at", "password_updated_at"];
const lasting = (items: readonly Record<string, unknown>[]) =>
  items
    .filter(({ type }) => type !== "SOA")
    .map((item) => canonicalJson(Object.fromEntries(Object.entries(item).filter(([name]) => !passing.includes(name)))))
    .sort();

/** Everything of one name's service, domain and zone. */
async function everything(name: string): Promise<unknown> {
  const of = async (path: string, field: string) => (await list(path)).filter((item) => item[field] === name);
  const [service] = await of("/services", "domain");
  const [zone] = await of("/dns/zones", "name");
  const below = service
    ? [`/crons?service_id=`, `/databases?service_id=`, `/database-users?service_id=`, `/ftp/accounts?service_id=`]
    : [];
  const inZone = zone ? [`/dns/zones/${String(zone["id"])}/records`, `/dns/zones/${String(zone["id"])}/dnssec`] : [];
  const domains = await of("/domains", "name");
  const mail =
    domains.length > 0
      ? [`/mail/accounts?domain=${name}`, `/mail/aliases?domain=${name}`, `/mail/settings/${name}`]
      : [];
  const all: unknown[] = [lasting(service ? [service] : []), lasting(zone ? [zone] : []), lasting(domains)];
  for (const path of [...below.map((each) => each + String(service?.["id"])), ...inZone, ...mail])
    all.push([path.split("?")[0], lasting(await list(path))]);
  return JSON.parse(
    JSON.stringify(all)
      .replaceAll(/\/zones\/[^/"]+/gu, "/zones/ID")
      .replaceAll(/"\\?"service_id\\?":\\?"[^"]+"/gu, ""),
  );
}

let count = 0;
/** Applies one manifest, then another with its undo saved, then the undo; and tells what was live before, between and after. */
async function roundTrip(before: string, after: string, name: string, undoFlags: readonly string[] = []) {
  count += 1;
  const manifest = write(`undo${count}.yaml`, before);
  const [plan, undo] = ["plan", "undo"].map((word) => join(account.folder, `${word}${count}.json`)) as [string, string];
  await done(["apply", "-f", manifest, "--auto-approve"]);
  const first = await everything(name);
  write(`undo${count}.yaml`, after);
  // Whatever the plan needs is allowed: this is about the way back.
  const asked = eventsOf(await run(["plan", "-f", manifest, "--json"]));
  const flags = asked.flatMap(({ type, flag, address }) => (type === "refused" ? [String(flag), String(address)] : []));
  const planned = await done(["plan", "-f", manifest, "--out", plan, "--undo-out", undo, ...flags]);
  await done(["apply", plan, "--auto-approve"]);
  const between = await everything(name);
  const undone = await done(["apply", undo, "--auto-approve", ...undoFlags]);
  return { first, between, last: await everything(name), planned, undone, undo };
}

describe("an undo brings back, field by field,", () => {
  type Text = (name: string) => string;
  type Flags = (name: string) => readonly string[];
  const cases: readonly (readonly [string, Text, Text, Flags?])[] = [
    [
      "a service's fields",
      head,
      (name) => head(name).replace("WEB-M", 'WEB-L, settings: { php_version: "8.1", backups: false }'),
    ],
    [
      "a domain's fields",
      head,
      (name) =>
        head(name).replace(
          /service: \S+/u,
          "auto_renew: true, privacy: true, nameservers: [ns1.host.test, ns2.host.test]",
        ),
    ],
    ["a zone's TTL", (name) => `dns: { ${name}: { ttl: 7200 } }`, (name) => `dns: { ${name}: { ttl: 300 } }`],
    [
      "records: changed, added, deleted, of another type, commented and disabled",
      (name) =>
        `dns: { ${name}: { exclusive: true, records: { a: { A: { ttl: 60, values: [192.0.2.1, { value: 192.0.2.2, comment: old }] } }, b: { CNAME: x.test. }, c: { TXT: kept }, m: { MX: [{ priority: 10, value: mx.test. }] } } } }`,
      (name) =>
        `dns: { ${name}: { exclusive: true, records: { a: { A: { ttl: 90, values: [192.0.2.3, { value: 192.0.2.2, disabled: true, comment: new }] } }, b: { A: 192.0.2.9 }, d: { AAAA: "2001:db8::1" }, m: { MX: [{ priority: 20, value: mx.test. }, { priority: 30, value: mx2.test. }] } } } }`,
    ],
    [
      "a mailbox's fields",
      inService("mail", '{ mailboxes: { info: { password: "${env:PW}", quota: 1 GiB } } }'),
      inService("mail", '{ mailboxes: { info: { password: "${env:PW}", quota: unlimited, sending_enabled: false } } }'),
    ],
    [
      "that a mailbox was not there",
      head,
      inService("mail", '{ mailboxes: { info: { password: "${env:PW}" } } }'),
      (name) => ["--allow-delete", `mailbox/info@${name}`],
    ],
    [
      "an alias: changed, added, deleted",
      inService(
        "mail",
        "{ exclusive: true, aliases: { a: { destinations: [x@y.test] }, b: { destinations: [x@y.test], keep_copy: true } } }",
      ),
      inService(
        "mail",
        "{ exclusive: true, aliases: { a: { destinations: [z@y.test, x@y.test] }, c: { destinations: [x@y.test] } } }",
      ),
    ],
    [
      "mail settings",
      inService("mail", "{ settings: { catch_all: null } }"),
      inService(
        "mail",
        "{ settings: { catch_all: a@y.test, autoresponder: { enabled: true, subject: Away, message: Bye } } }",
      ),
    ],
    [
      "an FTP account's fields",
      (name) => inService("ftp", `{ accounts: { u${count}: { password: "\${env:PW}", home: /www } } }`)(name),
      (name) =>
        inService(
          "ftp",
          `{ accounts: { u${count}: { password: "\${env:PW}", home: /other, permissions: [read], enabled: false } } }`,
        )(name),
    ],
    [
      "a database created again with another engine, but for what it held",
      inService("databases", "{ databases: { shop: { engine: mariadb, charset: latin1 } } }"),
      inService("databases", "{ databases: { shop: { engine: postgresql } } }"),
      (name) => ["--allow-delete", `database/${name}/shop`],
    ],
    [
      "a database user's grants",
      inService(
        "databases",
        '{ databases: { shop: { engine: mariadb } }, users: { shop: { password: "${env:PW}", grants: { shop: all } } } }',
      ),
      inService(
        "databases",
        '{ databases: { shop: { engine: mariadb } }, users: { shop: { password: "${env:PW}", grants: { shop: [select] } } } }',
      ),
    ],
    [
      "crons: changed, added, deleted",
      inService(
        "crons",
        '{ exclusive: true, jobs: { a: { schedule: "0 3 * * *", command: x, email: a@b.test }, b: { schedule: "@daily", command: y, enabled: false } } }',
      ),
      inService(
        "crons",
        '{ exclusive: true, jobs: { a: { schedule: "1 3 * * *", command: z, email: null }, c: { schedule: "@daily", command: y } } }',
      ),
    ],
    [
      "that a zone and a service were not there",
      (name) => `domains: { ${name}: }`,
      (name) =>
        `${head(name).replace(/domains.*\n/u, "")}domains: { ${name}: }\ndns: { ${name}: { records: { www: { A: 192.0.2.1 } } } }\ncrons: { ${name}: { jobs: { x: { schedule: "@daily", command: y } } } }`,
      (name) => ["--allow-delete", `service/${name}`, "--allow-delete", `dns_zone/${name}`],
    ],
    [
      "that a zone was not signed",
      (name) => `dns: { ${name}: }`,
      (name) => `dns: { ${name}: { dnssec: { enabled: true } } }`,
      (name) => ["--allow-delete", `dnssec/${name}`],
    ],
  ];
  test.each(
    size.every(
      9,
      cases.map(([what, before, after, consent = () => []]) => [what, before, after, consent] as const),
    ),
  )("%s", async (_what, before, after, consent) => {
    count += 1;
    const name = `u${count}.example`;
    const { first, between, last, undone, undo } = await roundTrip(before(name), after(name), name, consent(name));
    expect(between).not.toEqual(first);
    expect(last, undone.stdout).toEqual(first);
    // What needed consent is done.
    expect((await done(["apply", undo, "--auto-approve"])).stdout).toContain("No changes.");
  });

  test("any zone", async () => {
    const value = fc.constantFrom("192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4");
    const member = fc.record({ value, disabled: fc.boolean(), comment: fc.constantFrom("x", "y", null) });
    const addresses = fc
      .record({
        ttl: fc.constantFrom(60, 300),
        values: fc.uniqueArray(member, { minLength: 1, maxLength: 3, selector: (each) => each.value }),
      })
      .map((A) => ({ A }));
    const node = fc.oneof(
      addresses,
      fc.constant({ CNAME: "target.test." }),
      fc.uniqueArray(fc.constantFrom("one", "two", "three"), { minLength: 1 }).map((TXT) => ({ TXT })),
    );
    const zone = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), node, { minKeys: 1 });
    await forDraws(10, zone, zone, async (before, after) => {
      count += 1;
      const name = `u${count}.example`;
      const manifest = (records: object) => `dns: ${JSON.stringify({ [name]: { exclusive: true, records } })}`;
      const { first, last, undone } = await roundTrip(manifest(before), manifest(after), name);
      expect(last, undone.stdout).toEqual(first);
    });
  });
});

test("an undo gives a service's mail settings back that were not managed and went with it", async () => {
  const name = "settings.example";
  const manifest = write("settings.yaml", `services: { ${name}: { plan: WEB-M, datacenter: MAD1 } }`);
  await done(["apply", "-f", manifest, "--auto-approve"]);
  const path = `/v2026/mail/settings/${name}`;
  const { body } = await account.byHand("GET", path);
  await account.byHand("PUT", path, {
    catch_all: "a@b.test",
    autoresponder: (body["data"] as Record<string, unknown>)["autoresponder"],
    dkim: { enabled: false },
  });
  write("settings.yaml", `services: { ${name}: { plan: WEB-M, datacenter: BCN1 } }`);
  const undo = join(account.folder, "settings.json");
  const allow = ["--allow-delete", `service/${name}`];
  const { stdout } = await done(["plan", "-f", manifest, "--undo-out", undo, ...allow]);
  expect(stdout).toContain(`reset with it, not in this plan: `);
  expect(stdout).toContain(`mail_settings/${name}`);
  await done(["apply", "-f", manifest, "--auto-approve", ...allow]);
  expect((await list(`/mail/settings/${name}`))[0]).toMatchObject({ catch_all: null });
  await done(["apply", undo, "--auto-approve", ...allow]);
  expect((await list(`/mail/settings/${name}`))[0]).toMatchObject({ catch_all: "a@b.test" });
  expect((await list("/services")).find(({ domain }) => domain === name)).toMatchObject({ datacenter: "MAD1" });
});

test("an account that the server gave a longer name is taken back by the name that is declared", async () => {
  const shared = await openAccount({ namePrefix: "u123" });
  onTestFinished(shared.close);
  const manifest = (home: string) =>
    shared.write(
      "m.yaml",
      `version: 1\nname: undo\n${head("a.example")}ftp: { a.example: { accounts: { deploy: { password: "\${env:PW}", home: ${home} } } } }`,
    );
  const undo = join(shared.folder, "undo.json");
  const inventory = ["--inventory", join(shared.folder, "inventory.json")];
  const ran = async (...args: readonly string[]) => {
    exits(0, await runInProcess(shared, [...args, ...inventory], secrets));
  };
  await ran("apply", "-f", manifest("/www"), "--auto-approve");
  await ran("plan", "-f", manifest("/web"), "--out", join(shared.folder, "plan.json"), "--undo-out", undo);
  await ran("apply", join(shared.folder, "plan.json"), "--auto-approve");
  await ran("apply", undo, "--auto-approve");
  expect(await listed(shared, "/v2026/ftp/accounts")).toContainEqual(
    expect.objectContaining({ username: "u123_deploy", home: "/www" }),
  );
});
