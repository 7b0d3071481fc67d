import fc from "fast-check";
import {
  line,
  textOf,
  lower,
  digits,
  u8,
  u16,
  notU8,
  notU16,
  hostName,
  badHostName,
  names,
  ipv4,
  badIpv4,
  ipv6,
  badIpv6,
  anyHex,
  badHex,
  digest,
  badDigest,
  base64Of,
  badBase64,
  quoted,
  bare,
  badString,
  type Forms,
} from "./grammar.ts";
import { association, binding, location, naptr, uri, generic, text } from "./long-forms.ts";

const algorithm = fc.oneof(u8, fc.constantFrom("RSASHA256", "ECDSAP256SHA256", "ED25519", "ED448"));
/** The local part of a mailbox is any label (RFC 1183 section 2.2, RFC 2181 section 11), with or without a final dot. */
const mailbox = fc
  .tuple(
    fc.array(
      fc.constantFrom(
        ..."abzABZ019-_+=*/%!#&'?^`{|}~$".split(""),
        String.raw`\.`,
        String.raw`\043`,
        String.raw`\255`,
        String.raw`\@`,
      ),
      { minLength: 1, maxLength: 12 },
    ),
    fc.constantFrom(".example.com.", ".example.com", ".Example.COM.", ".i", ".i."),
  )
  .map(([local, domain]) => local.join("") + domain);
const badMailbox = fc
  .tuple(
    textOf(lower, 1, 5),
    fc.constantFrom(
      String.raw`\256`,
      String.raw`\999`,
      String.raw`\12`,
      "\u0000",
      "\u0001",
      "\u001f",
      "@",
      '"',
      "(",
      ";",
      "\u00a0",
    ),
    textOf(lower, 1, 5),
  )
  .map((parts) => `${parts.join("")}.example.com.`);
const dsDigests = { 1: 20, 2: 32, 3: 32, 4: 48, 5: 32, 6: 32 };
/** By type; `MX` and `SRV` without their priority, which stands apart. */
export const recordForms: Readonly<Record<string, Forms>> = {
  A: { good: ipv4, bad: badIpv4 },
  AAAA: { good: ipv6, bad: badIpv6 },
  ALIAS: names,
  CAA: {
    good: line(
      u8,
      textOf(`${lower}${digits}`, 1, 15),
      fc.oneof(quoted(0, 60), bare, fc.constant('"letsencrypt.org; validationmethods=dns-01"')),
    ),
    bad: fc.oneof(
      line(notU8, "issue", quoted(1, 5)),
      line(u8, fc.constantFrom("is-sue", '"issue"', "issue!", "ä"), quoted(1, 5)),
      line(u8, "issue", badString),
      line(u8, "issue"),
      line("issue", quoted(1, 5)),
      line(u8, "issue", quoted(1, 5), "x"),
    ),
  },
  CNAME: names,
  DHCID: {
    good: fc.oneof(
      fc
        .uint8Array({ minLength: 34, maxLength: 34 })
        .map((data) => Buffer.from([0, data[0] ?? 0, 1, ...data.slice(1, 33)]).toString("base64")),
      fc.uint8Array({ minLength: 2, maxLength: 40 }).map((data) => Buffer.from([0, 1, 7, ...data]).toString("base64")),
    ),
    bad: fc.oneof(
      badBase64,
      fc
        .constantFrom(31, 33)
        .chain((size) => fc.uint8Array({ minLength: size, maxLength: size }))
        .map((data) => Buffer.from([0, 1, 1, ...data]).toString("base64")),
      fc.constant("AAEB"),
    ),
  },
  DNAME: names,
  DS: {
    good: line(u16, algorithm, digest(dsDigests, [0, 7, 255])),
    bad: fc.oneof(
      line(notU16, u8, digest(dsDigests, [])),
      line(u16, notU8, digest(dsDigests, [])),
      line(u16, u8, notU8, anyHex),
      line(u16, u8, badDigest(dsDigests)),
      line(u16, u8, "2"),
      line(u16, "SHA256", digest(dsDigests, [])),
    ),
  },
  HTTPS: binding,
  LOC: location,
  MX: { good: fc.oneof(hostName, fc.constant(".")), bad: fc.oneof(badHostName, line(u16, hostName)) },
  NAPTR: naptr,
  NS: names,
  OPENPGPKEY: { good: base64Of(1, 300), bad: badBase64 },
  PTR: names,
  RP: {
    good: line(fc.oneof(hostName, mailbox, fc.constant(".")), fc.oneof(hostName, fc.constant("."))),
    bad: fc.oneof(
      line(fc.constantFrom("info@example.com.", "a..test.", String.raw`first\.last`, '"info".example.com.'), hostName),
      line(badMailbox, hostName),
      line(hostName, badHostName),
      line(hostName),
      line(hostName, ".", "."),
    ),
  },
  SMIMEA: association,
  SPF: text,
  SRV: {
    good: line(u16, u16, fc.oneof(hostName, fc.constant("."))),
    bad: fc.oneof(
      line(notU16, u16, hostName),
      line(u16, notU16, hostName),
      line(u16, u16, badHostName),
      line(u16, hostName),
      line(u16, u16, u16, hostName),
      line(u16, u16),
    ),
  },
  SSHFP: {
    good: line(u8, digest({ 1: 20, 2: 32 }, [0, 3, 255])),
    bad: fc.oneof(
      line(notU8, digest({ 1: 20, 2: 32 }, [])),
      line(u8, notU8, anyHex),
      line(u8, badDigest({ 1: 20, 2: 32 })),
      line(u8, "1"),
      line(u8, "3", badHex),
    ),
  },
  SVCB: binding,
  TLSA: association,
  TXT: text,
  TYPE65280: generic,
  URI: uri,
};
