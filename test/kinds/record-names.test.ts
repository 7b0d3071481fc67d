import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { dnsRecord } from "../../src/kinds/dns_record.ts";
import { normaliseAddress } from "../../src/kinds/derived/collection.ts";
import { checkSchema } from "../../src/manifest/schema/check-schema.ts";
import { readDesired } from "../../src/manifest/read/desired.ts";
import { parseSource } from "../../src/manifest/yaml/parse.ts";
import { secretReader } from "../../src/manifest/read/secrets.ts";
import { toAddress } from "../../src/model/address.ts";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput, inZone, ours, record } from "../plan/build-input.ts";
import { readAccount } from "../real/read-account.ts";
import { accountForFile } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";

const zones = fc.constantFrom("hack.af", "example.com", "af.hack.af");
const relative = fc.constantFrom("www", "_dmarc", "a.b", "*.dev", "hack", "xhack.af", "0/25");
/** How often the zone's name stands behind a name, and whether a dot stands after it. */
const written = fc
  .record({ zone: zones, name: relative, times: fc.integer({ min: 0, max: 3 }), dot: fc.boolean() })
  // A relative name has no final dot.
  .map((each) => ({ ...each, dot: each.dot && each.times > 0 }))
  .map((each) => ({
    ...each,
    text: `${each.name}${`.${each.zone}`.repeat(each.times)}${each.dot ? "." : ""}`,
  }));

describe("the name of a record", () => {
  test("is whole where it ends in the zone's name, and once more only where that stands twice", () =>
    forDraws(300, written, ({ zone: name, name: first, times, text }) => {
      const key = dnsRecord.naming.normalise({ zone: name, name: text, type: "A" });
      const owner = `${first}${`.${name}`.repeat(Math.max(1, times))}`;
      expect(dnsRecord.availability?.answers?.at(key).name).toBe(owner);
      expect(dnsRecord.naming.toFields(key)["name"], "is sent relative to the zone").toBe(
        owner.slice(0, -name.length - 1),
      );
      expect(dnsRecord.naming.normalise(key), "has one normal form").toEqual(key);
      const address = toAddress("dns_record", dnsRecord.naming.addressParts(key));
      expect(normaliseAddress(address), "has one address").toBe(address);
      expect(dnsRecord.naming.check(key)).toBeUndefined();
    }));

  test("has at most 253 characters with its zone, however the two share them", async () => {
    const labels = fc.array(fc.integer({ min: 1, max: 63 }), { minLength: 2, maxLength: 4 });
    const total = fc.oneof(fc.integer({ min: 245, max: 260 }), fc.constantFrom(252, 253, 254));
    const nameOf = (lengths: readonly number[]) => lengths.map((length) => "a".repeat(length)).join(".");
    await forDraws(200, labels, total, fc.boolean(), (lengths, wanted, isWhole) => {
      const name = nameOf(lengths).slice(0, 180).replace(/\.$/u, "");
      // The name of the record takes up the rest: labels of 63, and a last label for what is missing.
      const missing = wanted - name.length - 1;
      const last = ((missing - 1) % 64) + 1;
      fc.pre(last < 64);
      const relative = nameOf([...Array.from({ length: (missing - last) / 64 }, () => 63), last]);
      const text = isWhole ? `${relative}.${name}.` : relative;
      const found = dnsRecord.naming.check({ zone: name, name: text, type: "A" });
      if (wanted <= 253) expect(found).toBeUndefined();
      else expect(JSON.stringify(found)).toContain("at most 253 characters with its zone");
    });
  });

  test("has labels of at most 63 characters", () => {
    const check = (length: number) =>
      dnsRecord.naming.check({ zone: "example.com", name: "a".repeat(length), type: "A" });
    expect(check(63)).toBeUndefined();
    expect(JSON.stringify(check(64))).toContain("labels of at most 63 characters");
  });

  test("is read from a list in whichever way all its names are written", async () => {
    const names = fc.uniqueArray(fc.constantFrom("www", "_dmarc", "_dmarc.example.com", "a.example.com.example.com"), {
      minLength: 1,
    });
    const styles = {
      relative: (each: string) => each,
      whole: (each: string) => (each === "@" ? "example.com" : `${each}.example.com`),
      dotted: (each: string) => (each === "@" ? "example.com." : `${each}.example.com.`),
    };
    await forDraws(60, names, fc.constantFrom(...Object.values(styles)), async (listed, style) => {
      const live = ["@", ...listed].map((each) => record(style(each), "A", "192.0.2.1"));
      const input = await buildInput("dns: { example.com: { records: { none: { A: 192.0.2.1 } } } }", inZone(...live));
      const found = [...input.live.resources.values()].filter(({ kind }) => kind === "dns_record");
      expect(found.map(({ key }) => dnsRecord.availability?.answers?.at(key).name ?? "").toSorted()).toEqual(
        ["example.com", ...listed.map((each) => `${each}.example.com`)].toSorted(),
      );
    });
  });

  test.each([
    ["_dmarc.example.com.example.com.", "_dmarc", "_dmarc"],
    ["_dmarc", "_dmarc.example.com", "_dmarc.example.com.example.com."],
  ])("that is ours is not moved to the other reading, %s, without consent", async (declared, live, held) => {
    const lists = inZone(record("@", "A", "192.0.2.1"), record(live, "TXT", "x"));
    const manifest = `dns: { example.com: { records: { "@": { A: 192.0.2.1 }, ${declared}: { TXT: x } } } }`;
    const address = `dns_record/example.com/${held}/TXT`;
    const planned = async (named: readonly string[]) =>
      plan(await buildInput(manifest, lists, { deletes: addresses(...named) }, undefined, ours([address])));
    expect((await planned([])).refusals).toMatchObject([{ address, flag: "--allow-delete" }]);
    const consented = await planned([address]);
    expect(consented.refusals).toEqual([]);
    expect(consented.steps.map(({ action }) => action).toSorted()).toEqual(["create", "delete"]);
  });
});

test.each([
  ["_dmarc", "_dmarc.hack.af", true],
  ["_dmarc.hack.af", "_dmarc", true],
  ["_dmarc.hack.af.", "_dmarc", true],
  ['"@"', "hack.af.", true],
  ["www", "WWW", false],
])("two spellings of one name are an error that shows both, and why: %s and %s", async (first, second, isWhole) => {
  const text = `version: 1\nname: a\ndns: { hack.af: { records: {\n  ${first}: { TXT: a },\n  ${second}: { TXT: b } } } }\n`;
  const { root } = parseSource({ file: "m.yaml", text });
  if (!root) throw new Error("no manifest");
  checkSchema(root, true);
  const { diagnostics } = readDesired(
    root,
    secretReader({}, "/nowhere", () => undefined),
  );
  const [found] = diagnostics.filter(({ code }) => code === "duplicate_resource");
  const spelt = first.replaceAll('"', "");
  expect(found?.summary).toContain(`"${spelt}" and "${second}" in zone hack.af mean the same name`);
  expect(found?.hint?.includes("is the whole name")).toBe(isWhole);
  expect([found?.at?.line, found?.related?.[0]?.at.line]).toEqual([5, 4]);
  expect(found?.related?.[0]?.message).toContain(`"${spelt}"`);
});

describe("on the service", () => {
  const account = accountForFile();

  test("both readings of a name, an empty text and the written case arrive as they were written, and nothing is left to change", async () => {
    const file = join(account.folder, "names.yaml");
    const records = [
      "_dmarc.hack.af: { TXT: a }",
      "_dmarc.hack.af.hack.af.: { TXT: b }",
      '_spf.hack.af.: { TXT: "" }',
      `voice: { NAPTR: '100 10 "u" "E2U+sip" "!^.*$!sip:Info@example.com!" .' }`,
      "www: { CNAME: WWW.Example.NET }",
      `split: { TXT: '"one " "Two"' }`,
    ];
    writeFileSync(
      file,
      `version: 1\nname: names\ndns:\n  hack.af:\n    records:\n${records.map((line) => `      ${line}\n`).join("")}`,
    );
    const applied = exits(0, await runInProcess(account, ["apply", "-f", file, "--auto-approve"]));
    const live = (await readAccount(account)).get("hack.af") ?? [];
    const own = live
      .filter(({ managed }) => managed !== true)
      .map(({ name, content }) => `${name as string} ${content as string}`);
    expect(own.toSorted()).toEqual(
      [
        '_dmarc.hack.af "b"',
        '_dmarc "a"',
        '_spf ""',
        'split "one " "Two"',
        'voice 100 10 "u" "E2U+sip" "!^.*$!sip:Info@example.com!" .',
        "www www.example.net.",
      ].toSorted(),
    );
    const again = await runInProcess(account, ["plan", "-f", file]);
    expect(again.stdout).toContain("No changes.");
    expect(applied.stderr.match(/^warning\[\w+\]/gmu)).toEqual(["warning[ambiguous_name]"]);
  });
});
