import { randomBytes, randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../src/api/connection.ts";
import { crashSweep } from "../../src/engine/rehearsal/crash-sweep.ts";
import { openSandbox } from "../../src/engine/rehearsal/sandbox.ts";
import { seedFromLive } from "../../src/engine/rehearsal/seed-from-live.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { startEmulator, type Emulator } from "../../src/emulator/index.ts";
import { readLive } from "../../src/live/read-live.ts";
import { accountCollections, everyCollection } from "../../src/live/wanted-collections.ts";
import { readDesired } from "../../src/manifest/desired.ts";
import { parseManifest } from "../../src/manifest/load.ts";
import type { Live } from "../../src/model/resource.ts";
import { everything, nothingAllowed, nothingOwned } from "../../src/model/plan-input.ts";
import { openAccount, type Account } from "../support/account.ts";
import { checkEvents } from "../support/check-events.ts";
import { startHttpsServer, type HttpsServer } from "../support/https-server.ts";
import { runInProcess } from "../support/in-process.ts";
import { eventsOf, type Ran } from "../support/run-hostform.ts";

const rehearsalOf = (ran: Ran) => eventsOf(ran).find(({ type }) => type === "rehearsal") ?? {};
const findingsOf = (ran: Ran) =>
  rehearsalOf(ran)["findings"] as { stage: string; summary: string; details: string[] }[];

/** What a run has written to the real API. */
const writes = async ({ operations }: Account) => (await operations()).filter(({ method }) => method !== "GET");

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
    const ran = await run(["rehearse"]);
    const planned = eventsOf(ran).find(({ type }) => type === "plan");
    const calls = Object.values(planned?.["calls"] as Record<string, number>).reduce((sum, count) => sum + count, 0);
    expect(rehearsalOf(ran)).toMatchObject({ held: true, findings: [], calls, objects: 28 });
    expect(ran.status).toBe(0);
    expect(checkEvents(eventsOf(ran))).toEqual([]);
    expect(ran.stderr).toBe("");
    expect(await writes(account)).toEqual([]);
  });

  test("cut off at every call, what is left is planned and done; secrets that are set are not printed", async () => {
    const ran = await run(["rehearse", "--crash-sweep"], { MAILBOX_PASSWORD: password, CRON_TOKEN: token });
    const { calls, cuts } = rehearsalOf(ran);
    expect(rehearsalOf(ran)).toMatchObject({ held: true, findings: [] });
    expect(cuts).toBe(2 * Number(calls));
    expect(ran.stdout).not.toContain(password);
    expect(ran.stdout).not.toContain(token);
    expect(await writes(account)).toEqual([]);
  });

  test("a plan that is refused is not rehearsed", async () => {
    const ran = await runInProcess(account, ["rehearse", "-f", join(account.folder, "bakery.yaml"), "--json"]);
    expect(ran.status).toBe(6);
    expect(rehearsalOf(ran)).toEqual({});
  });

  test("nothing stands in for one half of a certificate", async () => {
    const pem = { MAILBOX_PASSWORD: password, CRON_TOKEN: token };
    writeFileSync(join(account.folder, "c.pem"), "the half that is there");
    const ran = await run(["rehearse"], pem);
    rmSync(join(account.folder, "c.pem"));
    expect(ran.status).toBe(3);
    expect(ran.stdout).toContain(
      "certificate/news.example/uploaded cannot be rehearsed: the file k.pem cannot be read",
    );
  });
});

describe("a mirror of an account", () => {
  test("lists the same, but for ids, etags, serials and what was waited for", async () => {
    const { contract } = await loadContract(undefined);
    if (!contract) throw new Error("no contract");
    const deps = { now: Date.now, random: randomBytes };
    const [original, mirror] = await Promise.all([
      startEmulator({ seed }, deps),
      startEmulator({ inMemory: true }, deps),
    ]);
    const read = async ({ baseUrl, caPem: ca, key = "" }: Emulator) => {
      const retry = { now: Date.now, random: Math.random, sleep: async () => undefined };
      const where = { baseUrl: new URL(baseUrl), key, ca, rules: contract, parallelism: 8, attemptTimeout: 10_000 };
      const connection = connect({ ...where, deps: retry });
      let live = await readLive(connection, contract, accountCollections(undefined));
      if (live.ok) live = await readLive(connection, contract, everyCollection(contract, live.value), live.value);
      await connection.close();
      if (!live.ok) throw new Error(live.error.message);
      return live.value;
    };
    const live = await read(original);
    const desired = { name: "x", resources: new Map(), collections: new Map(), removed: new Map(), protect: [] };
    const { items } = seedFromLive({ ownership: nothingOwned, live, contract, desired }, contract);
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
      await account.byHand("POST", "/v2026/mail/accounts", {
        address: `${round}@kept.example`,
        password: "long-enough",
      });
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
    const ran = await runInProcess(account, [...args, "--rehearse"]);
    expect(ran.status).toBe(6);
    expect(ran.stdout).toContain("failed  The plan does not come to its end:");
    expect(ran.stdout).toContain("A rehearsal cannot show how the vendor's service differs");
    expect(ran.stdout).toContain("Nothing was changed");
    expect(await writes(account)).toEqual([]);
  });

  test("apply --rehearse of one that holds goes on", async () => {
    const file = account.write("fine.yaml", "version: 1\nname: fine\ndomains: { fine.example: {} }\n");
    const ran = await runInProcess(account, ["apply", "-f", file, "--auto-approve", "--rehearse", "--json"]);
    expect(ran.status).toBe(0);
    expect(rehearsalOf(ran)).toMatchObject({ held: true, calls: 1 });
    expect((await writes(account)).map(({ method }) => method)).toEqual(["POST"]);
  });
});

describe("a crash sweep", () => {
  test("of one customer of the example holds", async () => {
    const account = await openAccount();
    const agency = fileURLToPath(new URL("../../examples/agency", import.meta.url));
    const args = ["rehearse", "-f", agency, "--only", "*florist.example*", "--crash-sweep", "--json"];
    const ran = await runInProcess(account, [...args, "--inventory", join(account.folder, "inventory.json")]);
    expect(rehearsalOf(ran)).toMatchObject({ held: true, findings: [] });
    expect(Number(rehearsalOf(ran)["cuts"])).toBeGreaterThan(20);
    expect(await writes(account)).toEqual([]);
    await account.close();
  });

  test("finds what is made twice and what is never done, where a recovery does not look at what is live", async () => {
    const { contract } = await loadContract(undefined);
    const { tree } = parseManifest([{ file: "shop.yaml", text: shop }]);
    if (!contract || !tree) throw new Error("no plan");
    const readSecret = () => ({ missing: "there is none" });
    const input = {
      contract,
      desired: readDesired(tree, readSecret).desired,
      live: { resources: new Map(), collections: new Map(), reads: 0 },
      now: Date.now(),
      target: { name: "shop", baseUrl: "https://real.example/", contract: "v2026", emulator: false },
      consent: nothingAllowed,
      ownership: nothingOwned,
      selection: everything,
    };
    const world = { now: Date.now, random: Math.random, newId: randomUUID, sleep: async () => undefined };
    const stage = await openSandbox({ input, owned: [], readSecret, parallelism: 4, namePrefix: "" }, world);
    const first = await stage.plan();
    const { cuts, findings } = await crashSweep({ ...stage, planAgain: async () => first }, first, () => undefined);
    await stage.close();
    expect(cuts).toBe(4);
    expect(findings.map(({ summary }) => summary)).toEqual([
      "The plan did not reach its end after a crash before POST /v2026/services",
      "The plan did not reach its end after a crash after call 1, POST /v2026/services",
      "The plan did not reach its end after a crash after call 2, POST /v2026/ssl/certificates",
      "The plan did not reach its end without a crash, with one call at a time",
    ]);
    expect(findings[2]?.details).toContain("made twice: POST /v2026/ssl/certificates");
    expect(findings[2]?.details).toContain("still planned: create service/shop.example");
  });

  const shop = `version: 1
name: shop
services: { shop.example: { plan: S, datacenter: X } }
certificates: { shop.example: [{ domains: [shop.example] }] }
`;
});

/** An API of another vendor: other paths, other fields, ids that are numbers. It can only be read. */
const otherContract = `extends: v2026
name: other
base_path: /api
request: { precondition: null, idempotency: null }
kinds:
  domain:
    fields: { name: { at: /fqdn } }
    operations: { list: { path: /names }, renew: null }
  mailbox:
    fields: { address: { at: /login }, quota_mb: { at: /limits/mb } }
    operations: { list: { path: "/boxes/{domain}", query: null } }
  dns_zone:
    id: /number
    fields: { name: { at: /origin } }
    operations: { list: { path: /origins } }
  dns_record:
    id: /number
    fields: { name: { at: /label }, type: { at: /rr }, content: { at: /data }, priority: { at: /pref } }
    operations: { list: { path: "/origins/{zone_id}/rrs" } }
  database: { name_prefix: "cust_[0-9]+", operations: { update: null } }
`;

describe("of another vendor's account", () => {
  let server: HttpsServer;
  let records: Record<string, unknown>[];
  const asked: string[] = [];
  const lists = (): Record<string, unknown[]> => ({
    "/api/names": [{ id: 1, fqdn: "Bakery.example.", weather: "fine" }],
    "/api/boxes/bakery.example": [{ id: 1, login: "info@bakery.example", limits: { mb: 1024 } }],
    "/api/origins": [{ number: 7, origin: "bakery.example" }],
    "/api/origins/7/rrs": records,
    "/api/services": [{ id: 3, domain: "bakery.example", hosting: { id_service_type: "M" }, datacenter: "X" }],
    "/api/databases": [{ id: 4, service_id: 3, name: "cust_12_shop", engine: "mariadb" }],
  });
  const answer = ({ method = "", url = "" }: IncomingMessage, response: ServerResponse) => {
    asked.push(`${method} ${url}`);
    const items = method === "GET" ? lists()[url.split("?")[0] ?? ""] : undefined;
    response.writeHead(items ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(items ? { data: items, meta: { total: items.length } } : { message: "no" }));
  };
  let account: Account;
  const rehearse = (name: string, text: string, ...flags: string[]) => {
    const [file, contract] = [account.write(name, text), account.write("other.yaml.contract", otherContract)];
    const ca = account.write("other-ca.pem", server.ca);
    const target = ["--base-url", server.baseUrl.href, "--ca-file", ca, "--contract", contract];
    return runInProcess({ flags: target, env: account.env }, ["rehearse", "-f", file, "--json", ...flags]);
  };

  beforeAll(async () => {
    account = await openAccount();
    server = await startHttpsServer(answer);
  });
  afterAll(async () => {
    await server.close();
    await account.close();
  });

  const other = `version: 1
name: other
services: { bakery.example: {} }
domains: { bakery.example: {}, new.example: {} }
dns:
  bakery.example:
    records:
      "@": { A: { ttl: 3600, values: [192.0.2.9] } }
mail: { bakery.example: { mailboxes: { info: { quota: 2 GiB, password: "\${env:PW}" } } } }
databases: { bakery.example: { databases: { shop: { engine: mariadb }, blog: { engine: mariadb } } } }
`;
  const stray = { number: 2, label: "stray", rr: "TXT", data: "x".repeat(70_000), ttl: 300 };

  test("it is read by its own contract, rehearsed by the built-in one, and what cannot be held is told", async () => {
    records = [{ number: 1, label: "bakery.example.", rr: "A", data: "192.0.2.1", ttl: 300, pref: null }, stray];
    const ran = await rehearse("other.yaml", other);
    expect(rehearsalOf(ran)).toMatchObject({ held: true, findings: [] });
    expect(ran.status).toBe(0);
    const told = eventsOf(ran).filter(({ code }) => code === "not_rehearsed");
    expect(told.map(({ summary }) => summary)).toEqual([
      "The rehearsal is without dns_record/bakery.example/stray/TXT: the embedded service cannot hold its content",
    ]);
    expect(asked.filter((line) => !line.startsWith("GET "))).toEqual([]);
  });

  test("where that changes the plan, nothing is rehearsed, and the step is named", async () => {
    records = [{ number: 1, label: "@", rr: "A", data: "192.0.2.9", ttl: 5, pref: null }];
    const ran = await rehearse("other.yaml", other);
    expect(ran.status).toBe(6);
    expect(findingsOf(ran)).toEqual([
      {
        stage: "seed",
        summary:
          "This plan cannot be rehearsed, because the embedded service's copy of the live state gives a different plan",
        details: ["differs: update dns_record/bakery.example/@/A"],
      },
    ]);
    expect(ran.stdout).toContain("takes ttl of dns_record/bakery.example/@/A for the default");
  });

  test("what nothing was read of and others need is taken to be there", async () => {
    const ran = await rehearse(
      "mail.yaml",
      `version: 1
name: mail
removed: [{ address: mailbox/info@bakery.example, action: delete }]
policy: { max_deletes: 100% }
`,
      "--allow-delete",
      "mailbox/info@bakery.example",
    );
    expect(rehearsalOf(ran)).toMatchObject({ held: true, objects: 2 });
    const standIns = eventsOf(ran).filter(({ code }) => code === "stand_in");
    expect(standIns.map(({ summary }) => summary)).toEqual([
      "The rehearsal takes domain/bakery.example to be there: others need it, and it was not read",
    ]);
  });
});
