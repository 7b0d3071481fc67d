import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostsIn, recordTypeOf, respellHost } from "../../src/kinds/dns/record-content.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import { formatQuotedStrings, parseQuotedStrings } from "../../src/kinds/dns/character-strings.ts";
import { forDraws } from "../support/for-draws.ts";

const normalise = (type: string, content: string) => recordTypeOf(type).normalise(content, "example.com");
const check = (type: string, content: string) => recordTypeOf(type).check(content);

describe("the normal form of a record's content", () => {
  test.each([
    ["AAAA", "2001:DB8:0:0::10", "2001:db8::10"],
    ["CNAME", "WWW.Example.COM", "www.example.com."],
    ["CNAME", "www.example.com.", "www.example.com."],
    ["CNAME", "@", "example.com."],
    ["CNAME", "bücher.example", "xn--bcher-kva.example."],
    ["MX", ".", "."],
    ["SRV", "05  5060 SIP.example.com", "5 5060 sip.example.com."],
    ["CAA", "0 ISSUE letsencrypt.org", '0 issue "letsencrypt.org"'],
    ["CAA", '0 issue ";"', '0 issue ";"'],
    ["TXT", "v=spf1 -all", '"v=spf1 -all"'],
    ["TXT", '"v=spf1" " -all"', '"v=spf1 -all"'],
    ["TXT", 'say "hi"', '"say \\"hi\\""'],
    ["TXT", "a".repeat(300), `"${"a".repeat(255)}" "${"a".repeat(45)}"`],
    ["TLSA", "3 1 0 AB CD", "3 1 0 abcd"],
    ["HTTPS", '1 . ipv4hint=192.0.2.1 alpn="h2,h3"', "1 . alpn=h2,h3 ipv4hint=192.0.2.1"],
    ["SVCB", "1 . ech=AEX+DQA=", "1 . ech=AEX+DQA="],
    ["DS", `1 ECDSAP256SHA256 2 ${"AB".repeat(32)}`, `1 13 2 ${"ab".repeat(32)}`],
    ["DS", `1 RSASHA512 2 ${"AB".repeat(32)}`, `1 10 2 ${"ab".repeat(32)}`],
    ["DS", `1 ecdsap256sha256 2 ${"AB".repeat(32)}`, `1 13 2 ${"ab".repeat(32)}`],
    ["LOC", "0 S 0 w 0m", "0 0 0 N 0 0 0 E 0m 1m 10000m 10m"],
    ["LOC", "52 22 23 n 4 53 32.0 E -2.00", "52 22 23 N 4 53 32 E -2m 1m 10000m 10m"],
    ["RP", String.raw`First\.Last.example.com .`, String.raw`first\.last.example.com. .`],
    ["SPF", "v=spf1 -all", '"v=spf1 -all"'],
    ["TYPE65280", String.raw`\#  04 0A00 0001`, String.raw`\# 4 0a000001`],
    ["SVCB", "1 svc.example.com port=443 alpn=h2", "1 svc.example.com. alpn=h2 port=443"],
    ["URI", "10 1 https://example.com/", '10 1 "https://example.com/"'],
    ["NAPTR", '100 10 u E2U+sip "!^.*$!sip:a@b.c!" .', '100 10 "u" "e2u+sip" "!^.*$!sip:a@b.c!" .'],
  ])("%s %s is %s", (type, content, normal) => {
    expect(normalise(type, content)).toBe(normal);
    expect(check(type, content)).toBeUndefined();
  });

  test("of a text holds the same bytes, whatever they are, in chunks of at most 255", () =>
    forDraws({}, fc.uint8Array({ maxLength: 1200 }), (bytes) => {
      const text = formatQuotedStrings(Buffer.from(bytes));
      expect(parseQuotedStrings(text)).toEqual(Buffer.from(bytes));
    }));
});

describe("a record's content is refused", () => {
  test.each([
    ["A", "192.0.2.300", /IPv4/u],
    ["A", "2001:db8::1", /IPv4/u],
    ["AAAA", "192.0.2.1", /IPv6/u],
    ["MX", "192.0.2.1", /host name, not an IP address/u],
    ["CNAME", "www", /absolute name/u],
    ["CNAME", "-bad.example.com.", /labels/u],
    ["SRV", "sip.example.com.", /weight, port and target/u],
    ["CAA", "letsencrypt.org", /flags, tag and value/u],
    ["TXT", "x".repeat(4097), /4096 bytes/u],
    ["TXT", "v=spf1 -all\n", />-/u],
    ["CNAME", "google.com/some/path", /labels/u],
    ["CNAME", ".", /the root/u],
    ["AAAA", "fe80::1%eth0", /zone index/u],
    ["HTTPS", "1 . ALPN=h2", /keys in lower case: alpn/u],
    ["HTTPS", "1 . mandatory=port alpn=h2", /port is not/u],
    ["SVCB", "1 . no-default-alpn=x alpn=h2", /no-default-alpn .*written without a value/u],
    ["SVCB", `1 . alpn=${"x".repeat(256)}`, /at most 255 bytes/u],
    ["TLSA", "3 1 1 abcd", /64 hexadecimal digits, not 4/u],
    ["TYPE1", String.raw`\# 4 0a000001`, /^its type by name: TYPE1 is A$/u],
    ["PTR", "a.example. b.example.", /^a host name$/u],
    ["MX", "a.example. b.example.", /^a host name, or . for none$/u],
    ["SVCB", "0 svc.example.com. alpn=h2", /no parameters after priority 0/u],
    ["TYPE255", String.raw`\# 0`, /no records in a zone/u],
    ["TYPE65280", String.raw`\# 4 0a00`, /2 bytes/u],
    ["RP", "info@example.com text.example.com.", /written as a name, such as info.example.com. for info@example.com/u],
    ["RP", "info.example.com.", /^mailbox and the name of a TXT record, such as/u],
    ["URI", '10 1 "www.example.com"', /the target is a URI, such as https:/u],
    ["LOC", "91 N 4 E 0m", /the latitude is at most 90 degrees/u],
    ["DS", "1 13", /^key tag, algorithm, digest type and digest$/u],
  ])("%s %s", (type, content, expected) => {
    expect(check(type, content)).toMatch(expected);
  });
});

test("parameters that end within an escape stay as they are written", () => {
  expect(normalise("SVCB", "1 . port=443 alpn=h2 \\")).toBe("1 . port=443 alpn=h2 \\");
});

test("what is expected names the zone of the record, and the form of its type", () => {
  const { content, priority } = kindNamed("dns_record").fields;
  const keyOf = (type: string) => ({ zone: "shop.test", name: "www", type });
  expect(content?.check?.("www", keyOf("CNAME"))).toContain(".shop.test.");
  expect(priority?.check?.(null, keyOf("SRV"))).toContain("such as 0 5 5060 sip.example.com., or");
  expect(priority?.check?.(null, keyOf("MX"))).toContain("such as 10 mx1.host.test., or");
});

/** For each number of a content, and each text: its largest value or length, and the content with it. */
const limits: readonly (readonly [string, number, (value: number) => string])[] = [
  ["CAA", 255, (flags) => `${flags} issue "letsencrypt.org"`],
  ["CAA", 65_535, (length) => `0 issue "${"x".repeat(length)}"`],
  ["DS", 65_535, (tag) => `${tag} 13 2 ${"ab".repeat(32)}`],
  ["DS", 255, (algorithm) => `1 ${algorithm} 2 ${"ab".repeat(32)}`],
  ["DS", 255, (digest) => `1 13 ${digest} ${"ab".repeat(32)}`],
  ["HTTPS", 65_535, (priority) => `${priority} .`],
  ["SVCB", 65_535, (port) => `1 . port=${port}`],
  ["NAPTR", 65_535, (order) => `${order} 10 "s" "SIP+D2U" "" _sip._udp.example.com.`],
  ["NAPTR", 65_535, (preference) => `10 ${preference} "s" "SIP+D2U" "" _sip._udp.example.com.`],
  ["NAPTR", 255, (length) => `1 1 "${"s".repeat(length)}" "" "" a.example.com.`],
  ["NAPTR", 255, (length) => `1 1 "s" "${"s".repeat(length)}" "" a.example.com.`],
  ["NAPTR", 255, (length) => `1 1 "s" "s" "!a!${"b".repeat(length - 4)}!" .`],
  ["SRV", 65_535, (weight) => `${weight} 5060 sip.example.com.`],
  ["SRV", 65_535, (port) => `5 ${port} sip.example.com.`],
  ["SSHFP", 255, (algorithm) => `${algorithm} 2 ${"ab".repeat(32)}`],
  ["SSHFP", 255, (type) => `4 ${type} ${"ab".repeat(32)}`],
  ["TLSA", 255, (usage) => `${usage} 1 1 ${"ab".repeat(32)}`],
  ["TLSA", 255, (selector) => `3 ${selector} 1 ${"ab".repeat(32)}`],
  ["SMIMEA", 255, (type) => `3 1 ${type} ${"ab".repeat(32)}`],
  ["TXT", 4096, (length) => "x".repeat(length)],
  ["SPF", 4096, (length) => "é".repeat(length / 2) + "x".repeat(length % 2)],
  ["URI", 65_535, (priority) => `${priority} 1 "mailto:info@example.com"`],
  ["URI", 65_535, (weight) => `1 ${weight} "mailto:info@example.com"`],
  ["URI", 65_535, (length) => `1 1 "x:${"y".repeat(length - 2)}"`],
  ["URI", 65_535, (port) => `1 1 "https://a.example:${port}/"`],
];

test.each(limits)("%s takes at most %i", (type, most, write) => {
  expect(check(type, write(most))).toBeUndefined();
  expect(check(type, write(most + 1))).toMatch(/./u);
});

test("a name in opaque data has labels of at most 63 bytes, and at most 255 bytes in all", async () => {
  const labels = fc.array(fc.integer({ min: 1, max: 66 }), { minLength: 2, maxLength: 5 });
  const examples: [number[]][] = [[[63, 1]], [[64, 1]], [[63, 63, 63, 61]], [[63, 63, 63, 62]]];
  await forDraws({ examples }, labels, (lengths) => {
    const bytes = lengths.map((length) => Buffer.from([length, ...Buffer.alloc(length, "a")]));
    const data = Buffer.concat([...bytes, Buffer.from([0])]);
    const found = check("CNAME", String.raw`\# ${data.length} ${data.toString("hex")}`);
    if (lengths.every((length) => length <= 63) && data.length <= 255) expect(found).toBeUndefined();
    else expect(found).toMatch(/data of a CNAME record/u);
  });
});

test.each([
  ["A", "192.0.2.1", []],
  ["MX", "mx1.host.test.", ["mx1.host.test"]],
  ["MX", ".", []],
  ["SRV", "5 5060 sip.example.com.", ["sip.example.com"]],
  ["SRV", "0 0 .", []],
  ["HTTPS", "1 . alpn=h2 port=443", []],
  ["SVCB", "0 svc.example.net.", ["svc.example.net"]],
  ["SVCB", "1 svc.example.net. alpn=h2 port=443", ["svc.example.net"]],
  ["NAPTR", '100 10 "s" "SIP+D2U" "" _sip._udp.example.com.', ["_sip._udp.example.com"]],
  ["NAPTR", '100 10 "u" "E2U+sip" "!^.*$!sip:a b@c.test!" .', []],
  ["URI", '10 1 "ftp://user@Files.Example.com:21/pub"', ["files.example.com"]],
  ["URI", '10 1 "mailto:info@example.com"', []],
  ["URI", '10 1 "https://192.0.2.1/"', []],
  ["URI", '10 1 "https://[2001:db8::1]/"', []],
  ["TXT", '"mx1.host.test."', []],
  ["TYPE65280", String.raw`\# 1 00`, []],
])("the hosts that %s %s points to are %j", (type, content, hosts) => {
  expect(hostsIn(type, content)).toEqual(hosts);
});

test.each([
  ["ALIAS", "a.example.", "A.EXAMPLE."],
  ["CNAME", "a.example.", "A.EXAMPLE."],
  ["DNAME", "a.example.", "A.EXAMPLE."],
  ["NS", "a.example.", "A.EXAMPLE."],
  ["PTR", "a.example.", "A.EXAMPLE."],
  ["MX", "mx.example.", "MX.EXAMPLE."],
  ["MX", "10 mx.example.", "10 MX.EXAMPLE."],
  ["SRV", "5 5060 sip.example.", "5 5060 SIP.EXAMPLE."],
  ["SRV", "10 5 5060 sip.example.", "10 5 5060 SIP.EXAMPLE."],
  ["SRV", "5060 sip.example.", "5060 sip.example."],
  ["CNAME", "10 a.example.", "10 a.example."],
  ["MX", "1 10 mx.example.", "1 10 mx.example."],
  ["TXT", "a.example.", "a.example."],
])("the host of %s %s is respelt alone: %s", (type, content, respelt) => {
  expect(respellHost(type, content, (host) => host.toUpperCase())).toBe(respelt);
});
