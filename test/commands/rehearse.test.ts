import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { connect } from "../../src/api/connection.ts";
import { seedFromLive } from "../../src/engine/rehearsal/seed-from-live.ts";
import { startEmulator, type Emulator } from "../../src/emulator/index.ts";
import { readLive } from "../../src/live/read-live.ts";
import { accountCollections, everyCollection } from "../../src/live/wanted-collections.ts";
import type { Live } from "../../src/model/resource.ts";
import { nothingOwned } from "../../src/model/plan-input.ts";
import { openAccount, type Account } from "../support/account.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { checkEvents, eventsOf, exits, runInProcess } from "../support/run-hostform.ts";
import { findingsOf, rehearsalOf, writes } from "./rehearsal-events.ts";

/** A bit of every kind, as one service would list it. */
const seed = {
  service: [
    { domain: "bakery.example", hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1" },
    { domain: "old.example", hosting: { id_service_type: "WEB-S" }, datacenter: "MAD1" },
  ],
  domain: [
    { name: "bakery.example", service: "bakery.example", expires_at: "2031-05-01T00:00:00.000Z", privacy: true },
    { name: "transfer.example", status: "pending" },
  ],
  dns_zone: [{ name: "bakery.example", ttl: 600 }],
  dns_record: [
    { zone: "bakery.example", name: "@", type: "A", content: "192.0.2.1", ttl: 300, comment: "by hand" },
    { zone: "bakery.example", name: "@", type: "MX", content: "mx1.host.example.", priority: 10 },
    { zone: "bakery.example", name: "www", type: "A", content: "192.0.2.1" },
    { zone: "bakery.example", name: "www", type: "A", content: "192.0.2.2" },
    { zone: "bakery.example", name: "shop", type: "A", content: "192.0.2.3" },
    { zone: "bakery.example", name: "stray", type: "TXT", content: '"left by someone"' },
    { zone: "bakery.example", name: "ns", type: "NS", content: "ns1.elsewhere.example.", managed: true },
  ],
  dnssec: [{ zone: "bakery.example", enabled: true, algorithm: 13 }],
  mailbox: [
    { address: "info@bakery.example", quota_mb: 1024, usage_mb: 17, password_updated_at: "2025-01-01T00:00:00.000Z" },
    { address: "old@bakery.example", quota_mb: null },
  ],
  mail_alias: [{ address: "sales@bakery.example", destinations: ["info@bakery.example"] }],
  mail_settings: [{ domain: "bakery.example", dkim: { enabled: true }, catch_all: "info@bakery.example" }],
  ftp_account: [
    { service: "bakery.example", username: "bakery_own", primary: true, home: "/" },
    { service: "bakery.example", username: "u123_deploy", home: "/www" },
  ],
  database: [{ service: "bakery.example", name: "u123_shop", engine: "mariadb", size_mb: 7 }],
  database_user: [
    { service: "bakery.example", username: "shop", grants: [{ database: "u123_shop", privileges: "all" }] },
  ],
  cron: [
    { service: "bakery.example", name: "nightly", schedule: "0 3 * * *", command: "true", timezone: "Europe/Madrid" },
    { service: "bakery.example", name: "stray", schedule: "0 4 * * *", command: "true" },
  ],
  certificate: [{ service: "bakery.example", domains: ["bakery.example"], status: "pending" }],
};

/** Changes something of every sort: created, updated, replaced, moved from one type to another, deleted. */
const manifest = `version: 1
name: bakery
services:
  bakery.example: { plan: WEB-L, datacenter: MAD1 }
domains:
  bakery.example: { service: bakery.example, privacy: false }
  news.example: {}
dns:
  bakery.example:
    dnssec: { enabled: true }
    exclusive: true
    records:
      "@": { A: 192.0.2.1, MX: { priority: 20, value: mx1.host.example. } }
      www: { A: [192.0.2.1, 192.0.2.9] }
      shop: { CNAME: www.bakery.example. }
  news.example:
    records:
      www: { A: 192.0.2.1 }
      sel._domainkey: { TXT: "\${ref:mail_settings/bakery.example.dkim.record}" }
mail:
  bakery.example:
    mailboxes:
      info: { quota: 2 GiB, password: "\${env:MAILBOX_PASSWORD}" }
    aliases:
      sales: { destinations: [info@bakery.example, boss@elsewhere.example] }
    settings: { catch_all: null }
  news.example:
    mailboxes:
      letters: { quota: 1 GiB, password: "\${env:MAILBOX_PASSWORD}" }
ftp:
  bakery.example:
    accounts:
      deploy: { home: /htdocs, password: "\${env:MAILBOX_PASSWORD}" }
databases:
  bakery.example:
    databases: { shop: { engine: mariadb }, blog: { engine: mariadb } }
    users: { shop: { password: "\${env:MAILBOX_PASSWORD}", grants: { shop: all, blog: read_only } } }
crons:
  bakery.example:
    exclusive: true
    jobs:
      nightly: { schedule: "0 5 * * *", command: "php \${env:CRON_TOKEN}" }
certificates:
  bakery.example:
    - { domains: [bakery.example] }
    - { domains: [news.example], type: uploaded, certificate: "\${file:c.pem}", private_key: "\${file:k.pem}" }
removed:
  - { address: mailbox/old@bakery.example, action: delete }
policy: { max_deletes: 100% }
`;
const consent = [
  "mailbox/old@bakery.example",
  "dns_record/*=2",
  "dns_record/bakery.example/stray/TXT",
  "cron/bakery.example/stray",
].flatMap((each) => ["--allow-delete", each]);
const password = "a-password-that-nobody-prints";
const token = "a-token-that-nobody-prints";

describe("of an account with something of every kind", () => {
  let account: Account;
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    runInProcess(account, [...args, "-f", join(account.folder, "bakery.yaml"), "--json", ...consent], env);

  beforeAll(async () => {
    account = await openAccount({ seed });
    account.write("bakery.yaml", manifest);
  });
  afterAll(() => account.close());

  test("the plan runs and nothing is left to do, without a secret set, and the account is only read", async () => {
    const ran = exits(0, await run(["rehearse"]));
    const planned = eventsOf(ran).find(({ type }) => type === "plan");
    const calls = Object.values(planned?.["calls"] as Record<string, number>).reduce((sum, count) => sum + count, 0);
    expect(rehearsalOf(ran)).toMatchObject({ held: true, findings: [], calls, objects: 28 });
    expect(checkEvents(eventsOf(ran))).toEqual([]);
    expect(ran.stderr).toBe("");
    expect(await writes(account)).toEqual([]);
  });

  test.runIf(size.whole)(
    "cut off at every call, what is left is planned and done; secrets that are set are not printed",
    async () => {
      const ran = await run(["rehearse", "--crash-sweep"], { MAILBOX_PASSWORD: password, CRON_TOKEN: token });
      const { calls, cuts } = rehearsalOf(ran);
      expect(rehearsalOf(ran)).toMatchObject({ held: true, findings: [] });
      expect(cuts).toBe(2 * Number(calls));
      expect(ran.stdout).not.toContain(password);
      expect(ran.stdout).not.toContain(token);
      expect(await writes(account)).toEqual([]);
    },
  );

  test("it says of the plan all that plan says of it", async () => {
    const [planned, rehearsed] = await Promise.all([run(["plan"]), run(["rehearse"])]);
    const said = eventsOf(planned);
    expect(said.filter(({ code }) => code === "unset")).not.toEqual([]);
    expect(eventsOf(rehearsed)).toEqual(expect.arrayContaining(said));
  });

  test("a plan that is refused is not rehearsed", async () => {
    const ran = await runInProcess(account, ["rehearse", "-f", join(account.folder, "bakery.yaml"), "--json"]);
    expect(ran.status).toBe(6);
    expect(rehearsalOf(ran)).toEqual({});
  });

  test("nothing stands in for one half of a certificate", async () => {
    const pem = { MAILBOX_PASSWORD: password, CRON_TOKEN: token };
    writeFileSync(join(account.folder, "c.pem"), "the half that is there");
    const ran = exits(3, await run(["rehearse"], pem));
    rmSync(join(account.folder, "c.pem"));
    expect(ran.stdout).toContain(
      "certificate/news.example/uploaded cannot be rehearsed: the file k.pem cannot be read",
    );
  });
});

describe("a mirror of an account", () => {
  test("lists the same, but for ids, etags, serials and what was waited for", async () => {
    const deps = { now: Date.now, random: randomBytes };
    const [original, mirror] = await Promise.all([
      startEmulator({ seed }, deps),
      startEmulator({ inMemory: true }, deps),
    ]);
    const read = async ({ baseUrl, caPem: ca, key = "" }: Emulator) => {
      const retry = { now: Date.now, random: Math.random, sleep: async () => undefined };
      const where = { baseUrl: new URL(baseUrl), key, ca, rules: builtIn, parallelism: 8, attemptTimeout: 10_000 };
      const connection = connect({ ...where, deps: retry });
      let live = await readLive(connection, builtIn, accountCollections(undefined));
      if (live.ok) live = await readLive(connection, builtIn, everyCollection(builtIn, live.value), live.value);
      await connection.close();
      if (!live.ok) throw new Error(live.error.message);
      return live.value;
    };
    const live = await read(original);
    const desired = { name: "x", resources: new Map(), collections: new Map(), removed: new Map(), protect: [] };
    const { items } = seedFromLive({ ownership: nothingOwned, live, contract: builtIn, desired }, builtIn);
    const records = [...items].map(([kind, listed]) => [kind, listed.map(({ record }) => record)] as const);
    expect(mirror.mirror.fill(Object.fromEntries(records))).toEqual([]);
    expect(comparable(await read(mirror))).toEqual(comparable(live));
    await Promise.all([original.close(), mirror.close()]);
  });

  test("puts back what it has kept, again and again: what was made, changed and deleted since", async () => {
    const account = await openAccount({ inMemory: true });
    const { fill, keep } = account.mirror;
    fill({
      domain: [{ name: "kept.example" }],
      mailbox: [{ address: "a@kept.example" }, { address: "b@kept.example" }],
    });
    const lists = async () =>
      Promise.all(["domains", "mail/accounts", "crons"].map((list) => account.byHand("GET", `/v2026/${list}`)));
    const before = await lists();
    const putBack = keep();
    const [a, b] = (before[1]?.body["data"] ?? []) as { id: string }[];
    for (const round of ["first", "second"]) {
      await account.create("/mail/accounts", { address: `${round}@kept.example`, password: "long-enough" });
      await account.byHand("PUT", `/v2026/mail/accounts/${a?.id}`, { quota_mb: 5 });
      await account.byHand("DELETE", `/v2026/mail/accounts/${b?.id}`);
      expect(await lists()).not.toEqual(before);
      putBack();
      expect(await lists()).toEqual(before);
    }
    await account.close();
  });

  const comparable = ({ resources }: Live) =>
    Object.fromEntries(
      [...resources]
        // The service makes its own SOA; a certificate that was waited for is there.
        .filter(([address]) => !address.endsWith("/@/SOA") && !address.startsWith("certificate/"))
        .map(([address, { remotes }]) => [
          address,
          remotes.map(({ fields: { serial: _serial, ...fields } }) => fields).toSorted(byContent),
        ]),
    );
  const byContent = (a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
});

describe("of a plan that cannot hold", () => {
  let account: Account;
  const files: Record<string, string> = {};
  beforeAll(async () => {
    account = await openAccount({ seed: { service: seed.service, domain: [{ name: "bakery.example" }] } });
    files["foreign"] = account.write(
      "foreign.yaml",
      `version: 1
name: foreign
services: { bakery.example: {} }
certificates: { bakery.example: [{ domains: [elsewhere.example] }] }
`,
    );
  });
  afterAll(() => account.close());

  test("it says which step fails and why, and exits with 7", async () => {
    const ran = await runInProcess(account, ["rehearse", "-f", files["foreign"] ?? "", "--json", "--crash-sweep"]);
    expect(ran.status).toBe(7);
    const [finding] = findingsOf(ran);
    expect(finding).toMatchObject({ stage: "run" });
    expect(finding?.details.join("\n")).toMatch(
      /create certificate\/elsewhere\.example\/managed failed: .*domain_not_found/u,
    );
    expect(rehearsalOf(ran)["cuts"]).toBeUndefined();
  });

  test("apply --rehearse goes no further, and text says what a rehearsal does not show", async () => {
    const args = ["apply", "-f", files["foreign"] ?? "", "--auto-approve"];
    const ran = exits(6, await runInProcess(account, [...args, "--rehearse"]));
    expect(ran.stdout).toContain("failed  The plan does not come to its end:");
    expect(ran.stdout).toContain("A rehearsal cannot show how the vendor's service differs");
    expect(ran.stdout).toContain("Nothing was changed");
    expect(await writes(account)).toEqual([]);
  });

  test("apply --rehearse of one that holds goes on", async () => {
    const file = account.write("fine.yaml", "version: 1\nname: fine\ndomains: { fine.example: {} }\n");
    const ran = exits(0, await runInProcess(account, ["apply", "-f", file, "--auto-approve", "--rehearse", "--json"]));
    expect(rehearsalOf(ran)).toMatchObject({ held: true, calls: 1 });
    expect((await writes(account)).map(({ method }) => method)).toEqual(["POST"]);
  });
});
