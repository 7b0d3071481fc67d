import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readPlace } from "../../src/verify/find-servers.ts";
import { eventsOf, exits, noAccount, runHostform, runInProcess } from "../support/run-hostform.ts";
import { folderForTest } from "../support/temporary-folder.ts";
import { freePort, missing, startNsd, type Zones } from "./name-servers.ts";

const folderWith = (manifest: string): string => {
  const folder = folderForTest();
  writeFileSync(join(folder, "hosting.yaml"), manifest);
  return join(folder, "hosting.yaml");
};

async function served(zones: Zones) {
  const server = await startNsd(zones);
  onTestFinished(server.stop);
  return server;
}

const argumentsOf = (manifest: string, place: string) =>
  ["verify", "-f", folderWith(manifest), "--resolver", place, "--timeout", "0"] as const;

/** Verifies, without an API key, against one server. */
const verify = (manifest: string, place: string, ...flags: string[]) =>
  runInProcess(noAccount, [...argumentsOf(manifest, place), ...flags]);

const manifest = `
version: 1
name: shop
dns:
  shop.example:
    ttl: 300
    records:
      "@": { A: 192.0.2.10, MX: { priority: 10, value: mx.shop.example. }, TXT: v=spf1 mx -all }
      mx: { A: 192.0.2.11 }
      www: { CNAME: shop.example. }
`;

const head = "$TTL 300\n@ SOA ns.shop.example. host.shop.example. 7 1 1 1 1\n@ NS ns\nns A 127.0.0.1\n";
const zone = `${head}@ A 192.0.2.10
@ MX 10 mx
@ TXT "v=spf1 " "mx -all"
mx A 192.0.2.11
www CNAME @
`;

describe.skipIf(missing !== undefined)(`verify at nsd (${missing ?? "asked"})`, () => {
  test("ends with 0 where the server answers as declared, without an API key", async () => {
    const { place } = await served({ "shop.example": zone });
    const ran = await runHostform(argumentsOf(manifest, place));
    expect(ran).toMatchObject({ status: 0, stderr: "", stdout: "Verified: 6 answers as declared.\n" });
  });

  test("ends with 2, and says what differs at which server and at which serial", async () => {
    const { place } = await served({ "shop.example": zone.replace("@ A 192.0.2.10", "@ A 198.51.100.7") });
    const ran = exits(2, await verify(manifest, place, "--json"));
    expect(eventsOf(ran).slice(1)).toEqual([
      {
        type: "mismatch",
        mismatch: "differs",
        address: "dns_record/shop.example/@/A",
        server: place,
        serial: 7,
        asked: "shop.example A",
        expected: ["192.0.2.10"],
        answered: ["198.51.100.7"],
      },
      { type: "verification", matches: 5, differs: 1, silent: 0, nobody: 0 },
    ]);
  });

  test("ends with 6 where nobody answers", async () => {
    const server = await startNsd({ "shop.example": zone });
    await server.stop();
    const ran = exits(6, await verify(manifest, server.place));
    expect(ran.stdout).toContain("answered: the connection was refused: ECONNREFUSED");
  });

  test("waits until the server answers so, and tells a terminal what it waits for", async () => {
    const port = await freePort();
    const place = `127.0.0.1:${port}`;
    let stop: (() => Promise<void>) | undefined;
    onTestFinished(async () => stop?.());
    const waits: number[] = [];
    const ran = await runInProcess(
      noAccount,
      ["verify", "-f", folderWith(manifest), "--resolver", place, "--timeout", "60"],
      {},
      {
        columnsToErase: () => 200,
        sleep: async (milliseconds) => {
          waits.push(milliseconds);
          if (waits.length === 4) ({ stop } = await startNsd({ "shop.example": zone }, port));
        },
      },
    );
    expect(ran).toMatchObject({ status: 0, stdout: "Verified: 6 answers as declared.\n" });
    expect(waits).toEqual([1000, 2000, 4000, 5000]);
    expect(ran.stderr).toContain(`Waiting for 2 answers, first shop.example SOA at ${place}`);
  });

  test("prints nothing beside its findings for several large zones", async () => {
    const names = ["a.example", "b.example", "c.example"];
    const hosts = Array.from({ length: 100 }, (_, index) => `h${index}`);
    const records = hosts.map((host) => `${host}: { A: 192.0.2.1 }`).join(", ");
    const zones = names.map((name) => `  ${name}: { records: { ${records} } }\n`).join("");
    const text = `${head}${hosts.map((host) => `${host} A 192.0.2.1\n`).join("")}`;
    const { place } = await served(Object.fromEntries(names.map((name) => [name, text])));
    const ran = await verify(`version: 1\nname: a\ndns:\n${zones}`, place);
    expect(ran).toMatchObject({ status: 0, stderr: "", stdout: "Verified: 300 answers as declared.\n" });
  });

  test("compares the TTL, also one that the zone gives, and says which it is", async () => {
    const { place } = await served({ "shop.example": zone.replace("mx A", "mx 60 A") });
    const ran = exits(2, await verify(manifest, place));
    expect(ran.stdout).toContain("expected: 192.0.2.11, TTL 300\n    answered: 192.0.2.11, TTL 60\n");
  });

  test.each([
    [
      "a record that nobody declared",
      "@ A 192.0.2.10",
      "@ A 192.0.2.10\n@ A 192.0.2.66",
      "answered: 192.0.2.10, 192.0.2.66",
    ],
    ["a missing record", "mx A 192.0.2.11", "", "answered: NXDOMAIN"],
    ["a missing type", '@ TXT "v=spf1 " "mx -all"', "", "answered: no such record"],
    ["an alias in place of an address", "mx A 192.0.2.11", "mx CNAME ns", "answered: CNAME ns.shop.example."],
    ["another target", "www CNAME @", "www CNAME ns", "answered: ns.shop.example."],
  ])("finds %s", async (_, from, to, text) => {
    const { place } = await served({ "shop.example": zone.replace(from, to) });
    const ran = exits(2, await verify(manifest, place));
    expect(ran.stdout).toContain(text);
  });

  test("finds a host of mail that is behind an alias, and one without an address", async () => {
    const mail = (host: string) => `
version: 1
name: a
dns: { shop.example: { records: { "@": { MX: { priority: 10, value: ${host}.shop.example. } } } } }
`;
    const server = await served({ "shop.example": `${head}@ MX 10 a\na CNAME ns\n` });
    const alias = await verify(mail("a"), server.place);
    expect(alias.stdout).toContain("expected: an address, and no CNAME\n    answered: CNAME ns.shop.example.");
    const other = await served({ "shop.example": `${head}@ MX 10 b\n` });
    const none = await verify(mail("b"), other.place);
    expect(none.stdout).toContain("asked: b.shop.example A/AAAA\n    expected: an address\n    answered: NXDOMAIN");
    expect([alias.status, none.status]).toEqual([2, 2]);
  });

  test("says what DNS does not show, and compares the rest of it", async () => {
    const records = [
      '"@": { ALIAS: pages.other.example. }',
      '"*.dev": { A: 192.0.2.1 }',
      "off: { A: { value: 192.0.2.2, disabled: true } }",
      "half: { A: [{ value: 192.0.2.3, disabled: true }, 192.0.2.4] }",
      'from: { TXT: "${ref:service/web.shop.example.status}" }',
      "sub: { NS: [ns1.other.example., ns1.sub.shop.example.] }",
      "ns1.sub: { A: 192.0.2.5 }",
      "mail: { MX: { priority: 1, value: mx.other.example. } }",
      "numbered: { TYPE65280: '\\# 4 0a000001' }",
    ];
    const zoneOf = (changes: Record<string, string> = {}) =>
      [
        head,
        "@ A 192.0.2.9",
        changes["wild"] ?? "*.dev A 192.0.2.1",
        changes["off"] ?? "",
        `half A 192.0.2.4`,
        'from TXT "active"',
        "sub NS ns1.other.example.\nsub NS ns1.sub",
        "ns1.sub A 192.0.2.5",
        "mail MX 1 mx.other.example.",
        String.raw`numbered TYPE65280 \# 4 0a000001`,
      ].join("\n");
    const text = `version: 1\nname: a\nservices: { web.shop.example: {} }\ndns:\n  shop.example:\n    records:\n      ${records.join("\n      ")}\n`;
    const { place } = await served({ "shop.example": zoneOf() });
    const ran = exits(0, await verify(text, place));
    for (const line of [
      "dns_record/shop.example/@/ALIAS: of an ALIAS only that its name has an address",
      "dns_record/shop.example/off/A: its records are disabled, and a wildcard may answer in their place",
      "dns_record/shop.example/from/TXT: of values that are secret, or known only to the API, only how many there are",
      "dns_record/shop.example/mail/MX: the server that was asked does not look up mx.other.example",
    ])
      expect(ran.stdout).toContain(`Not compared: ${line}`);
    const without = text.replace(/ *"\*\.dev.*\n/u, "");
    const wrong = await served({ "shop.example": zoneOf({ wild: "", off: "off A 192.0.2.2" }) });
    const disabled = await verify(without, wrong.place);
    expect(disabled.stdout).toContain("asked: off.shop.example A\n    expected: nothing\n    answered: 192.0.2.2");
    const wild = await verify(text, wrong.place);
    expect(wild.stdout).toContain("asked: *.dev.shop.example A\n    expected: 192.0.2.1\n    answered: NXDOMAIN");
  });

  test("asks the server of --resolver for the DS, which a server of the zone alone does not know", async () => {
    const text = "version: 1\nname: a\ndns: { shop.example: { dnssec: { enabled: false } } }\n";
    const ds = `$TTL 300\n@ SOA ns.shop h 7 1 1 1 1\n@ NS ns.shop\nns.shop A 127.0.0.1\nshop NS ns.shop\nshop DS 1 5 2 ${"0".repeat(64)}\n`;
    const both = await served({ "shop.example": head, example: ds });
    const found = await verify(text, both.place);
    expect(found.stdout).toContain(`expected: no DS\n    answered: 1 5 2 ${"0".repeat(64)}`);
    const alone = await served({ "shop.example": head });
    const unseen = exits(0, await verify(text, alone.place));
    expect(unseen.stdout).toContain("the server that was asked does not know the DS at the parent");
  });
});

test.each(["ns1.host.example", "192.0.2.1:0", "192.0.2.1:70000", "[2001:db8::1]", "2001:db8::1:5353:x", ""])(
  "a resolver that is written %j is refused",
  async (given) => {
    const ran = exits(3, await verify(manifest, given));
    expect(ran.stderr).toContain("--resolver");
  },
);

test.each([
  ["192.0.2.1", "192.0.2.1", 53],
  ["192.0.2.1:5353", "192.0.2.1", 5353],
  ["2001:db8::1", "2001:db8::1", 53],
  ["[2001:db8::1]:5353", "2001:db8::1", 5353],
])("a resolver may be written %s", (text, address, port) => {
  expect(readPlace(text)).toEqual({ address, port });
});
