import { describe, expect, test } from "vitest";
import {
  joinParts,
  partsOfType,
  readParts,
  splitParts,
  typesInParts,
} from "../../src/contract/spelling/content-parts.ts";
import { setPointer } from "../../src/model/json-pointer.ts";
import type { JsonObject } from "../../src/model/json.ts";

/** A content of each type in its normal form, and its parts by their names. */
const contents: Readonly<Record<string, readonly [content: string, parts: JsonObject]>> = {
  A: ["192.0.2.1", { address: "192.0.2.1" }],
  AAAA: ["2001:db8::1", { address: "2001:db8::1" }],
  ALIAS: ["a.example.", { target: "a.example." }],
  CAA: ['0 issue "ca.test; x=1"', { flags: 0, tag: "issue", value: "ca.test; x=1" }],
  CNAME: ["a.example.", { target: "a.example." }],
  DNAME: ["a.example.", { target: "a.example." }],
  DS: ["12345 13 2 abcd", { key_tag: 12_345, algorithm: 13, digest_type: 2, digest: "abcd" }],
  HTTPS: ["1 . alpn=h2 port=443", { priority: 1, target: ".", value: "alpn=h2 port=443" }],
  MX: ["mx.example.", { target: "mx.example." }],
  NAPTR: [
    '100 10 "u" "e2u+sip" "!^.*$!sip:a@b.c!" .',
    { order: 100, preference: 10, flags: "u", service: "e2u+sip", regexp: "!^.*$!sip:a@b.c!", replacement: "." },
  ],
  NS: ["ns.example.", { target: "ns.example." }],
  PTR: ["a.example.", { target: "a.example." }],
  SMIMEA: ["3 1 0 abcd", { usage: 3, selector: 1, matching_type: 0, certificate: "abcd" }],
  SPF: ['"v=spf1 -all"', { text: "v=spf1 -all" }],
  SRV: ["5 5060 sip.example.", { weight: 5, port: 5060, target: "sip.example." }],
  SSHFP: ["4 2 abcd", { algorithm: 4, type: 2, fingerprint: "abcd" }],
  SVCB: ["1 svc.example. port=443", { priority: 1, target: "svc.example.", value: "port=443" }],
  TLSA: ["3 1 1 abcd", { usage: 3, selector: 1, matching_type: 1, certificate: "abcd" }],
  TXT: [`"${"a".repeat(255)}" "b c"`, { text: `${"a".repeat(255)}b c` }],
  URI: ['10 1 "https://a.example/"', { priority: 10, weight: 1, target: "https://a.example/" }],
};

const pointersOf = (type: string) => Object.fromEntries(partsOfType(type).map((name) => [name, `/${name}`]));

describe.each(typesInParts.map((type) => [type, ...(contents[type] ?? ["", {}])] as const))(
  "the content of %s",
  (type, content, parts) => {
    test("is taken into its parts, and put together from them", () => {
      const split = splitParts(type, pointersOf(type), content) ?? [];
      expect(split.reduce<JsonObject>((raw, [pointer, value]) => setPointer(raw, pointer, value), {})).toEqual(parts);
      expect(joinParts(type, pointersOf(type), parts)).toBe(content);
    });

    test("is not in parts if one of them is missing", () => {
      for (const missing of Object.keys(parts)) {
        const { [missing]: _part, ...others } = parts;
        expect(joinParts(type, pointersOf(type), others)).toBeUndefined();
        const { [missing]: _pointer, ...pointers } = pointersOf(type);
        expect(splitParts(type, pointers, content)).toBeUndefined();
      }
      expect(splitParts(type, pointersOf(type), "")).toBeUndefined();
    });
  },
);

test("a text with several parts is read only if it holds as many words", () => {
  const read = (words: string) => readParts({ "weight port": "/words" }, { words });
  expect(read("5 5060")).toEqual({ weight: 5, port: 5060 });
  expect([read("5"), read("5 5060 more")]).toEqual([{}, {}]);
});

test("a service binding without parameters ends with its target", () => {
  const parts = { priority: 0, target: "svc.example.", value: "" };
  expect(joinParts("HTTPS", pointersOf("HTTPS"), parts)).toBe("0 svc.example.");
  expect(Object.fromEntries(splitParts("HTTPS", pointersOf("HTTPS"), "0 svc.example.") ?? [])).toEqual({
    "/priority": 0,
    "/target": "svc.example.",
    "/value": "",
  });
});
