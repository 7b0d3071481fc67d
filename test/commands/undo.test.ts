import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { canonicalJson } from "../../src/saved-plans/canonical-json.ts";
import { openAccount, type Account } from "../support/account.ts";
import { runInProcess } from "../support/in-process.ts";
import { eventsOf, type Ran } from "../support/run-hostform.ts";
import { size } from "../proofs/size.ts";

/** `plan --undo-out`: what a plan does is taken back by another plan, so that what is live is as it was, field by field. */
let account: Account;
let putBack: () => void;
beforeAll(async () => {
  account = await openAccount();
  putBack = account.mirror.keep();
});
afterEach(() => putBack());
afterAll(() => account.close());

const secrets = { PW: "some-password-1", OTHER: "some-password-2" };
const run = (args: readonly string[]) => runInProcess(account, args, secrets);

async function done(args: readonly string[]): Promise<Ran> {
  const ran = await run(args);
  expect(ran.status, ran.stdout + ran.stderr).toBe(0);
  return ran;
}

async function list(path: string): Promise<Record<string, unknown>[]> {
  const { body, status } = await account.byHand("GET", `/v2026${path}${path.includes("?") ? "&" : "?"}per_page=100`);
  expect(status, path).toBeLessThan(405);
  return status === 404 ? [] : ([body["data"]].flat() as Record<string, unknown>[]);
}

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
  const manifest = account.write(`undo${count}.yaml`, `version: 1\nname: undo\n${before}`);
  const [plan, undo] = ["plan", "undo"].map((word) => join(account.folder, `${word}${count}.json`)) as [string, string];
  await done(["apply", "-f", manifest, "--auto-approve"]);
  const first = await everything(name);
  account.write(`undo${count}.yaml`, `version: 1\nname: undo\n${after}`);
  // Whatever the plan needs is allowed: this is about the way back.
  const asked = eventsOf(await run(["plan", "-f", manifest, "--json"]));
  const flags = asked.flatMap(({ type, flag, address }) => (type === "refused" ? [String(flag), String(address)] : []));
  const planned = await done(["plan", "-f", manifest, "--out", plan, "--undo-out", undo, ...flags]);
  await done(["apply", plan, "--auto-approve"]);
  const between = await everything(name);
  const undone = await done(["apply", undo, "--auto-approve", ...undoFlags]);
  return { first, between, last: await everything(name), planned, undone, undo };
}

const head = (name: string) =>
  `services: { ${name}: { plan: WEB-M, datacenter: MAD1 } }\ndomains: { ${name}: { service: ${name} } }\n`;
const inService = (section: string, rest: string) => (name: string) => `${head(name)}${section}: { ${name}: ${rest} }`;

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
  test.each(cases.map(([what, before, after, consent = () => []]) => [what, before, after, consent] as const))(
    "%s",
    async (_what, before, after, consent) => {
      count += 1;
      const name = `u${count}.example`;
      const { first, between, last, undone } = await roundTrip(before(name), after(name), name, consent(name));
      expect(between).not.toEqual(first);
      expect(last, undone.stdout).toEqual(first);
    },
  );

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
    await fc.assert(
      fc.asyncProperty(zone, zone, async (before, after) => {
        count += 1;
        const name = `u${count}.example`;
        const manifest = (records: object) => `dns: ${JSON.stringify({ [name]: { exclusive: true, records } })}`;
        const { first, last, undone } = await roundTrip(manifest(before), manifest(after), name);
        expect(last, undone.stdout).toEqual(first);
      }),
      { numRuns: size.draws(10) },
    );
  });
});

describe("an undo names what it cannot bring back:", () => {
  test("what a mailbox held, and its password", async () => {
    const name = "gone.example";
    const manifest = account.write(
      "gone.yaml",
      `version: 1\nname: undo\n${inService("mail", '{ mailboxes: { info: { password: "${env:PW}" } } }')(name)}`,
    );
    await done(["apply", "-f", manifest, "--auto-approve"]);
    account.write(
      "gone.yaml",
      `version: 1\nname: undo\n${head(name)}removed: [{ address: mailbox/info@${name}, action: delete }]`,
    );
    const undo = join(account.folder, "gone.json");
    const { stdout } = await done([
      "plan",
      "-f",
      manifest,
      "--undo-out",
      undo,
      "--allow-delete",
      `mailbox/info@${name}`,
    ]);
    expect(stdout).toContain(`Cannot be undone: mailbox/info@${name}: its password is not known`);
    expect(JSON.parse(readFileSync(undo, "utf8"))).toMatchObject({
      undo: true,
      steps: [],
      cannot_undo: [{ address: `mailbox/info@${name}` }],
    });
  });

  test("a purchase, and a secret value", async () => {
    const text =
      'domains: { bought.example: { register: true } }\ndns: { secret.example: { records: { t: { TXT: "${env:PW}" } } } }';
    const manifest = account.write("bought.yaml", `version: 1\nname: undo\n${text}`);
    const undo = join(account.folder, "bought.json");
    const flags = ["--allow-purchase", "domain/bought.example"];
    const bought = await done(["plan", "-f", manifest, "--undo-out", undo, ...flags]);
    expect(bought.stdout).toContain("Cannot be undone: domain/bought.example: it stays, because it costs money");
    await done(["apply", "-f", manifest, "--auto-approve", ...flags]);
    account.write("bought.yaml", `version: 1\nname: undo\n${text.replace("env:PW", "env:OTHER")}`);
    const changed = await done(["plan", "-f", manifest, "--undo-out", undo]);
    expect(changed.stdout).toMatch(/Cannot be undone: dns_record\/secret\.example\/t\/TXT: its values are secret/u);
    for (const secret of Object.values(secrets)) expect(readFileSync(undo, "utf8")).not.toContain(secret);
  });
});

test("an undo leaves a new set with a secret value, and shows the value to nobody who has not got it", async () => {
  const zone = "secretly.example";
  const manifest = account.write("secretly.yaml", `version: 1\nname: undo\ndns: { ${zone}: }`);
  await done(["apply", "-f", manifest, "--auto-approve"]);
  const records = '{ t: { TXT: "${env:PW}" }, www: { A: 192.0.2.1 } }';
  account.write("secretly.yaml", `version: 1\nname: undo\ndns: { ${zone}: { records: ${records} } }`);
  const undo = join(account.folder, "secretly.json");
  const planned = await done(["plan", "-f", manifest, "--undo-out", undo]);
  expect(planned.stdout).toContain(
    `Cannot be undone: dns_record/${zone}/t/TXT: it stays, because its values are secret`,
  );
  await done(["apply", "-f", manifest, "--auto-approve"]);
  const { status, stdout, stderr } = await runInProcess(account, ["apply", undo, "--auto-approve"], {});
  expect(status, stdout + stderr).toBe(0);
  expect(stdout + stderr + readFileSync(undo, "utf8")).not.toContain(secrets.PW);
  const [{ id } = { id: "" }] = (await list("/dns/zones")).filter(({ name }) => name === zone);
  const left = (await list(`/dns/zones/${String(id)}/records`)).map(({ type }) => type);
  expect(left).toContain("TXT");
  expect(left).not.toContain("A");
});

test("an undo skips what cannot be undone, lists it with the reason, and does the rest", async () => {
  const name = "skips.example";
  const inventory = ["--inventory", join(account.folder, "skips.inventory.json")];
  const manifest = account.write(
    "skips.yaml",
    `version: 1\nname: undo\ndomains: { ${name}: }\ndns: { ${name}: { records: { www: { A: 192.0.2.1 } } } }`,
  );
  await done(["apply", "-f", manifest, "--auto-approve", ...inventory]);
  account.write(
    "skips.yaml",
    `version: 1\nname: undo\n${head(name)}dns: { ${name}: { records: { www: { A: 192.0.2.2 } } } }
certificates: { ${name}: [{ domains: [${name}] }] }
databases: { ${name}: { databases: { kept: { engine: mariadb, lifecycle: { prevent_destroy: true } }, gone: { engine: mariadb } } } }`,
  );
  const undo = join(account.folder, "skips.json");
  const { stdout } = await done(["plan", "-f", manifest, "--undo-out", undo, ...inventory]);
  expect(stdout).toContain(`Cannot be undone: certificate/${name}/managed: it stays, because the API cannot delete it`);
  expect(stdout).toContain(`Cannot be undone: service/${name}: it stays, because`);
  expect(stdout).toContain(`Cannot be undone: database/${name}/kept: it stays, because`);
  await done(["apply", "-f", manifest, "--auto-approve", ...inventory]);
  const back = await done(["apply", undo, "--auto-approve", "--allow-delete", `database/${name}/gone`, ...inventory]);
  expect(back.stdout).toContain(`Cannot be undone: service/${name}`);
  const [service] = (await list("/services")).filter(({ domain }) => domain === name);
  const databases = await list(`/databases?service_id=${String(service?.["id"])}`);
  expect(databases.map(({ name: each }) => each)).toEqual(["kept"]);
  expect((await list("/domains")).find(({ name: each }) => each === name)).toMatchObject({ service_id: null });
  const held = JSON.parse(readFileSync(join(account.folder, "skips.inventory.json"), "utf8")) as {
    addresses: string[];
  };
  expect(held.addresses).toContain(`service/${name}`);
  expect(held.addresses).not.toContain(`database/${name}/gone`);
});

test("an undo skips what a manifest applied meanwhile keeps from being destroyed", async () => {
  const name = "later.example";
  const inventory = ["--inventory", join(account.folder, "later.inventory.json")];
  const text = (lifecycle: string) =>
    `version: 1\nname: undo\n${head(name)}crons: { ${name}: { jobs: { a: { schedule: "@daily", command: x${lifecycle} }, b: { schedule: "@daily", command: y } } } }`;
  const manifest = account.write("later.yaml", `version: 1\nname: undo\n${head(name)}`);
  await done(["apply", "-f", manifest, "--auto-approve", ...inventory]);
  account.write("later.yaml", text(""));
  const undo = join(account.folder, "later.json");
  await done(["plan", "-f", manifest, "--undo-out", undo, ...inventory]);
  account.write("later.yaml", text(", lifecycle: { prevent_destroy: true }"));
  await done(["apply", "-f", manifest, "--auto-approve", ...inventory]);
  const { stdout } = await done(["apply", undo, "--auto-approve", ...inventory]);
  expect(stdout).toContain(`Cannot be undone: cron/${name}/a: it stays, because`);
  expect(stdout).not.toContain(`Done already: delete cron/${name}/a`);
  const [service] = (await list("/services")).filter(({ domain }) => domain === name);
  expect((await list(`/crons?service_id=${String(service?.["id"])}`)).map(({ name: each }) => each)).toEqual(["a"]);
});

describe("the consent that an undo asks for", () => {
  const name = "consent.example";
  const undo = () => join(account.folder, "consent.json");
  const flagSets = [
    [`${name}=4`],
    [`mailbox/${name}`, `domain/${name}`].map((each) => `${each.split("/")[0] ?? ""}/*=1`).concat("dns_zone/*=1"),
    [`mailbox/info@${name}`, `domain/${name}`, `dns_zone/${name}`],
  ];

  beforeEach(async () => {
    const kept = account.write("consent.yaml", `version: 1\nname: consent\ndomains: { other.example: }`);
    await done(["apply", "-f", kept, "--auto-approve"]);
    account.write(
      "consent.yaml",
      `version: 1\nname: consent\ndomains: { ${name}: , other.example: }\ndns: { ${name}: { records: { www: { A: 192.0.2.1 } } } }
mail: { ${name}: { mailboxes: { info: { password: "\${env:PW}" } } } }`,
    );
    await done(["plan", "-f", kept, "--undo-out", undo()]);
    await done(["apply", "-f", kept, "--auto-approve"]);
  });

  test("is printed as flags, and in no words that only a manifest can follow", async () => {
    const { status, stdout } = await run(["apply", undo(), "--auto-approve"]);
    expect(status).toBe(6);
    expect(stdout).toContain(`to allow all: --allow-delete ${name}=`);
    expect(stdout).not.toContain("removed:");
    expect(stdout).not.toContain("a new plan");
  });

  test.each(flagSets.map((values) => [values.join(" "), values] as const))("is given by %s", async (_, values) => {
    const flags = values.flatMap((value) => ["--allow-delete", value]);
    const { status, stdout } = await run(["apply", undo(), "--auto-approve", ...flags]);
    expect(status, stdout).toBe(0);
    expect(await list(`/mail/accounts?domain=${name}`)).toEqual([]);
  });

  test("is not given by another number", async () => {
    const { status } = await run(["apply", undo(), "--auto-approve", "--allow-delete", `${name}=3`]);
    expect(status).toBe(6);
    expect(await list(`/mail/accounts?domain=${name}`)).toHaveLength(1);
  });
});

test("an undo gives a service's mail settings back that were not managed and went with it", async () => {
  const name = "settings.example";
  const manifest = account.write(
    "settings.yaml",
    `version: 1\nname: undo\nservices: { ${name}: { plan: WEB-M, datacenter: MAD1 } }`,
  );
  await done(["apply", "-f", manifest, "--auto-approve"]);
  const path = `/v2026/mail/settings/${name}`;
  const { body } = await account.byHand("GET", path);
  await account.byHand("PUT", path, {
    catch_all: "a@b.test",
    autoresponder: (body["data"] as Record<string, unknown>)["autoresponder"],
    dkim: { enabled: false },
  });
  account.write("settings.yaml", `version: 1\nname: undo\nservices: { ${name}: { plan: WEB-M, datacenter: BCN1 } }`);
  const undo = join(account.folder, "settings.json");
  const allow = ["--allow-delete", `service/${name}`];
  const { stdout } = await done(["plan", "-f", manifest, "--undo-out", undo, ...allow]);
  expect(stdout).toContain(`reset with it, not managed: `);
  expect(stdout).toContain(`mail_settings/${name}`);
  await done(["apply", "-f", manifest, "--auto-approve", ...allow]);
  expect((await list(`/mail/settings/${name}`))[0]).toMatchObject({ catch_all: null });
  await done(["apply", undo, "--auto-approve", ...allow]);
  expect((await list(`/mail/settings/${name}`))[0]).toMatchObject({ catch_all: "a@b.test" });
  expect((await list("/services")).find(({ domain }) => domain === name)).toMatchObject({ datacenter: "MAD1" });
});

test("an undo allows nothing by itself, and is refused where what it would change has moved", async () => {
  const name = "moved.example";
  const manifest = account.write("moved.yaml", `version: 1\nname: undo\n${head(name)}`);
  await done(["apply", "-f", manifest, "--auto-approve"]);
  account.write("moved.yaml", `version: 1\nname: undo\n${head(name).replace("WEB-M", "WEB-L")}dns: { ${name}: }`);
  const undo = join(account.folder, "moved.json");
  await done(["plan", "-f", manifest, "--undo-out", undo]);
  await done(["apply", "-f", manifest, "--auto-approve"]);
  const unasked = await run(["apply", undo, "--auto-approve"]);
  expect(unasked.status).toBe(6);
  expect(unasked.stdout).toContain(`--allow-delete dns_zone/${name}`);
  account.write("moved.yaml", `version: 1\nname: undo\n${head(name).replace("WEB-M", "WEB-S")}dns: { ${name}: }`);
  await done(["apply", "-f", manifest, "--auto-approve"]);
  const moved = await run(["apply", undo, "--auto-approve", "--allow-delete", `dns_zone/${name}`]);
  expect(moved.status).toBe(6);
  expect(moved.stderr).toContain(`service/${name} has moved since the plan was made: plan was WEB-L, and is WEB-S`);
});

test("an account that the server gave a longer name is taken back by the name that is declared", async () => {
  const shared = await openAccount({ namePrefix: "u123" });
  try {
    const manifest = (home: string) =>
      shared.write(
        "m.yaml",
        `version: 1\nname: undo\n${head("a.example")}ftp: { a.example: { accounts: { deploy: { password: "\${env:PW}", home: ${home} } } } }`,
      );
    const undo = join(shared.folder, "undo.json");
    const inventory = ["--inventory", join(shared.folder, "inventory.json")];
    const ran = async (...args: readonly string[]) => {
      const { status, stdout, stderr } = await runInProcess(shared, [...args, ...inventory], secrets);
      expect(status, stdout + stderr).toBe(0);
    };
    await ran("apply", "-f", manifest("/www"), "--auto-approve");
    await ran("plan", "-f", manifest("/web"), "--out", join(shared.folder, "plan.json"), "--undo-out", undo);
    await ran("apply", join(shared.folder, "plan.json"), "--auto-approve");
    await ran("apply", undo, "--auto-approve");
    const { body } = await shared.byHand("GET", "/v2026/ftp/accounts");
    expect(body["data"]).toContainEqual(expect.objectContaining({ username: "u123_deploy", home: "/www" }));
  } finally {
    await shared.close();
  }
});
