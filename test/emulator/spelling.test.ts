import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { spellContent } from "../../src/emulator/spelling/spell-content.ts";
import { spellings } from "../../src/emulator/spelling/words.ts";
import { openAccount, type Account } from "../support/account.ts";
import { exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { size } from "../proofs/size.ts";

type Json = Record<string, unknown>;

const examples = fileURLToPath(new URL("../../examples", import.meta.url));
const everyType = fileURLToPath(new URL("every-type.yaml", import.meta.url));
const env = parseEnv(readFileSync(join(examples, "examples.env"), "utf8")) as Record<string, string>;
const agency = join(examples, "agency");
const manifests = ["-f", agency, "-f", everyType];

const spell = async (account: Account, spelling: string) => {
  const answer = await account.byHand("PUT", "/_emulator/spelling", { spelling });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
};

const list = async (account: Account, path: string): Promise<Json[]> =>
  (await account.byHand("GET", `/v2026${path}${path.includes("?") ? "&" : "?"}per_page=100`)).body["data"] as Json[];

/** All records of all zones and all objects of the account, as they are answered; without what counts changes. */
async function everything(account: Account): Promise<Json[]> {
  const zones = await list(account, "/dns/zones");
  const paths = ["/services", "/domains", "/databases", "/crons", "/ssl/certificates"];
  const records = zones.map(({ id }) => `/dns/zones/${String(id)}/records`);
  const lists = await Promise.all([...paths, ...records].map((path) => list(account, path)));
  return [...zones, ...lists.flat()]
    .filter(({ type }) => type !== "SOA")
    .map(({ etag: _etag, serial: _serial, ...rest }) => rest);
}

/** A domain with a mailbox and a zone, of which every word spells something. */
async function makeRecords(account: Account): Promise<void> {
  await account.byHand("POST", "/_emulator/seed", {
    domain: [{ name: "xn--bcher-kva.example", nameservers: ["ns1.host.test", "ns2.host.test"] }],
    mailbox: [{ address: "info@xn--bcher-kva.example", password: "long enough" }],
  });
  const zone = await account.byHand("POST", "/v2026/dns/zones", { name: "xn--bcher-kva.example" });
  const path = `/v2026/dns/zones/${String((zone.body["data"] as Json)["id"])}/records`;
  const records: Json[] = [
    { name: "@", type: "AAAA", content: "2001:db8::1" },
    { name: "@", type: "MX", content: "mx.host.test.", priority: 10, disabled: true },
    { name: "@", type: "TXT", content: `"a b" "${"ü".repeat(150)}"` },
    { name: "@", type: "CAA", content: '0 issue "ca.example"' },
    { name: "@", type: "HTTPS", content: "1 . alpn=h2 port=443" },
    { name: "www", type: "CNAME", content: "xn--bcher-kva.example." },
    { name: "host", type: "SSHFP", content: `4 2 ${"0123456789abcdef".repeat(4)}` },
  ];
  for (const record of records) {
    const answer = await account.byHand("POST", path, record);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  }
}

test.each([
  ["unquoted", '1 . alpn="a b"', '1 . alpn="a b"'],
  ["unquoted", '1 . alpn="h2"', "1 . alpn=h2"],
  ["ipv6-long", "1 . ipv6hint=::ffff:192.0.2.1", "1 . ipv6hint=0000:0000:0000:0000:0000:ffff:c000:0201"],
] as const)("%s formats the service parameter of %s so that it can be read", (word, content, expected) => {
  expect(spellContent("HTTPS", content, new Set([word]))).toBe(expected);
});

describe("each spelling", () => {
  let account: Account;
  beforeAll(async () => {
    account = await openAccount();
    await makeRecords(account);
  });
  afterAll(() => account.close());

  const of = async (type: string) => {
    const [zone] = await list(account, "/dns/zones");
    const records = await list(account, `/dns/zones/${String(zone?.["id"])}/records`);
    return records.find((record) => String(record["type"]).toUpperCase() === type);
  };
  const domain = async () => (await list(account, "/domains"))[0];
  const mailbox = async () => (await list(account, "/mail/accounts?domain=xn--bcher-kva.example"))[0];

  test.each<[string, () => Promise<Json | undefined>, Json]>([
    [
      "quoted",
      () => of("TXT"),
      { content: `"a b${String.raw`\195\188`.repeat(126)}" "${String.raw`\195\188`.repeat(24)}"` },
    ],
    ["unquoted", () => of("TXT"), { content: `a b${"ü".repeat(150)}` }],
    ["unquoted", () => of("CAA"), { content: "0 issue ca.example" }],
    ["fqdn", () => of("CNAME"), { name: "www.xn--bcher-kva.example" }],
    ["fqdn", () => of("MX"), { name: "xn--bcher-kva.example" }],
    ["apex-empty", () => of("MX"), { name: "" }],
    ["apex-dot", () => of("MX"), { name: "." }],
    ["dots", domain, { name: "xn--bcher-kva.example.", nameservers: ["ns1.host.test.", "ns2.host.test."] }],
    ["fqdn,dots", () => of("CNAME"), { name: "www.xn--bcher-kva.example." }],
    ["no-dots", () => of("CNAME"), { content: "xn--bcher-kva.example" }],
    ["upper", () => of("CNAME"), { name: "WWW", type: "CNAME", content: "XN--BCHER-KVA.EXAMPLE." }],
    ["upper", mailbox, { address: "INFO@XN--BCHER-KVA.EXAMPLE" }],
    ["upper", () => of("SSHFP"), { content: `4 2 ${"0123456789ABCDEF".repeat(4)}` }],
    ["idn", domain, { name: "bücher.example" }],
    ["idn", () => of("CNAME"), { content: "bücher.example." }],
    ["ipv6-long", () => of("AAAA"), { content: "2001:0db8:0000:0000:0000:0000:0000:0001" }],
    ["spaced", () => of("SSHFP"), { content: `4 2${" 01234567 89abcdef".repeat(4)}` }],
    ["priority-inline", () => of("MX"), { content: "10 mx.host.test.", priority: null }],
    ["digits-as-numbers", () => of("TXT"), { content: expect.stringContaining("a b") }],
    ["numbers-as-strings", () => of("MX"), { priority: "10", ttl: "3600" }],
    ["booleans-as-strings", () => of("MX"), { disabled: "true", managed: "false" }],
    ["times-with-offset", mailbox, { password_updated_at: expect.stringMatching(/\+02:00$/u) as unknown }],
    ["shuffled", () => of("HTTPS"), { content: "1 . port=443 alpn=h2" }],
    ["shuffled", domain, { nameservers: ["ns2.host.test", "ns1.host.test"] }],
  ])("%s is how answers are written", async (words, read, expected) => {
    const before = await read();
    await spell(account, words);
    expect(await read()).toMatchObject(expected);
    expect((await read())?.["etag"], "what is stored is the same").toBe(before?.["etag"]);
    await spell(account, "");
    expect(await read()).toEqual(before);
  });

  test("nulls leaves out what holds nothing", async () => {
    await spell(account, "nulls");
    const record = await of("AAAA");
    await spell(account, "");
    expect(record).not.toHaveProperty("comment");
    expect(await of("AAAA")).toHaveProperty("comment", null);
  });

  test("is refused where there is no such word, or two exclude each other", async () => {
    for (const spelling of ["loud", "dots,no-dots", "fqdn,apex-empty"]) {
      const { status, body } = await account.byHand("PUT", "/_emulator/spelling", { spelling });
      expect(status).toBe(422);
      expect(JSON.stringify(body)).toContain("priority-inline");
    }
    const ran = exits(3, await runInProcess(noAccount, ["emulator", "--spelling", "loud"]));
    expect(ran.stderr).toContain("no spelling is called loud");
    for (const word of Object.keys(spellings)) expect(ran.stderr).toContain(word);
  });
});

/** What an apply that must succeed says. */
async function applyTo(account: Account, flags: readonly string[]): Promise<string> {
  // The examples lie in this repository, which is to keep no inventory of them.
  const inventory = ["--inventory", join(account.folder, "inventory.json")];
  const applied = exits(0, await runInProcess(account, ["apply", "--auto-approve", ...inventory, ...flags], env));
  return applied.stdout;
}

describe("an account of every kind and every type of record, created with every other formatting,", () => {
  let account: Account;
  beforeAll(async () => {
    account = await openAccount({ spelling: "all" });
    await applyTo(account, manifests);
  });
  afterAll(() => account.close());

  const plan = ["plan", "--detailed-exitcode", ...manifests];
  const noChanges = { status: 0, stdout: expect.stringContaining("No changes") as unknown };

  test("needs no change under any formatting, by the built binary", async () => {
    await spell(account, "all");
    expect(await account.hostform(plan, env)).toMatchObject(noChanges);
  });

  const several = ["all,unquoted,apex-empty,no-dots", "all,apex-dot"];
  test.each(size.every(18, ["", ...several, ...Object.keys(spellings)]))(
    'is no change under "%s"',
    async (spelling) => {
      await spell(account, spelling);
      expect(await runInProcess(account, plan, env)).toMatchObject(noChanges);
    },
  );

  test.runIf(size.whole)("is changed under all in nothing but what is to be changed", async () => {
    await spell(account, "");
    const before = await everything(account);
    const text = readFileSync(everyType, "utf8").replace("priority: 20", "priority: 30").replace("ttl: 60", "ttl: 120");
    const changed = account.write("changed.yaml", text);
    await spell(account, "all");
    expect(await applyTo(account, ["-f", agency, "-f", changed])).toContain("2 changed");
    await spell(account, "");
    const wanted = before.map((object) => {
      if (object["priority"] === 20) return { ...object, priority: 30 };
      return object["ttl"] === 60 && object["name"] === "*" ? { ...object, ttl: 120 } : object;
    });
    expect(await everything(account)).toEqual(wanted);
  });
});
