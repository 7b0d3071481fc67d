import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { parseSource } from "../../../src/manifest/yaml/parse.ts";
import { positionOf, toJson } from "../../../src/manifest/yaml/written.ts";
import { places } from "../load-text.ts";
import { size } from "../../proofs/size.ts";
import { forDraws } from "../../support/for-draws.ts";

const parse = (text: string) => parseSource({ file: "site.yaml", text });

function read(text: string): unknown {
  const { root, diagnostics } = parse(text);
  expect(diagnostics).toEqual([]);
  return root && JSON.parse(JSON.stringify(toJson(root)));
}

const key = fc
  .oneof(
    fc.string({ unit: "grapheme", maxLength: 12 }),
    fc.constantFrom("constructor", "on", "0123", "1e3", "~", "a: b", "toString"),
  )
  .filter((text) => text !== "__proto__" && text !== "<<");
const { tree } = fc.letrec<{ tree: unknown; node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(fc.string({ unit: "grapheme" }), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie("node"), { maxLength: 4 }),
    tie("tree"),
  ),
  tree: fc.dictionary(key, tie("node"), { maxKeys: 5, noNullPrototype: true }),
}));

describe("a text that is a manifest", () => {
  test("reads back as the tree it was printed from, in indented form", () =>
    forDraws({}, tree, (value) => {
      expect(read(stringify(value, { aliasDuplicateObjects: false }))).toEqual(value);
    }));

  test("reads back as the tree it was printed from, as JSON", () =>
    forDraws({}, tree, (value) => {
      expect(read(JSON.stringify(value, null, 2))).toEqual(value);
    }));

  test("keeps the source text of keys that YAML would read as numbers, booleans or null", () => {
    expect(read("0123: a\n1e3: a\n1.0: a\non: a\nnull: a\n~: a\n0x1F: a\n'q': a\n")).toEqual(
      Object.fromEntries(["0123", "1e3", "1.0", "on", "null", "~", "0x1F", "q"].map((name) => [name, "a"])),
    );
  });

  test("keeps the source text of plain scalars beside their value", () => {
    const { root } = parse("a: 8.10\nb: '8.10'\n");
    expect(root?.entries.get("a")?.value).toMatchObject({ value: 8.1, text: "8.10", plain: true });
    expect(root?.entries.get("b")?.value).toMatchObject({ value: "8.10", text: "8.10", plain: false });
  });

  test("is YAML 1.2: yes, no, on and off are text", () => {
    expect(read("a: yes\nb: off\nc: true\nd: 0o17\ne: 2026-01-01\n")).toEqual({
      a: "yes",
      b: "off",
      c: true,
      d: 15,
      e: "2026-01-01",
    });
  });

  test("copies what an alias names, with the place of the alias", () => {
    const { root } = parse("a: &x { ttl: 60 }\nb: *x\n");
    const [a, b] = [root?.entries.get("a")?.value, root?.entries.get("b")?.value];
    expect(a && toJson(a)).toEqual(b && toJson(b));
    expect(b).not.toBe(a);
    expect(b && positionOf(b)).toMatchObject({ line: 2, col: 4 });
  });

  test("treats constructor and toString as keys like any other", () => {
    const { root } = parse("constructor: 1\ntoString: 2\n");
    expect(root && Object.entries(toJson(root) ?? {})).toEqual([
      ["constructor", 1],
      ["toString", 2],
    ]);
  });

  test.each(["", "# only a comment\n", "---\n", "\n\n  \n"])("may be empty: %j", (text) => {
    expect(parse(text)).toEqual({ root: undefined, diagnostics: [] });
  });

  test.each(["---\na: 1\n...\n", "%YAML 1.2\n---\na: 1\n"])("may have the marks of a YAML stream: %j", (text) => {
    expect(read(text)).toEqual({ a: 1 });
  });
});

describe("positions", () => {
  const at = (text: string, name: string) => {
    const entry = parse(text).root?.entries.get(name);
    return entry && positionOf(entry.value);
  };

  test("count lines alike with LF and CRLF", () => {
    expect(at("a: 1\r\n\r\nb: two\r\n", "b")).toEqual({ file: "site.yaml", line: 3, col: 4, endCol: 7 });
    expect(at("a: 1\n\nb: two\n", "b")).toEqual({ file: "site.yaml", line: 3, col: 4, endCol: 7 });
  });

  test("count UTF-16 units before the place", () => {
    expect(at('{"😀": 1, b: 2}', "b")).toMatchObject({ line: 1, col: 14, endCol: 15 });
  });

  test("end on the line on which they begin", () => {
    expect(at("a: |\n  x\n  y\n", "a")).toMatchObject({ line: 1, col: 4, endCol: 5 });
  });
});

describe("a text that is not", () => {
  test.each([
    ["a tab as indentation", "a:\n\tb: 1\n", ["tab_indentation 2:1"], /spaces/u],
    ["a tab before a list item", "a:\n  - 1\n\t- 2\n", ["tab_indentation 3:1"], /spaces/u],
    ["a quote that is never closed, at the quote", 'a: 1\nb: "abc\nc: 2\n', ["yaml_syntax 2:4"], /close the quote/u],
    ["a key without a colon", "a: 1\nfoo\nb: 2\n", ["yaml_syntax 2:1"], /colon/u],
    ["an indentation that fits nothing", "a:\n    b: 1\n   c: 2\n", ["yaml_syntax 3:4"], /same column/u],
    ["a key indented below a value", "a: x\n  b: 1\nc: 2\n", ["yaml_syntax 2:3"], /same column/u],
    ["a key indented below an item's value", "- a: x\n\n    b: {c: 1}\n", ["yaml_syntax 3:5"], /same column/u],
    ["a key indented below a comment", "a: x\n# y\n  b: 1\n", ["yaml_syntax 3:3"], /same column/u],
    ["a key indented below a value with quotes", "a: 'x'\n  # y\n  b: 1\n", ["yaml_syntax 3:3"], /same column/u],
    ["a key indented below a value with an anchor", "a: &x y\n  b: 1\n", ["yaml_syntax 2:3"], /same column/u],
    ["an item indented below a value with quotes", "a: 'x'\n  - b\n", ["yaml_syntax 2:3"], /same column/u],
    ["a key between an item's dash and its keys", "- a: x\n b: 1\n", ["yaml_syntax 2:2"], /same column/u],
    ["two colons on a line", "a: b: c\n", ["yaml_syntax 1:4"], /quotes/u],
    ["a value that begins with @", "a: @x\n", ["yaml_syntax 1:4"], /quotes/u],
    ["an escape that is none", 'a: "\\q"\n', ["yaml_syntax 1:5"], /double the backslash/u],
    ["a comment that touches a value", "a: 'x'#y\n", ["yaml_syntax 1:7"], /space before #/u],
    ["a brace that is never closed", "a: {b: 1\nc: 2\n", ["yaml_syntax 2:1"], /bracket/u],
    ["a bracket too many", "a: 1}\nb: {c: 1}}\n", ["yaml_syntax 2:10"], /bracket/u],
    ["a list on the line of its key", "a: - b\n", ["yaml_syntax 1:4"], /next line/u],
    ["an indented list inside braces", "a: {\n - b\n }\n", ["yaml_syntax 2:2"], /brackets too/u],
    ["two documents", "a: 1\n---\nb: 2\n", ["several_documents 2:1"], /file of its own/u],
    ["a directive", "%YAML 1.1\n---\na: on\n", ["unsupported_directive 1:1"], /leave out/u],
    ["a tag on a value", "a: !!js/function 'x'\n", ["unsupported_tag 1:4"], /tag/u],
    ["a tag on a map", "a: !foo {b: 1}\n", ["unsupported_tag 1:4"], /tag/u],
    ["a merge key", "a: &x {b: 1}\nc:\n  <<: *x\n", ["unsupported_merge_key 3:3"], /write the keys out/u],
    ["a list as a key", "? [a]\n: 1\n", ["unsupported_key 1:3"], /quote/u],
    ["an alias as a key", "a: &x y\n*x : 3\n", ["unsupported_key 2:1"], /quote/u],
    ["a colon without a key", ": 1\n", ["unsupported_key 1:1"], /key/u],
    ["__proto__ as a key", "a: {__proto__: {b: 1}}\n", ["forbidden_key 1:5"], /remove/u],
    ["an alias of nothing", "a: *.example\n", ["unknown_alias 1:4"], /quotes/u],
    ["an alias inside its own anchor", "a: &a [*a]\n", ["endless_alias 1:8"], /write the value out/u],
    ["a list at the root", "- a\n", ["no_map 1:1"], /a key and its value/u],
    ["a value at the root", "hello\n", ["no_map 1:1"], /a key and its value/u],
  ])("is reported: %s", (_, text, expected, hint) => {
    const { diagnostics } = parse(text);
    expect(places(diagnostics)).toEqual(expected);
    expect(diagnostics[0]?.hint).toMatch(hint);
  });

  test("reports every duplicate key, with the first place", () => {
    const { root, diagnostics } = parse("a: 1\nb: 2\na: 3\nc: {a: 1, 'a': 2}\n");
    expect(places(diagnostics)).toEqual(["duplicate_key 3:1", "duplicate_key 4:11"]);
    expect(diagnostics[0]?.related).toEqual([
      { at: expect.objectContaining({ line: 1, col: 1 }), message: "first written here" },
    ]);
    expect(root && toJson(root)).toMatchObject({ a: 1, c: { a: 1 } });
  });

  test("has one diagnostic a line, and not more than fifty and a note", () => {
    expect(places(parse("a: @x @y\nb: @z\n").diagnostics)).toEqual(["yaml_syntax 1:4", "yaml_syntax 2:4"]);
    const { diagnostics } = parse("a: @\n".repeat(5000));
    expect(diagnostics).toHaveLength(51);
    expect(diagnostics.at(-1)?.summary).toBe("More lines of site.yaml do not parse");
  });

  test("never makes the reader throw", async () => {
    const piece = fc.constantFrom(
      "a",
      ": ",
      "- ",
      "\n",
      "  ",
      "{",
      "}",
      "[",
      "]",
      ",",
      '"',
      "'",
      "&a ",
      "*a",
      "!t ",
      "#",
      "|",
      ">",
      "\t",
      "? ",
      "---\n",
      "%",
      "\u0000",
      "\ud800",
    );
    const line = fc.constantFrom(
      "a: x\n",
      "b: [x, {c: y}]\n",
      "c:\n  - a: 'x'\n",
      "d: |\n  x\n",
      "e: &a {}\n",
      "f: # x\n",
    );
    /** A manifest with a few pieces in it, which has mostly values that are read all the same. */
    const mostly = fc
      .tuple(fc.uniqueArray(line), fc.nat(30), fc.array(piece, { maxLength: 2 }))
      .map(([lines, at, pieces]) => {
        const text = lines.join("");
        return [text.slice(0, at), ...pieces, text.slice(at)];
      });
    await forDraws(500, fc.oneof(fc.array(piece, { maxLength: 40 }), mostly), (pieces) => {
      const { root, diagnostics } = parse(pieces.join(""));
      for (const { at, hint } of diagnostics) {
        expect(at?.line).toBeGreaterThan(0);
        expect(hint).toBeTruthy();
      }
      if (root) toJson(root);
    });
  });
});

describe("a hostile text", () => {
  const levels = (count: number) => Array.from({ length: count }, (_, level) => `${" ".repeat(level)}a:\n`).join("");

  test.each([
    ["brackets", "[".repeat(10_000)],
    ["braces", `a: ${"{a: ".repeat(10_000)}`],
    ["indentation", levels(2000)],
    ["dashes on one line", "- ".repeat(10_000)],
  ])("of 10,000 levels is refused: %s", (_, text) => {
    expect(parse(text).diagnostics.map(({ code }) => code)).toEqual(["too_deep"]);
  });

  test("may be 64 levels deep and not 65", () => {
    expect(parse(levels(64)).diagnostics).toEqual([]);
    expect(places(parse(levels(65)).diagnostics)).toEqual(["too_deep 65:65"]);
  });

  test("cannot blow up through aliases of aliases", () => {
    const names = Array.from("abcdefghijkl");
    const bomb = names.map(
      (name, index) =>
        `${name}: &${name} [${Array(9)
          .fill(index === 0 ? "x" : `*${names[index - 1]}`)
          .join(", ")}]`,
    );
    const { root, diagnostics } = parse(bomb.join("\n"));
    expect(diagnostics.map(({ code }) => code)).toEqual(["too_many_aliases"]);
    expect(JSON.stringify(root && toJson(root)).length).toBeLessThan(5_000_000);
  });

  test("cannot repeat one alias without end", () => {
    expect(parse(`a: &a x\nb: [${"*a, ".repeat(5000)}]\n`).diagnostics.map(({ code }) => code)).toEqual([
      "too_many_aliases",
    ]);
  });

  test("is left after the first thousand errors", () => {
    expect(parse("]".repeat(200_000)).diagnostics).toHaveLength(1);
  });

  test.runIf(size.whole)("with 20,000 keys names the last one, a duplicate", () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}: v\n`).join("");
    expect(places(parse(`${keys}k0: v\n`).diagnostics)).toEqual(["duplicate_key 20001:1"]);
  });
});

test.each([
  ['a: "\\ud800"', 1],
  ['"\\udfff": 1', 1],
  ['a: ["x\\ud83d", "\\ude00"]', 2],
  ['{"a": {"\\uD800b": "ok"}}', 1],
  ['a: "\\ud83d\\ude00 \\u00e4 \\\\ud800"', 0],
  ["a: \\ud800", 0],
])("half a character is an error at its place, in texts and keys: %s", (text, count) => {
  const { diagnostics } = parseSource({ file: "m.yaml", text });
  const found = diagnostics.filter(({ code }) => code === "half_character");
  expect(found).toHaveLength(count);
  for (const { at } of found) expect(at).toBeDefined();
});
