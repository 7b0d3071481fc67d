import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { parseAnyYaml } from "../../../src/manifest/yaml/parse.ts";
import { parseEverydayYaml } from "../../../src/manifest/yaml/parse-everyday-yaml.ts";
import type { Span, WrittenNode } from "../../../src/manifest/yaml/written.ts";
import { size } from "../../proofs/size.ts";
import { forDraws } from "../../support/for-draws.ts";

/** All that the two readers must agree in. Where a list, a map or a text ends that is known by its indentation is shown nowhere. */
function outline(node: WrittenNode): unknown {
  const { type } = node;
  const isClosed = type === "scalar" ? !/[|>]/u.test(first(node)) : /[[{]/u.test(first(node));
  const at = isClosed ? place(node) : node.start;
  if (type === "scalar") return [at, node.text, node.value, node.plain];
  if (type === "list") return [at, node.items.map(outline)];
  return [at, [...node.entries].map(([key, entry]) => [key, place(entry), outline(entry.value)])];
}

const first = ({ source, start }: Span) => source.text[start] ?? "";
const place = ({ start, end }: Span) => [start, end];

/** @returns what each reader made of the text: nothing of either where the first leaves the text to the second. */
function readBoth(text: string) {
  const source = { file: "m.yaml", text };
  const everyday = parseEverydayYaml(source);
  if (!everyday) return {};
  const { root, diagnostics } = parseAnyYaml(source);
  return { everyday: outline(everyday), any: diagnostics.length > 0 ? diagnostics : root && outline(root) };
}

const scalar = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "#", ":", "-", "'", '"', "|", ">", "1", "."), maxLength: 30 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(
    "0o17",
    "0x1F",
    "-0",
    "+1",
    "1e3",
    ".5",
    "5.",
    ".inf",
    "~",
    "Null",
    "TRUE",
    "yes",
    "1_000",
    "2026-11-22",
    "12:30",
  ),
);
const { tree } = fc.letrec<{ tree: object; node: unknown }>((tie) => ({
  node: fc.oneof({ depthSize: "small" }, scalar, fc.array(tie("node"), { maxLength: 4 }), tie("tree")),
  tree: fc.dictionary(fc.string({ unit: "grapheme", maxLength: 8 }), tie("node"), {
    maxKeys: 5,
    noNullPrototype: true,
  }),
}));
const layout = fc.record({
  indent: fc.integer({ min: 1, max: 4 }),
  lineWidth: fc.constantFrom(0, 20, 80),
  blockQuote: fc.constantFrom(true, false, "folded" as const, "literal" as const),
  collectionStyle: fc.constantFrom("any" as const, "block" as const, "flow" as const),
  indentSeq: fc.boolean(),
  nullStr: fc.constantFrom("null", "~", ""),
  flowCollectionPadding: fc.boolean(),
  singleQuote: fc.constantFrom(true, false, null),
  defaultStringType: fc.constantFrom(
    "PLAIN" as const,
    "QUOTE_DOUBLE" as const,
    "BLOCK_LITERAL" as const,
    "BLOCK_FOLDED" as const,
  ),
  aliasDuplicateObjects: fc.constant(false),
});
const printed = fc.tuple(tree, layout).map(([value, options]) => stringify(value, options));

/** Manifests, and other YAML that people wrote; two workflows have scripts of many lines, and that of a cluster several documents: they are left to the other reader. */
const folder = "examples";
const examples = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".yaml") && !/^(?:ci.(?:github|forgejo)|fleet.kubernetes)/u.test(file))
  .map((file) => readFileSync(join(folder, file), "utf8"));
const handWritten = fc.oneof(
  fc.constantFrom(...examples),
  fc.constantFrom(
    'a:\n- "b"\n- [c]\n- d: "e"\nf:\n- - g\n- h\ni: "j\\\n  k"\nl:\n- |\n  m\nn: o\n',
    "a:\n  - b: 1\n    c: [x, {y: z}, k: v, ]\n  -\n  - - 1\n    - 2\nd: {e, f: , 'g':1}\nh:\n\n  i\nk: |2-\n   l\n\nm: >+ # note\n  n\n\n  o\n\np: q\n  r\ns: 'it''s\n  t'\n",
  ),
);
const spice = fc.constantFrom(
  ...Array.from("\n ,:-#?[]{}'\"|>%@`*&!\\~0a\t\r\u0085\u2028\ufeff\u0007é😀"),
  "\ud83d",
  "\n\n",
  "  ",
  ": ",
  "- ",
  "? ",
  " #",
  "#c\n",
  "---\n",
  "...\n",
  "\r\n",
  "\n  ",
  "''",
  '""',
  "[]",
  "{}",
  "<<: ",
  ' "x" y: ',
  "\\\n\n",
  "__proto__: ",
  "%YAML 1.2\n---\n",
);
const edit = fc.record({
  at: fc.nat(),
  isAtLineEnd: fc.boolean(),
  removed: fc.integer({ min: 0, max: 3 }),
  added: fc.oneof(spice, fc.constant("")),
});
const edited = fc
  .tuple(fc.oneof(printed, handWritten), fc.array(edit, { minLength: 1, maxLength: 3 }))
  .map(([text, edits]) =>
    edits.reduce((sofar, { at, isAtLineEnd, removed, added }) => {
      const place = at % (sofar.length + 1);
      const start = isAtLineEnd ? Math.max(0, sofar.indexOf("\n", place)) : place;
      return sofar.slice(0, start) + added + sofar.slice(start + removed);
    }, text),
  );
const noise = fc.string({ unit: spice, maxLength: 30 });

describe("the reader of everyday YAML", () => {
  test.each([
    ["is printed, in every layout", printed, 1200],
    ["is printed or written by hand, and then broken", edited, 2000],
    ["has the characters of YAML in any order", noise, 4000],
  ] as const)(
    "agrees with the reader of any YAML, or leaves the text to it, where a text %s",
    async (_, texts, draws) => {
      // A failing text is large, and to shrink it takes minutes.
      await forDraws({ numRuns: size.draws(draws), endOnFailure: true }, texts, (text) => {
        const { everyday, any } = readBoth(text);
        expect(everyday).toEqual(any);
      });
    },
  );

  test.each(["", "\n", "  a\n", "\n\n", "\r\n", "  \n"])(
    "agrees in a block text that keeps its line breaks and whose last line has blanks only, after %j",
    (lines) => {
      for (const header of ["|+", ">+", "|2+", ">+2"])
        for (const end of ["", "  ", "    ", "\n  "]) {
          const { everyday, any } = readBoth(`k: ${header}\n${lines}${end}`);
          expect(everyday).toEqual(any);
        }
    },
  );

  test("reads the examples itself", () => {
    expect(examples.filter((text) => !readBoth(text).everyday)).toEqual([]);
  });
});
