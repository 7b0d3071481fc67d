import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readContent } from "../../src/emulator/dns/record-content.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import { recordTypes } from "../../src/kinds/dns/record-types.ts";
import { openFields } from "../../src/model/body.ts";
import { jsonText } from "../../src/model/json.ts";
import { readDesired } from "../../src/manifest/read/desired.ts";
import { parseManifest } from "../../src/manifest/load.ts";
import type { WrittenMap } from "../../src/manifest/yaml/written.ts";
import { forDraws } from "../support/for-draws.ts";
import { recordForms } from "../support/forms/record-forms.ts";
import { encode, NotInWireFormat, opaque } from "../support/forms/wire.ts";
import { writtenRecord } from "../support/forms/written-record.ts";
import { size } from "../proofs/size.ts";

/** Data of known types that is written as opaque bytes means the same as the form of the type (RFC 3597 section 5). */
const { content } = kindNamed("dns_record").fields;
const key = (type: string) => ({ zone: "example.com", name: "www", type });
const normal = (type: string, text: string) => jsonText(content?.normalise?.(text, key(type)));
const refusal = (type: string, text: string) => content?.check?.(text, key(type));
const sent = (type: string, text: string) =>
  jsonText(content?.sent?.(text, normal(type, text), key(type)) ?? normal(type, text));
const served = (type: string, text: string) => readContent(type, text);

const numRuns = size.recordForms;
const types = [...recordTypes.keys()].filter((type) => type !== "ALIAS");
const isPrioritised = (type: string) => type === "MX" || type === "SRV";

/** Contents that the grammar of a type allows, with their data. */
const encoded = (type: string) =>
  fc
    .tuple(recordForms[type]?.good ?? fc.constant(""), fc.integer({ min: 0, max: 65_535 }))
    .map(([text, priority]) => ({ text, data: dataOf(type, isPrioritised(type) ? `${priority} ${text}` : text) }))
    .filter((each): each is { text: string; data: Buffer } => each.data !== undefined);

function dataOf(type: string, text: string): Buffer | undefined {
  try {
    return encode(type, text);
  } catch (error) {
    if (error instanceof NotInWireFormat) return undefined;
    throw error;
  }
}

describe.each(types)("%s as opaque bytes", (type) => {
  test("means what the form of the type means, for the client and for the service", () =>
    forDraws({ numRuns }, encoded(type), fc.boolean(), ({ text, data }, isSplit) => {
      const written = isSplit
        ? opaque(data)
            .replaceAll(/([0-9a-f]{6})(?=.)/gu, "$1 ")
            .toUpperCase()
        : opaque(data);
      expect(refusal(type, written), `validate refuses ${written} for ${text}`).toBeUndefined();
      expect(normal(type, written)).toBe(normal(type, text));
      expect(served(type, sent(type, written))).toHaveProperty("content");
      const stored = served(type, written);
      expect(stored, `the service refuses ${written} for ${text}`).toHaveProperty("content");
      if ("content" in stored) expect(normal(type, stored.content)).toBe(normal(type, text));
    }));

  test("is refused if the length or the data is wrong, by both or by none", async () => {
    const altered = fc
      .tuple(encoded(type), fc.nat(), fc.nat({ max: 255 }), fc.constantFrom("set", "cut", "add", "drop"))
      .map(([{ data }, at, byte, how]) => {
        const place = at % (data.length + 1);
        const piece = how === "cut" ? [] : [byte];
        const after = how === "add" ? place : how === "cut" ? data.length : place + 1;
        return Buffer.concat([data.subarray(0, place), Buffer.from(piece), data.subarray(after)]);
      });
    await forDraws({ numRuns: 3 * numRuns }, altered, fc.integer({ min: -2, max: 2 }), (data, off) => {
      const written = opaque(data).replace(/\d+/u, String(data.length + off));
      const refused = refusal(type, written) !== undefined;
      if (off !== 0) expect(refused, written).toBe(true);
      expect("problem" in served(type, written), `${written} refused by validate: ${refused}`).toBe(refused);
      const once = normal(type, written);
      expect(normal(type, once)).toBe(once);
      if (!refused) expect(refusal(type, once), `${written} means ${once}`).toBeUndefined();
    });
  });
});

/** The members of the only record set of a manifest, and its mistakes. */
function read(record: string) {
  const text = `version: 1\nname: x\ndns:\n  example.com:\n    records:\n      www:\n        ${record}\n`;
  const { tree, diagnostics } = parseManifest([{ file: "m.yaml", text }]);
  expect(diagnostics, text).toEqual([]);
  const { desired, diagnostics: found } = readDesired(tree as WrittenMap, () => ({ missing: "it is not set" }));
  const [members = []] = [...desired.resources.values()].flatMap((each) => (each.members ? [each.members] : []));
  const mistakes = found.filter(({ severity }) => severity === "error");
  return {
    fields: members.map(({ fields }) => openFields(fields)),
    mistakes: mistakes.map(({ code, at }) => `${code} ${at?.col}`),
  };
}

describe("a manifest", () => {
  const drawn = fc
    .constantFrom(...types.filter((type) => type !== "DS"))
    .chain((type) => fc.tuple(fc.constant(type), encoded(type)));

  test("has the same records whether it writes bytes or the form of the type, and a wrong length at its place", () =>
    forDraws({ numRuns: 3 * numRuns }, drawn, ([type, { text, data }]) => {
      const own = writtenRecord(type, text);
      // A null MX has the priority 0, and writtenRecord writes no other.
      const bytes = isPrioritised(type) ? Buffer.concat([Buffer.from([0, 0]), data.subarray(2)]) : data;
      // A text may not begin a reference of the manifest.
      fc.pre(own !== undefined && !own.includes("${"));
      const written = read(`${type}: '${opaque(bytes)}'`);
      expect(written).toEqual(read(own ?? ""));
      const wrong = opaque(bytes).replace(/\d+/u, (length) => String(Number(length) + 1));
      expect(read(`${type}: '${wrong}'`).mistakes).toContain(`invalid_value ${11 + type.length}`);
    }));

  test.each([
    ["MX", String.raw`{ priority: 10, value: '\# 6 000a026d7800' }`, []],
    ["MX", String.raw`{ priority: 5, value: '\# 6 000a026d7800' }`, ["priority_differs 9"]],
    ["MX", String.raw`['\# 6 000a026d7800', { priority: 20, value: mx.example.net. }]`, []],
    ["MX", String.raw`['\# 6 000a026d7800', { priority: 20, value: mx. }]`, ["duplicate_value 9"]],
    ["TXT", String.raw`'\# text that begins so'`, ["invalid_value 14"]],
    ["TXT", String.raw`'"\\# text that begins so"'`, []],
    ["CNAME", String.raw`'\# 2 c00c'`, ["invalid_value 16"]],
    ["TLSA", String.raw`'\# 4 030101ab'`, ["invalid_value 15"]],
    ["ALIAS", String.raw`'\# 3 017800'`, ["invalid_value 16"]],
  ])("%s: %s has the mistakes %j", (type, value, mistakes) => {
    expect(read(`${type}: ${value}`).mistakes).toEqual(mistakes);
  });
});

test("a live record in bytes has the priority of its bytes", () => {
  const fields = { type: "MX", content: String.raw`\# 6 000a026d7800`, priority: null };
  expect(kindNamed("dns_record").listing?.correct?.(fields)).toMatchObject({ priority: 10 });
  expect(normal("MX", fields.content)).toBe("mx.");
});

test("opaque bytes in which a name has no end are refused", () => {
  expect(refusal("CNAME", String.raw`\# 5 0361626300`)).toBeUndefined();
  expect(refusal("CNAME", String.raw`\# 5 0361626305`)).toBeDefined();
});
