import { expect, test } from "vitest";
import { contentKey, readContent } from "../../src/emulator/dns/record-content.ts";
import { scan } from "../../src/emulator/dns/scan.ts";

const sha256 = "ab".repeat(32);

test.each([
  ["A", "192.0.2.1", "192.0.2.1"],
  ["AAAA", "2001:0DB8:0:0:0:0:0:1", "2001:db8::1"],
  ["AAAA", "::", "::"],
  ["CNAME", "WWW.Example.com", "www.example.com."],
  ["CNAME", "_x.example.com.", "_x.example.com."],
  ["ALIAS", "localhost", "localhost."],
  ["MX", ".", "."],
  ["MX", "mx1.example.com", "mx1.example.com."],
  ["SRV", "5  5060 Sip.example.com", "5 5060 sip.example.com."],
  ["SRV", "0 0 .", "0 0 ."],
  ["CAA", '0 Issue "ca.example; policy=ev"', '0 issue "ca.example; policy=ev"'],
  ["CAA", "0 issue ca.example", '0 issue "ca.example"'],
  ["URI", "10 1 https://example.com/", '10 1 "https://example.com/"'],
  ["CNAME", "1.0/25.2.0.192.in-addr.arpa", "1.0/25.2.0.192.in-addr.arpa."],
  ["LOC", "52 22 23.000 N 4 53 32.000 E -2.00m", "52 22 23.000 N 4 53 32.000 E -2.00m"],
  ["RP", String.raw`First\.Last.example.com .`, String.raw`first\.last.example.com. .`],
  ["TYPE65280", String.raw`\# 4 0A00 0001`, String.raw`\# 4 0a000001`],
  ["CDS", "whatever a mirror holds", "whatever a mirror holds"],
  ["DS", `12345 13 2 ${sha256.toUpperCase()}`, `12345 13 2 ${sha256}`],
  ["DS", `12345 13 2 ${sha256.slice(0, 32)} ${sha256.slice(32)}`, `12345 13 2 ${sha256}`],
  ["SSHFP", `4 2 ${sha256}`, `4 2 ${sha256}`],
  ["TLSA", `3 1 1 ${sha256}`, `3 1 1 ${sha256}`],
  ["NAPTR", '100 10 "S" "SIP+D2U" "" _sip._udp.example.com', '100 10 "S" "SIP+D2U" "" _sip._udp.example.com.'],
  ["URI", '10 1 "https://example.com/a b"', '10 1 "https://example.com/a b"'],
  ["HTTPS", "1 . alpn=h2,h3 ipv4hint=192.0.2.1", "1 . alpn=h2,h3 ipv4hint=192.0.2.1"],
  ["SVCB", "0 svc.example.net", "0 svc.example.net."],
  ["SVCB", '1 svc.example.net. key65333="a b" no-default-alpn', '1 svc.example.net. key65333="a b" no-default-alpn'],
  ["TXT", "v=spf1 -all", "v=spf1 -all"],
  ["TXT", '"a" "b"', '"a" "b"'],
  ["TXT", 'half "quoted', 'half "quoted'],
  ["TXT", "x".repeat(4096), "x".repeat(4096)],
])("%s content %j is kept as %j", (type, sent, kept) => {
  expect(readContent(type, sent)).toEqual({ content: kept });
});

test.each([
  ["A", "192.0.2"],
  ["A", "192.0.2.256"],
  ["A", "2001:db8::1"],
  ["AAAA", "192.0.2.1"],
  ["AAAA", "fe80::1%eth0"],
  ["CNAME", "."],
  ["CNAME", "a..b"],
  ["CNAME", "-a.test"],
  ["CNAME", "a b.test"],
  ["CNAME", `${"x".repeat(64)}.test`],
  ["CNAME", "https://example.com"],
  ["MX", "10 mx1.example.com."],
  ["SRV", "0 5 5060 sip.example.com."],
  ["SRV", "5 5060"],
  ["SRV", "5 65536 sip.example.com."],
  ["CAA", '256 issue "ca.example"'],
  ["CAA", '0 issue "ca.example'],
  ["CAA", '0 is-sue "ca.example"'],
  ["DS", `12345 13 2 ${sha256.slice(2)}`],
  ["DS", `12345 13 2 ${sha256}zz`],
  ["DS", "12345 13"],
  ["SSHFP", "4 2 abcd"],
  ["TLSA", "3 1 1 abc"],
  ["NAPTR", "100 10 S SIP+D2U x _sip._udp.example.com"],
  ["URI", '10 1 ""'],
  ["HTTPS", "0 svc.example.net. alpn=h2"],
  ["HTTPS", "1 . ALPN=h2"],
  ["HTTPS", "alpn=h2"],
  ["TXT", "x".repeat(4097)],
  ["TXT", "ü".repeat(2049)],
  ["TXT", "line\nbreak"],
  ["SOA", "a. b. 1 2 3 4 5"],
])("%s content %j is refused with what it must be", (type, sent) => {
  const reading = readContent(type, sent);
  expect(reading).toHaveProperty("problem");
  expect("problem" in reading && reading.problem).toMatch(/^(must be|cannot be set)/);
});

test("a word has the same octets whether its last character is escaped or not", () => {
  const characters = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code));
  for (const character of characters.filter((each) => !/[\0-\x20"\\]/u.test(each))) {
    const [word] = scan(`${character}x`) ?? [];
    expect(word).toMatchObject({ octets: Buffer.from(`${character}x`), shape: "bare" });
    expect(scan(`${character}\\x`)?.[0]?.octets).toEqual(word?.octets);
  }
  expect(["a\u0001", 'a"', "a\\"].map((text) => scan(text))).toEqual([undefined, undefined, undefined]);
});

test("a word in quotes has the octets between them, whether its last character is escaped or not", () => {
  const characters = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code));
  for (const character of characters.filter((each) => each >= " " && !/["\\]/u.test(each))) {
    const [word] = scan(`"x;${character} y"`) ?? [];
    expect(word).toEqual({ raw: `"x;${character} y"`, octets: Buffer.from(`x;${character} y`), shape: "quoted" });
    expect(scan(`"x;${character} \\y"`)).toMatchObject([{ octets: word?.octets, shape: "quoted" }]);
  }
  expect(['"a" "b"', '"a"b', '"a""b"'].map((text) => scan(text)?.map(({ shape }) => shape))).toEqual([
    ["quoted", "quoted"],
    ["mixed"],
    ["mixed"],
  ]);
});

test("texts are the same record however they are quoted, split or escaped", () => {
  const keys = ['a "b" c', '"a \\"b\\" c"', '"a " "\\"b\\" c"'].map((text) => contentKey("TXT", text));
  expect(new Set(keys)).toEqual(new Set(['a "b" c']));
});

test("a hostile text is read in linear time: one of a million characters before the test's time is over", () => {
  for (const type of ["CAA", "NAPTR", "HTTPS", "URI", "TXT"]) {
    readContent(type, `0 issue ${'"\\'.repeat(500_000)}`);
    readContent(type, " ".repeat(1_000_000));
    expect(contentKey(type, `${'"a" '.repeat(250_000)}"`)).toBeTypeOf("string");
  }
});
