import fc, { type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import { kinds } from "../../src/kinds/index.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import { normalValue } from "../../src/kinds/derived/normal-value.ts";
import { normaliseBoolean, normaliseNumber } from "../../src/kinds/shared/normal-forms.ts";
import { normaliseQuota } from "../../src/kinds/shared/quota.ts";
import { recordTypes } from "../../src/kinds/dns/record-types.ts";
import type { Json } from "../../src/model/json.ts";
import { anyCharacter } from "../support/any-character.ts";
import { forDraws } from "../support/for-draws.ts";
import * as respell from "../support/respell.ts";

/** Ways to write one value; all of them mean the same. */
type Ways = Arbitrary<Json>;

const number = (value: number): Ways => fc.constantFrom<Json>(value, String(value), ` ${value} `);
const truth = (value: boolean): Ways =>
  value
    ? fc.constantFrom<Json>(true, "true", "True", "1", 1, "yes", "on")
    : fc.constantFrom<Json>(false, "false", "FALSE", "0", 0, "no", "off");
const quota = fc.constantFrom<Json>(2048, "2048", "2 GiB", "2GiB", "2048 MB", "2.0 gib", "2048MiB");
const nothing = fc.constantFrom<Json>(null, "");
const names = (...items: string[]) => respell.respellSet(items, respell.respellName);
const pem = fc.constantFrom("-----BEGIN X-----\nAA\n-----END X-----\n", "-----BEGIN X-----\r\nAA\r\n-----END X-----");
const digest = "0123456789abcdef".repeat(4);

const contents: Readonly<Record<string, readonly Ways[]>> = {
  A: [fc.constantFrom("192.0.2.1", " 192.0.2.1 ")],
  AAAA: [respell.respellIPv6("2001:db8::10"), respell.respellIPv6("::1"), respell.respellIPv6("fe80::1:0:0:1")],
  ALIAS: [respell.respellName("www.example.com.")],
  CAA: [
    fc
      .tuple(respell.respellBlanks("0 "), respell.respellCase("issue"), respell.respellQuoted("letsencrypt.org"))
      .map(([flags, tag, value]) => `${flags}${tag} ${value}`),
  ],
  CNAME: [respell.respellName("xn--bcher-kva.example."), fc.constantFrom("@", "example.com", "EXAMPLE.com.")],
  DHCID: [respell.respellBase64(`AAEB${"A".repeat(43)}=`)],
  DNAME: [respell.respellName("example.net.")],
  DS: [respell.respellDigest("12345 13 2", digest)],
  HTTPS: [
    respell
      .respellParameters(["alpn=h2,h3", "port=443", "ipv4hint=192.0.2.1"])
      .map((parameters) => `1 . ${parameters}`),
    respell.respellIPv6("2001:db8::1").map((address) => `1 . ipv6hint=${address}`),
  ],
  LOC: [
    fc.constantFrom(
      "52 22 23 N 4 53 32 E -2m",
      "52  22 23.000 n 4 53 32.0 e -2.00 1",
      "52 22 23 N 4 53 32 E -2.00m 1.00m 10000m 10m",
    ),
    fc.constantFrom("1 S 2 W 0", "1 0 0 S 2 0 W 0.00m 1 10000.00 10"),
  ],
  MX: [respell.respellName("mx1.host.test."), fc.constantFrom("mx.host.test.", "10 mx.host.test", "10  MX.host.test.")],
  NAPTR: [
    fc
      .tuple(
        respell.respellCase("u"),
        respell.respellCase("e2u+sip"),
        respell.respellName("example.com."),
        fc.boolean(),
      )
      .map(([flags, service, target, quoted]) => {
        const quote = quoted ? '"' : "";
        return `100 10 ${quote}${flags}${quote} ${quote}${service}${quote} "!^.*$!sip:a@b.test!" ${target}`;
      }),
  ],
  NS: [respell.respellName("ns1.example.net.")],
  OPENPGPKEY: [respell.respellBase64("mQENBFVHm5sBCADRL7i7VmCZ5XZzRNkDzoBW9hPR")],
  PTR: [respell.respellName("host.example.com.")],
  RP: [
    respell.respellName("info.example.com.").map((mailbox) => `${mailbox} .`),
    fc.constantFrom(String.raw`first\.last.example.com. .`, String.raw`First\.Last.Example.com  .`),
  ],
  SMIMEA: [respell.respellDigest("3 1 1", digest)],
  SPF: [respell.respellText("v=spf1 mx -all")],
  SRV: [
    respell.respellName("sip.example.com.").map((target) => `5 5060 ${target}`),
    fc.constantFrom("5 5060 sip.", "5 5060 sip", "0 5 5060 SIP.", "05 05060 sip"),
  ],
  SSHFP: [respell.respellDigest("4 2", digest)],
  SVCB: [respell.respellParameters(["alpn=h2", "port=8443"]).map((parameters) => `1 svc.example.com. ${parameters}`)],
  TLSA: [respell.respellDigest("3 1 1", digest)],
  TXT: [
    respell.respellText("plain words; and more"),
    respell.respellText('größer \\ "quoted" text'),
    respell.respellText("a".repeat(300)),
    respell.respellText("v=spf1 mx include:_spf.example.net -all"),
    respell.respellText(`v=DKIM1; k=rsa; p=${"MIIB".repeat(90)}`),
  ],
  URI: [respell.respellQuoted("https://example.com/").map((target) => `10 1 ${target}`)],
};

const fields: Readonly<Record<string, readonly Ways[]>> = {
  "cron.schedule": [
    respell.respellSchedule(["@daily", "@midnight", "0 0 * * *", "00 00 */1 */1 *"]),
    respell.respellSchedule(["30 8 * jan-mar mon,fri", "30 8 * 1-3 5,1", "30 8 * 01-03/1 1,5,1"]),
    respell.respellSchedule(["0 0 * * 0", "@weekly", "0 0 * * 7", "0 0 * * sun"]),
    respell.respellSchedule(["0 4 * * fri-sun", "0 4 * * 5-7"]),
    respell.respellSchedule(["0,30 4 * dec *", "30,0 4 * 12 *"]),
  ],
  "cron.enabled": [truth(true)],
  "cron.email": [respell.respellMailAddress("ops@example.com"), nothing],
  "cron.timeout_s": [number(3600)],
  "database.engine": [respell.respellCase("mariadb")],
  "database.charset": [respell.respellCase("utf8mb4")],
  "database.host": [respell.respellName("db.host.test")],
  "database.port": [number(3306)],
  "database.size_mb": [number(12)],
  "database_user.grants": [
    fc.constantFrom<Json>(
      { shop: "all", log: ["SELECT", "insert"] },
      { log: ["INSERT", "SELECT", "select"], shop: "ALL" },
      [
        { database: "shop", privileges: "all" },
        { database: "log", privileges: ["insert", "select"] },
      ],
    ),
  ],
  "dns_record.ttl": [number(300)],
  "dns_record.priority": [number(10)],
  "dns_record.disabled": [truth(true), truth(false)],
  "dns_record.comment": [nothing],
  "dns_record.managed": [truth(true)],
  "dns_zone.ttl": [number(7200)],
  "dns_zone.serial": [number(2026010101)],
  "dnssec.enabled": [truth(true)],
  "dnssec.algorithm": [number(13)],
  "domain.service": [respell.respellName("example.com")],
  "domain.auto_renew": [truth(true)],
  "domain.nameservers": [names("ns1.host.test", "ns2.host.test", "xn--bcher-kva.example")],
  "dns_zone.nameservers": [names("ns1.host.test", "ns2.host.test", "xn--bcher-kva.example")],
  "domain.transfer_lock": [truth(false)],
  "domain.privacy": [truth(true)],
  "domain.transfer": [fc.constantFrom<Json>({ auth_code: "x" }, true)],
  "ftp_account.quota_mb": [quota, fc.constantFrom<Json>(null, "unlimited", "UNLIMITED")],
  "ftp_account.permissions": [respell.respellSet(["read", "write"], respell.respellCase)],
  "ftp_account.enabled": [truth(false)],
  "ftp_account.primary": [truth(true)],
  "mail_alias.address": [respell.respellMailAddress("sales@xn--bcher-kva.example")],
  "mail_alias.destinations": [respell.respellSet(["a@example.com", "b@example.com"], respell.respellMailAddress)],
  "mail_alias.keep_copy": [truth(true)],
  "mail_settings.catch_all": [respell.respellMailAddress("info@example.com"), nothing],
  "mail_settings.autoresponder.enabled": [truth(true)],
  "mail_settings.autoresponder.starts_at": [respell.respellTime("2026-01-01T00:00:00Z")],
  "mail_settings.autoresponder.ends_at": [respell.respellTime("2026-02-01T12:30:00Z")],
  "mail_settings.dkim.enabled": [truth(true)],
  "mail_settings.sending_limit_per_hour": [number(500)],
  "mailbox.address": [respell.respellMailAddress("jane.doe@example.com")],
  "mailbox.quota_mb": [quota],
  "mailbox.sending_enabled": [truth(true)],
  "mailbox.rotate_after": [
    respell.respellTime("2026-05-01T00:00:00Z"),
    fc.constantFrom("2026-05-01", "2026-05-01T00:00:00Z", "2026-05-01T02:00:00.000+02:00"),
  ],
  "mailbox.usage_mb": [number(0)],
  "service.settings.https_redirect": [truth(true)],
  "service.settings.backups": [truth(false)],
  "service.resources.disk_mb": [number(51200)],
  "service.resources.disk_used_mb": [number(0)],
  "service.resources.bandwidth_mb": [number(1024)],
  "certificate.domains": [names("example.com", "*.example.com")],
  "certificate.certificate": [pem],
  "certificate.chain": [pem],
};

const normalised = kinds.flatMap((kind) =>
  Object.entries(kind.fields).flatMap(([field, { normalise }]) => (normalise ? [[kind.name, field] as const] : [])),
);

const keyOf = (type: string) => ({ zone: "example.com", name: "@", type });

/** Each field with the ways to write its values; the content of a record by its type. */
const cases = normalised.flatMap(([kind, field]) =>
  field === "content"
    ? [...recordTypes.keys()].map((type) => ({
        kind,
        field,
        label: `${kind} ${type}`,
        key: keyOf(type),
        ways: contents[type],
      }))
    : [{ kind, field, label: `${kind}.${field}`, key: {}, ways: fields[`${kind}.${field}`] }],
);

describe.each(cases)("the normal form of $label", ({ kind, field, key, ways, label }) => {
  const normal = (value: Json) => normalValue(kindNamed(kind), field, value, key);

  test("is one for all ways to write a value, and its own normal form", async () => {
    expect(ways, `this test lacks the ways to write ${label}`).toBeDefined();
    for (const way of ways ?? []) {
      await forDraws(30, way, way, (one, other) => {
        expect(normal(other)).toEqual(normal(one));
        expect(normal(normal(one))).toEqual(normal(one));
      });
    }
  });

  test("exists for whatever a server answers, and taken twice changes nothing", async () => {
    const odd = fc.constantFrom("constructor", "__proto__", "2 constructor", "@", ".", "a..", "a .", "１.example", "");
    const texts = [fc.string({ unit: "grapheme" }), fc.string({ unit: anyCharacter }), fc.domain(), fc.ipV6()];
    await forDraws(60, fc.oneof(fc.jsonValue() as Arbitrary<Json>, odd, ...texts), (value) => {
      const once = normal(value);
      expect(normal(once)).toEqual(once);
    });
  });
});

const lists = new Set(["nameservers", "permissions", "destinations", "domains"]);
/** Those of fields that hold a number or a truth value. */
const notOfTexts = new Set<unknown>([normaliseNumber, normaliseBoolean, normaliseQuota]);

describe.each(
  kinds.flatMap((kind) =>
    Object.entries(kind.fields)
      .filter(([, { access }]) => access !== "write_only" && access !== "manifest_only")
      .filter(
        ([field, { normalise }]) =>
          !notOfTexts.has(normalise) && field !== "grants" && `${kind.name}.${field}` !== "dns_zone.nameservers",
      )
      .map(([field]) => ({ kind, field, label: `${kind.name}.${field}` })),
  ),
)("a number or a truth value in $label", ({ kind, field }) => {
  test("is the same as its text", async () => {
    const types = kind.members ? [...recordTypes.keys()] : [""];
    await forDraws(30, fc.oneof(fc.maxSafeInteger(), fc.boolean()), fc.constantFrom(...types), (value, type) => {
      const normal = (each: Json) => normalValue(kind, field, lists.has(field) ? [each] : each, keyOf(type));
      expect(normal(value)).toEqual(normal(String(value)));
    });
  });
});

describe("what means something else stays apart:", () => {
  test.each<[string, string, Json, Json]>([
    // What is published is sent as it is written, blanks and all.
    ["dns_record", "TXT", "v=spf1  mx -all", "v=spf1 mx -all"],
    ["dns_record", "TXT", "v=DKIM1;p=a", "v=DKIM1; p=a"],
    ["dns_record", "CAA", '0 issue "a.example"', '0 issuewild "a.example"'],
    ["dns_record", "HTTPS", "1 . alpn=h2,h3", "1 . alpn=h3,h2"],
    ["dns_record", "NAPTR", '1 1 "u" "x" "!A!B!" .', '1 1 "u" "x" "!a!b!" .'],
    ["dns_record", "URI", '1 1 "https://a.example/X"', '1 1 "https://a.example/x"'],
    ["cron", "schedule", "0 0 1-31 * 1", "0 0 * * 1"],
    ["cron", "schedule", "0 0 * * 1-5", "0 0 * * 1,5"],
    ["cron", "timeout_s", "1e3", 1000],
    ["mailbox", "quota_mb", "2 GB", "2 GiB"],
  ])("%s %s %j and %j", (kind, what, one, other) => {
    const [field, key] = kind === "dns_record" ? ["content", keyOf(what)] : [what, {}];
    const normal = (value: Json) => normalValue(kindNamed(kind), field, value, key);
    expect(normal(one)).not.toEqual(normal(other));
  });
});
