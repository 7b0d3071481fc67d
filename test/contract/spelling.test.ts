import { isDeepStrictEqual } from "node:util";
import fc, { type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import { holdsList } from "../../src/contract/spelling/fits.ts";
import { readField } from "../../src/contract/spelling/read-field.ts";
import { spellBody } from "../../src/contract/spelling/spell-body.ts";
import { normalValue } from "../../src/kinds/derived/normal-value.ts";
import { kindNamed, kinds } from "../../src/kinds/index.ts";
import type { Kind } from "../../src/kinds/kind.ts";
import type { Codec, FieldContract } from "../../src/model/contract.ts";
import type { Json } from "../../src/model/json.ts";
import type { Key } from "../../src/model/resource.ts";
import { samples } from "../kinds/samples.ts";
import { size } from "../proofs/size.ts";
import { anything, codecsFor, speltAs, texts } from "./drawn-spellings.ts";
import { forDraws } from "../support/for-draws.ts";

const keyOf: Readonly<Record<string, Key>> = {
  dns_record: { zone: "example.com", name: "www", type: "TXT" },
};
const sampleKey: Key = {
  domain: "example.com",
  service: "example.com",
  zone: "example.com",
  name: "example.com",
  local: "info",
};
const keyFor = (kind: Kind) => keyOf[kind.name] ?? sampleKey;

/** Draws values of a field in normal form: those of the samples, and whatever the normal form makes of anything. */
function canonical(kind: Kind, field: string): Arbitrary<Json> {
  const given = (samples[kind.name]?.fields[field]?.values ?? []) as readonly Json[];
  return fc
    .oneof(
      anything,
      texts,
      fc.integer({ min: 0, max: 1e7 }),
      fc.boolean(),
      fc.array(texts, { maxLength: 3 }),
      fc.constantFrom(null, ...given),
    )
    .map((value) => normalValue(kind, field, value, keyFor(kind)))
    .filter(
      (value) => isDeepStrictEqual(normalValue(kind, field, value, keyFor(kind)), value) && !Object.is(value, -0),
    );
}

/** Draws how the API holds a list: as it is, as objects with one value each, under numbered keys, or both. */
const listWords = (kind: Kind, field: string): Arbitrary<Partial<FieldContract>> =>
  holdsList(kind, field)
    ? fc.constantFrom({}, { item: "/name" }, { item: "/a/b" }, { keys: "k{n}" }, { keys: "k{n}", item: "/name" })
    : fc.constant({});

const fieldsOf = (kind: Kind) =>
  Object.keys(kind.fields).filter((name) => kind.fields[name]?.access !== "manifest_only");

describe.each(kinds.filter(({ members }) => !members).map((kind) => [kind.name, kind] as const))("%s", (_, kind) => {
  test.each(fieldsOf(kind))("%s: a value that was encoded is decoded to the value", (field) =>
    forDraws(
      { numRuns: size.recordForms },
      codecsFor(kind, field),
      canonical(kind, field),
      listWords(kind, field),
      (as, value, words) => {
        const entry = { at: "/x/0", ...(as.length > 0 && { as }), ...words };
        const spelt = speltAs(kind, { [field]: entry }, keyFor(kind));
        const body = spellBody(spelt, {}, [{ pointer: "/x/0", field, value }]);
        const back = readField(spelt, field, body);
        const normal = back === undefined ? back : normalValue(kind, field, back, keyFor(kind));
        const isOther = Object.keys(words).length > 0 && !isTexts(value);
        expect(isOther || isGivenUp(as, value) ? value : normal).toEqual(value);
      },
    ),
  );

  test.each(fieldsOf(kind))("%s: whatever a server sends, decoding does not throw", (field) =>
    forDraws(30, codecsFor(kind, field), anything, (as, value) => {
      const spelt = speltAs(
        kind,
        { [field]: { at: "/x", as, sentinel: -1, map: { true: "on", a: "b" } } },
        keyFor(kind),
      );
      expect(() => [readField(spelt, field, { x: value }), readField(spelt, field, { x: [value] })]).not.toThrow();
    }),
  );
});

const isTexts = (value: Json) => Array.isArray(value) && value.every((each) => typeof each === "string");

/** Values that are not those of the field: a codec of numbers reads a text as one. */
function isGivenUp(as: readonly Codec[], value: Json): boolean {
  const parts = Array.isArray(value) ? value : [value];
  if (as.includes("bytes") && value !== null && !Number.isSafeInteger(value)) return true;
  if (as.includes("string") || as.includes("bytes"))
    return parts.some((part) => typeof part === "string" || typeof part === "object");
  if (as.includes("integer") && parts.some((part) => typeof part === "number")) return true;
  if (as.includes("local_part"))
    return parts.some((part) => typeof part === "string" && part !== "" && !part.includes("@"));
  if (as.includes("final_dot") || as.includes("no_final_dot"))
    return parts.some((part) => typeof part === "string" && part.endsWith("."));
  return false;
}

describe("words", () => {
  const kind = kindNamed("mailbox");
  const spelt = speltAs(
    kind,
    {
      sending_enabled: { at: "/on", map: { true: "yes", false: ["blocked", "no"] } },
      quota_mb: { at: "/quota", as: ["string", "bytes"], sentinel: -1 },
      status: { at: "/status", map: { active: "ok", pending: ["starting", 2], null: "none" } },
    },
    { domain: "example.com", local: "info" },
  );

  test("are translated in both directions; of several the first is written", () => {
    const values = [
      { pointer: "/on", field: "sending_enabled", value: false },
      { pointer: "/quota", field: "quota_mb", value: 2 },
    ];
    const body = spellBody(spelt, {}, values);
    expect(body).toEqual({ on: "blocked", quota: "2097152" });
    expect(readField(spelt, "sending_enabled", body)).toBe(false);
    expect(readField(spelt, "sending_enabled", { on: "no" })).toBe(false);
    expect(readField(spelt, "sending_enabled", { on: "maybe" })).toBe("maybe");
    expect(readField(spelt, "quota_mb", body)).toBe(2);
    expect(readField(spelt, "status", { status: 2 })).toBe("pending");
    expect(readField(spelt, "status", { status: "none" })).toBe(null);
  });

  test("for none or unlimited are a value of the API", () => {
    const body = spellBody(spelt, {}, [{ pointer: "/quota", field: "quota_mb", value: null }]);
    expect(body).toEqual({ quota: -1 });
    expect(readField(spelt, "quota_mb", body)).toBe(null);
    expect(readField(spelt, "quota_mb", { quota: "-1" })).toBe(null);
  });
});
