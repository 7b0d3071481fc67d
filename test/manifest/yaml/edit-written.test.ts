import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { applyEdits, editsTo, NotInPlace } from "../../../src/manifest/yaml/edit-written.ts";
import { parseSource } from "../../../src/manifest/yaml/parse.ts";
import { memberOf, toJson, type WrittenMap, type WrittenNode } from "../../../src/manifest/yaml/written.ts";
import type { Json } from "../../../src/model/json.ts";
import { isObject } from "../../../src/model/json-pointer.ts";
import { forDraws } from "../../support/for-draws.ts";

/** The forms of an RRset in a manifest: an item, a list of items, and either with a TTL. */
const items = fc.oneof(
  fc.constantFrom<Json>("a", "b", "c d"),
  fc.record(
    {
      flags: fc.constant("128"),
      priority: fc.constantFrom("10", "20"),
      value: fc.constantFrom("mx1.", "mx2."),
      comment: fc.constant("old # and new"),
    },
    { requiredKeys: ["value"] },
  ),
);
const values = fc.oneof(
  items,
  fc.uniqueArray(items, { minLength: 1, maxLength: 4, selector: (item) => JSON.stringify(item) }),
);
const bodies: fc.Arbitrary<Json> = fc.oneof(values, fc.record({ ttl: fc.constantFrom("60", "300"), values }));

type Style = "brackets" | "lines" | "lists not indented" | "texts on lines of their own";
const styles = fc.constantFrom<Style>("brackets", "lines", "lists not indented", "texts on lines of their own");
const textOf = (value: Json, style: Style) =>
  style === "brackets"
    ? `a: { is: ${JSON.stringify(value)}, b: 1 }\n`
    : stringify(
        { a: { is: value, b: 1 } },
        {
          indentSeq: style !== "lists not indented",
          defaultKeyType: "PLAIN",
          defaultStringType: style === "texts on lines of their own" ? "BLOCK_FOLDED" : "PLAIN",
        },
      );

function read(text: string): readonly [tree: WrittenMap, body: WrittenNode] {
  const { root } = parseSource({ file: "a.yaml", text });
  const body = memberOf(memberOf(root, "a"), "is");
  if (!root || !body) throw new Error(`not a manifest: ${text}`);
  return [root, body];
}

/** A list of one value means that value, and lists of the API have no order. */
function meaning(value: Json): Json {
  if (Array.isArray(value))
    return value.length === 1
      ? meaning(value[0] ?? null)
      : value.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return isObject(value) && "values" in value ? { ...value, values: meaning(value["values"] ?? null) } : value;
}

test("a written value becomes one of any other form, in brackets or in lines", () =>
  forDraws(3200, bodies, bodies, styles, (before, after, style) => {
    const { text, is } = editedBy(textOf(before, style), after);
    expect(is, text).toEqual(meant(after));
  }));

const hosts = fc.record(
  { value: fc.constantFrom("mx1.", "mx2.", "mx3."), priority: fc.constantFrom("10", "20"), flags: fc.constant("1") },
  { requiredKeys: ["value"] },
);
const hostLists = fc.uniqueArray(hosts, { minLength: 1, maxLength: 3, selector: ({ value }) => value });

describe("an item that stays", () => {
  test("keeps its lines and their comments, whatever comes or goes beside it", () =>
    forDraws(3200, hostLists, hostLists, (before, after) => {
      const linesOf = (item: (typeof before)[number]) =>
        Object.entries(item)
          .map(([key, value], at) => `${at === 0 ? "  - " : "    "}${key}: "${value}" # ${before.indexOf(item)}\n`)
          .join("");
      const { text, is } = editedBy(`a:\n  is:\n${before.map(linesOf).join("")}  b: 1\n`, after);
      expect(is, text).toEqual(meant(after));
      const stay = before.filter((item) => after.some((other) => isDeepStrictEqual(item, other)));
      for (const item of stay) expect(text).toContain(linesOf(item));
    }));

  test("keeps its text in brackets, whatever comes or goes beside it", () =>
    forDraws(3200, hostLists, hostLists, (before, after) => {
      const { text, is } = editedBy(textOf(before, "brackets"), after);
      expect(is, text).toEqual(meant(after));
    }));
});

/** The whole of a text in which a value was edited. */
const meant = (value: Json) => ({ a: { is: meaning(value), b: 1 } });

function editedBy(before: string, after: Json) {
  const [, body] = read(before);
  const text = applyEdits({ file: "a.yaml", text: before }, editsTo(body, after));
  const { a, ...rest } = toJson(read(text)[0]) as { a: { is: Json } };
  return { text, is: { ...rest, a: { ...a, is: meaning(a.is) } } };
}

test.each(["[x, # one\n   y]", "\n  - x # one\n  - y # two", "\n  x: 1\n  # one\n  y: 2"])(
  "a value is not replaced whole where that would lose a comment: %j",
  (written) => {
    const [, body] = read(`a:\n is: ${written}\n`);
    expect(() => editsTo(body, { ttl: 60 })).toThrow(NotInPlace);
  },
);
