import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { certificate } from "../../src/kinds/certificate.ts";
import { cron } from "../../src/kinds/cron.ts";
import { dnsRecord } from "../../src/kinds/dns_record.ts";
import { dnssec } from "../../src/kinds/dnssec.ts";
import { domain } from "../../src/kinds/domain.ts";
import { kinds } from "../../src/kinds/index.ts";
import { mailSettings } from "../../src/kinds/mail_settings.ts";
import { mailbox } from "../../src/kinds/mailbox.ts";
import { checkTime } from "../../src/kinds/shared/timestamp.ts";
import { readDesired } from "../../src/manifest/read/desired.ts";
import type { WrittenMap } from "../../src/manifest/yaml/written.ts";
import { splitAddress, toAddress } from "../../src/model/address.ts";
import { openValue, pickValues } from "../../src/model/body.ts";
import { loadText } from "../manifest/load-text.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { forDraws } from "../support/for-draws.ts";

const normalise = (field: { normalise?: (value: never, key: never) => unknown } | undefined, value: unknown) =>
  field?.normalise?.(value as never, {} as never);

describe("a cron schedule", () => {
  test.each([
    ["@daily", "0 0 * * *"],
    ["@midnight", "0 0 * * *"],
    ["@hourly", "0 * * * *"],
    ["@weekly", "0 0 * * 0"],
    ["@monthly", "0 0 1 * *"],
    ["@yearly", "0 0 1 1 *"],
    ["@annually", "0 0 1 1 *"],
    ["7 7 7 7 7", "7 7 7 7 0"],
    ["30  8 * * MON", "30 8 * * 1"],
    ["*/1 * * JAN-mar 7", "* * * 1-3 0"],
    ["05 03 * * *", "5 3 * * *"],
  ])("%s is %s", (written, normal) => {
    expect(normalise(cron.fields["schedule"], written)).toBe(normal);
  });

  test.each(["0 3 * *", "61 * * * *", "0 3 * * * *", "every day", "0 0 30 2 *"])("%s is refused", (written) => {
    expect(cron.fields["schedule"]?.check?.(written, {})).toMatch(/./u);
  });
});

test.each([
  ["Europe/Madrid", true],
  ["utc", true],
  ["Europe/Madird", false],
  ["+05:00", false],
])("the time zone %s of a task is a name that Node knows, whatever else its version takes: %s", (zone, isOne) => {
  expect(cron.fields["timezone"]?.check?.(zone, {}) === undefined).toBe(isOne);
});

describe("a quota", () => {
  test.each([
    ["2 GiB", 2048],
    ["2048 MB", 2048],
    ["2048", 2048],
    ["1.5 GiB", 1536],
    [2048, 2048],
    ["unlimited", null],
  ])("%s is %s MB", (written, megabytes) => {
    expect(normalise(mailbox.fields["quota_mb"], written)).toBe(megabytes);
    expect(mailbox.fields["quota_mb"]?.check?.(written, {})).toBeUndefined();
  });

  test.each([
    [null, "unlimited"],
    [2048, "2 GiB"],
    [3000, "3 GB"],
    [500, "500 MB"],
    [0, "0 MB"],
  ])("%s MB are written as %s", (megabytes, written) => {
    expect(mailbox.fields["quota_mb"]?.spell?.(megabytes)).toBe(written);
  });

  test.each(["2 parsecs", "-1", 0, "0.1 MB", "1.5", 1.5, "9007199254740993", "99999999999999999999 GiB"])(
    "%s is refused",
    (written) => {
      expect(mailbox.fields["quota_mb"]?.check?.(written, {})).toMatch(/unlimited/u);
    },
  );
});

test("name servers are a set: their order, case and trailing dots do not matter", () => {
  const servers = domain.fields["nameservers"];
  expect(normalise(servers, ["NS2.host.test.", "ns1.host.test"])).toEqual(
    normalise(servers, ["ns1.host.test", "ns2.host.test"]),
  );
});

describe("the name of a record", () => {
  test.each([
    ["@", "@"],
    ["", "@"],
    ["example.com.", "@"],
    ["www.example.com.", "www"],
    ["WWW", "www"],
    ["bücher", "xn--bcher-kva"],
    ["*.dev", "*.dev"],
  ])("%s is %s in example.com", (written, name) => {
    expect(dnsRecord.naming.normalise({ zone: "Example.com.", name: written, type: "a" })).toEqual({
      zone: "example.com",
      name,
      type: "A",
    });
  });

  test.each(["a..b", "www.other.example.", "dev.*", "-x", "x".repeat(64)])("%s is refused", (name) => {
    expect(dnsRecord.naming.check({ zone: "example.com", name, type: "A" })).toMatch(/./u);
  });
});

test.each<[string, string, string | undefined]>([
  ["x".repeat(64), `${"a.".repeat(93)}com`, undefined],
  ["x".repeat(64), `${"a.".repeat(93)}info`, "a mail address of at most 254 characters"],
  ["x".repeat(65), "example.com", "the part of a mail address before the @, such as info or jane.doe"],
  ["a b", "example.com", "the part of a mail address before the @, such as info or jane.doe"],
  ["info@example.com", "example.com", 'the part before the @ only: "info"'],
  [
    "info@other.example",
    "example.com",
    "the part before the @ of an address in example.com; this one is in a foreign domain",
  ],
  ["info", "a_b.example", "a mail domain of letters, digits and hyphens, without underscores"],
])("the mailbox %s of %s: %s", (local, name, expected) => {
  expect(mailbox.naming.check({ domain: name, local })).toBe(expected);
});

test("a date is in the calendar, whatever its year", () =>
  forDraws(
    { numRuns: 1000 },
    fc.nat(9999),
    fc.integer({ min: 0, max: 13 }),
    fc.integer({ min: 0, max: 32 }),
    (year, month, day) => {
      const text = [String(year).padStart(4, "0"), ...[month, day].map((part) => String(part).padStart(2, "0"))].join(
        "-",
      );
      const date = new Date(`${text}T12:00:00Z`);
      const isReal = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
      expect(checkTime(`${text}T12:00:00Z`) === undefined).toBe(isReal);
    },
  ));

describe("every kind", () => {
  /** Keys with characters that an address must escape or a name must split; the rest are read from the examples. */
  const unusual: Record<string, Record<string, string>> = {
    service: { domain: "example.com" },
    domain: { name: "example.com" },
    dns_zone: { name: "0/25.2.0.192.in-addr.arpa" },
    dns_record: { zone: "0/25.2.0.192.in-addr.arpa", name: "@", type: "PTR" },
    mailbox: { domain: "example.com", local: "info" },
    dnssec: { zone: "example.com" },
    mail_alias: { domain: "example.com", local: "sales" },
    mail_settings: { domain: "example.com" },
    ftp_account: { service: "example.com", username: "deploy" },
    database: { service: "example.com", name: "shop" },
    database_user: { service: "example.com", username: "shop", host: "10.0.0.1" },
    certificate: { domains: "*.example.com+example.com", type: "managed" },
    cron: { service: "example.com", name: "nightly backup 100%" },
  };

  test.each(kinds.map((kind) => [kind.name, kind] as const))(
    "%s: an address gives back the key it was made from",
    async (name, kind) => {
      const { tree } = await loadText(await readFile(new URL(`../../examples/kinds/${name}.yaml`, import.meta.url)));
      const { desired } = readDesired(tree as WrittenMap, () => ({ value: "a long password" }));
      const shown = [...desired.resources.values()].filter((resource) => resource.kind === name);
      expect(shown.length).toBeGreaterThan(0);
      for (const key of [...shown.map((resource) => resource.key), ...(unusual[name] ? [unusual[name]] : [])]) {
        const address = toAddress(kind.name, kind.naming.addressParts(key));
        expect(address).not.toMatch(/\s/u);
        const back = kind.naming.fromParts(splitAddress(address)?.parts ?? []);
        expect(kind.naming.addressParts(back ?? {})).toEqual(kind.naming.addressParts(key));
        expect(key).toMatchObject(back ?? {});
        expect(kind.naming.check(key)).toBeUndefined();
      }
    },
  );

  test.each(kinds.map((kind) => [kind.name, kind] as const))(
    "%s: the fields of a key are those of a record with this key, and a parent's name has any spelling",
    (name, kind) => {
      const key = unusual[name] ?? {};
      expect(Object.keys(key), `write a key of ${name} into \`unusual\` of this test`).not.toEqual([]);
      const scope = Object.fromEntries(kind.scope.map((part) => [part, key[part] ?? ""]));
      const read = kind.naming.ofLive(kind.naming.toFields(key), scope);
      expect(kind.naming.normalise(read)).toEqual(kind.naming.normalise(key));
      const respelt = Object.fromEntries(kind.scope.map((part) => [part, `${scope[part]?.toUpperCase()}.`]));
      expect(kind.naming.normalise({ ...key, ...respelt })).toEqual(kind.naming.normalise(key));
    },
  );
});

describe("dnssec", () => {
  const state = fc.record({ enabled: fc.boolean(), algorithm: fc.constantFrom("13", "15") }, { requiredKeys: [] });

  test("refuses a change of the algorithm always, and the end of signing without consent; nothing else", () =>
    forDraws({ numRuns: 1000 }, state, fc.option(state, { nil: undefined }), (before, after) => {
      const found = dnssec.guard?.refuse?.(before, after);
      if (after?.algorithm !== undefined && after.algorithm !== before.algorithm) {
        expect(found).toMatchObject({ consent: false, summary: expect.stringMatching(/^the algorithm .*DS/u) });
      } else if (before.enabled === true && after === undefined) {
        expect(found).toMatchObject({ consent: true, summary: expect.stringMatching(/^the zone is signed: .*DS/u) });
      } else if (before.enabled === true && after?.enabled === false) {
        expect(found).toMatchObject({ consent: true, summary: expect.stringMatching(/switched off: .*DS/u) });
      } else expect(found).toBeUndefined();
    }));

  test("names the DS records for the registrar, whatever the server lists", () => {
    const records = [{ key_tag: 1, algorithm: 13, digest_type: 2, digest: "ab" }, "x", null];
    expect(dnssec.status?.externalValues?.({ ds_records: records })).toEqual(["DS 1 13 2 ab"]);
    expect(dnssec.status?.externalValues?.({ ds_records: null })).toEqual([]);
  });
});

test("mail settings keep the DKIM record of their selector, while DKIM is on and the selector is known", () => {
  const kept = (fields: Record<string, unknown>) =>
    mailSettings.serverMade?.keeps?.({ domain: "example.com" }, fields as never);
  const record = { kind: "dns_record", key: { zone: "example.com", name: "s1._domainkey", type: "TXT" } };
  expect(kept({ "dkim.enabled": true, "dkim.selector": "s1" })).toEqual([record]);
  expect(kept({ "dkim.enabled": false, "dkim.selector": "s1" })).toEqual([]);
  expect(kept({ "dkim.enabled": true })).toEqual([]);
  expect(kept({ "dkim.selector": "s1" })).toEqual([]);
});

test("a certificate is compared by its service, with or without a contract, unless the contract does not have that", async () => {
  const { tree } = await loadText(await readFile(new URL("../../examples/kinds/certificate.yaml", import.meta.url)));
  const lacking = structuredClone(builtIn);
  for (const entry of [lacking.kinds["certificate"] ?? { fields: {} }])
    Object.assign(entry, { fields: pickValues(entry.fields, (name) => name !== "service") });
  const services = [undefined, builtIn, lacking].map((contract) => {
    const { desired } = readDesired(tree as WrittenMap, () => ({ value: "a long password" }), contract);
    const read = [...desired.resources.values()].filter(({ kind }) => kind === "certificate");
    return new Set(read.map(({ fields }) => openValue(fields["service"])));
  });
  expect(services).toEqual([new Set(["bakery.example"]), new Set(["bakery.example"]), new Set([undefined])]);
});

test.each([["a.example"], ["a.example", "b.example"], ["a.example", "*.a.example", "xn--bcher-kva.example"]])(
  "a certificate is sent with each of its domains",
  (...domains) => {
    const key = { service: "example.com", domains: domains.join("+"), type: "managed" };
    expect(certificate.naming.toFields(key)).toEqual({ domains, type: "managed" });
    expect(certificate.naming.fromParts(certificate.naming.addressParts(key))).toEqual({
      domains: domains.join("+"),
      type: "managed",
    });
  },
);
