import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { applyEdits, editsTo } from "../../../src/manifest/yaml/edit-written.ts";
import { parseSource } from "../../../src/manifest/yaml/parse.ts";
import { memberOf, toJson, type WrittenMap, type WrittenNode } from "../../../src/manifest/yaml/written.ts";
import type { Json } from "../../../src/model/json.ts";
import { isObject } from "../../../src/model/json-pointer.ts";
import { forDraws } from "../../support/for-draws.ts";

/** The forms of an RRset in a manifest: an item, a list of items, and either with a TTL. */
const items = fc.oneof(
  fc.constantFrom<Json>("a", "b", "c d"),
  fc.record({ priority: fc.constantFrom("10", "20"), value: fc.constantFrom("mx1.", "mx2.") }),
);
const values = fc.oneof(
  items,
  fc.uniqueArray(items, { minLength: 1, maxLength: 3, selector: (item) => JSON.stringify(item) }),
);
const bodies: fc.Arbitrary<Json> = fc.oneof(values, fc.record({ ttl: fc.constantFrom("60", "300"), values }));

const textOf = (value: Json, isFlow: boolean) =>
  isFlow ? `a: { is: ${JSON.stringify(value)}, b: 1 }\n` : stringify({ a: { is: value, b: 1 } });

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
  forDraws(500, bodies, bodies, fc.boolean(), (before, after, isFlow) => {
    const text = textOf(before, isFlow);
    const [, body] = read(text);
    const edited = applyEdits({ file: "a.yaml", text }, editsTo(body, after));
    const [tree, now] = read(edited);
    expect(meaning(toJson(now)), edited).toEqual(meaning(after));
    expect(JSON.stringify(toJson(tree))).toMatch(/"b":1\}\}$/u);
  }));
