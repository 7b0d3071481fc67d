import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { partsOfType, typesInParts } from "../../src/contract/spelling/content-parts.ts";
import { readField } from "../../src/contract/spelling/read-field.ts";
import { spellBody } from "../../src/contract/spelling/spell-body.ts";
import { normalValue } from "../../src/kinds/derived/normal-value.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import type { Codec, FieldContract } from "../../src/model/contract.ts";
import { jsonText, type Json, type JsonObject } from "../../src/model/json.ts";
import { forDraws } from "../support/for-draws.ts";
import { recordForms } from "../support/forms/record-forms.ts";
import { size } from "../proofs/size.ts";
import { anything, codecsFor, speltAs } from "./drawn-spellings.ts";

const record = kindNamed("dns_record");
const zones = ["example.com", "hack.af", "0/25.2.0.192.in-addr.arpa"];
const label = fc.constantFrom("www", "*", "_dmarc", "a", "xn--bcher-kva", "0");

describe("the name of a record", () => {
  const name = (zone: string) =>
    fc.oneof(
      fc.constant("@"),
      fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join(".")),
      label.map((first) => `${first}.${zone}.${zone}.`),
      fc.constant(`${zone}.${zone}.`),
    );
  const drawn = fc
    .constantFrom(...zones)
    .chain((zone) => fc.record({ zone: fc.constant(zone), name: name(zone), type: fc.constant("A") }));

  test("is the same after it was written and read, in a list and alone", async () => {
    const as = codecsFor(record, "name").filter(
      (list) => list.includes("whole_name") || list.includes("relative_name"),
    );
    await forDraws({ numRuns: size.recordForms }, as, drawn, (list, written) => {
      const key = record.naming.normalise(written);
      const { zone = "" } = key;
      const spelt = speltAs(record, { name: { at: "/name", as: list } }, key);
      const body = spellBody(spelt, {}, [
        { pointer: "/name", field: "name", value: record.naming.toFields(key)["name"] ?? "" },
      ]);
      const listed = { ...spelt, key: { zone } };
      const fields = { name: readField(listed, "name", body) ?? "", type: "A" };

      expect(record.naming.normalise(record.naming.ofLive(fields, { zone }))).toEqual(key);
    });
  });

  test.each([
    [["whole_name"], "www", "www.example.com"],
    [["whole_name"], "@", "example.com"],
    [["whole_name", "final_dot"], "@", "example.com."],
    [["final_dot", "whole_name"], "*.dev", "*.dev.example.com."],
    [["relative_name"], "www", "www"],
    [["relative_name"], "@", "@"],
    [["empty_apex", "relative_name"], "@", ""],
    [["empty_apex"], "www", "www"],
  ] as const)("as %j: %s is sent as %s", (as, name, wire) => {
    const spelt = speltAs(record, { name: { at: "/name", as } }, { zone: "example.com", name, type: "A" });
    expect(spellBody(spelt, {}, [{ pointer: "/name", field: "name", value: name }])).toEqual({ name: wire });
  });

  test.each([
    [["whole_name"], "www.other.test", "www.other.test."],
    [["whole_name"], "WWW.Example.com.", "www"],
    [["relative_name"], "www.example.com", "www.example.com.example.com."],
    [["relative_name"], "", "@"],
  ] as const)("as %j: %s is read as %s", (as, wire, name) => {
    const spelt = speltAs(record, { name: { at: "/name", as } }, { zone: "example.com" });
    expect(readField(spelt, "name", { name: wire })).toBe(name);
  });
});

describe.each(Object.keys(recordForms))("the content of %s", (type) => {
  const { good } = recordForms[type] ?? { good: fc.constant("") };
  const key = { zone: "example.com", name: "www", type };
  const parts = fc.option(
    fc.boolean().map((ownPriority) => ({
      [type]: Object.fromEntries(
        [...partsOfType(type), ...(ownPriority ? [] : ["priority"])].map((part) => [part, `/data/${part}`]),
      ),
    })),
    { nil: undefined },
  );
  const drawn = fc.record({
    content: good.map((text) => normalValue(record, "content", text, key)),
    priority: fc.option(fc.integer({ min: 0, max: 65_535 })),
    as: codecsFor(record, "content"),
    parts: typesInParts.includes(type) ? parts : fc.constant(undefined),
    hasPriority: fc.boolean(),
    stale: fc.constantFrom<JsonObject>(
      {},
      { content: "old", priority: 7, data: { target: "old.", value: "old", priority: 9 } },
    ),
  });
  const isPrioritised = type === "MX" || type === "SRV";

  test("and its priority are the same after they were written and read", () =>
    forDraws({ numRuns: size.recordForms }, drawn, ({ content, priority, as, parts: places, hasPriority, stale }) => {
      const fields: Record<string, FieldContract> = {
        type: { at: "/type" },
        content: { at: "/content", ...(as.length > 0 && { as }), ...(places && { parts: places }) },
        ...(hasPriority && { priority: { at: "/priority" } }),
      };
      const spelt = speltAs(record, fields, key);
      const values = [
        { pointer: "/content", field: "content", value: content },
        ...(isPrioritised ? [{ pointer: "/priority", field: "priority", value: priority ?? 10 }] : []),
      ];
      const isInside = places?.[type] ? "priority" in places[type] : as.includes("priority_inside");
      if (isPrioritised && !hasPriority && !isInside) return;
      const body = { ...spellBody(spelt, { ...stale, type }, values) };
      const listed = { ...spelt, key: { zone: "example.com" } };
      const back = readField(listed, "content", body) ?? null;
      if (isHeld(content, as, places !== undefined)) expect(normalValue(record, "content", back, key)).toEqual(content);
      if (isPrioritised) expect(readField(listed, "priority", body)).toBe(priority ?? 10);
      if (isPrioritised) {
        const again = spellBody(spelt, body, [{ pointer: "/priority", field: "priority", value: 77 }]);
        expect(readField(listed, "priority", again)).toBe(77);
        expect(normalValue(record, "content", readField(listed, "content", again) ?? null, key)).toEqual(content);
      }
    }));

  test("is decoded whatever a server sends", () =>
    forDraws(30, codecsFor(record, "content"), parts, anything, anything, (as, places, value, other) => {
      const spelt = speltAs(
        record,
        { type: { at: "/type" }, content: { at: "/content", as, ...(places && { parts: places }) } },
        { zone: "example.com" },
      );
      const raw = { type, content: value, data: other };
      expect(() => [
        normalValue(record, "content", readField(spelt, "content", raw) ?? null, key),
        readField(spelt, "priority", raw),
        readField(spelt, "content", { type: other, content: value }),
      ]).not.toThrow();
    }));
});

/** Bytes that are not UTF-8 have no plain text. */
function isHeld(content: Json, as: readonly Codec[], inParts: boolean): boolean {
  const bytes = /\\[0-9]{3}/u.test(jsonText(content));
  return !bytes || !(as.includes("plain_text") || inParts);
}

describe("the text of a TXT", () => {
  const key = { zone: "example.com", name: "@", type: "TXT" };
  const spf = '"v=spf1 -all"';
  const sentAs = (as: readonly Codec[] | undefined, value: string) =>
    spellBody(speltAs(record, { content: { at: "/content", ...(as && { as }) } }, key), {}, [
      { pointer: "/content", field: "content", value: normalValue(record, "content", value, key) },
    ])["content"];
  const readAs = (as: readonly Codec[] | undefined, content: string) =>
    normalValue(
      record,
      "content",
      readField(speltAs(record, { content: { at: "/content", ...(as && { as }) } }, key), "content", { content }) ??
        null,
      key,
    );

  test("is sent plain or quoted as the contract says", () => {
    expect(sentAs(undefined, "v=spf1 -all")).toBe(spf);
    expect(sentAs(["quoted_text"], "v=spf1 -all")).toBe(spf);
    expect(sentAs(["plain_text"], spf)).toBe("v=spf1 -all");
    expect(sentAs(["plain_text"], "x".repeat(600))).toBe("x".repeat(600));
    expect(sentAs(["quoted_text"], "x".repeat(300))).toBe(`"${"x".repeat(255)}" "${"x".repeat(45)}"`);
    expect(sentAs(["plain_text"], String.raw`"a \"b\" \\c"`)).toBe(String.raw`a "b" \c`);
  });

  test("differs from one whose quotes a server publishes, where the contract says that it stores texts as they come", () => {
    expect(readAs(["plain_text"], spf)).not.toBe(spf);
    expect(readAs(["plain_text"], "v=spf1 -all")).toBe(spf);
    expect(readAs(["quoted_text"], spf)).toBe(spf);
    expect(readAs(undefined, "v=spf1 -all")).toBe(spf);
  });
});
