import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { packTree, unpackTree } from "../../src/manifest/pack-tree.ts";
import { parseSource } from "../../src/manifest/parse.ts";
import { size } from "../proofs/size.ts";

const scalar = fc.constantFrom(
  "plain",
  "two words",
  "plain\n      on two lines",
  "'it''s'",
  "'quoted'",
  '"quoted"',
  '"\\u00e4 \\n \\ud83d\\ude00"',
  '"a\n\n      b"',
  "|\n      block\n       of text\n",
  ">-\n      folded\n      text\n",
  "",
  "~",
  "null",
  "true",
  "False",
  "on",
  "12",
  "-0",
  "0o17",
  "0x1F",
  "1e3",
  "-.inf",
  ".nan",
  "3.140",
  "12345678901234567890",
  "ä😀",
  "# only a comment",
);
const flow = fc.constantFrom("[]", "{}", "[a, 'b', {c: 1, \"d\": , e}]", "{a: [1, 2], 'b c': \"x\\ty\"}", "*first");
const key = fc.constantFrom("a", "'q'", '"e\\x41"', "0123", "true", "'a: b'", "constructor", '""');
const entry = fc.record({ key, value: fc.oneof(scalar, flow) }).map(({ key, value }) => `  ${key}: ${value}\n`);
const item = fc.oneof(scalar, flow).map((value) => `  - ${value}\n`);
const block = fc.oneof(
  fc.uniqueArray(entry, { selector: (text) => text.split(":")[0], maxLength: 5 }),
  fc.array(item, { maxLength: 5 }),
);
const text = fc
  .tuple(fc.constantFrom("", "---\n", "# comment\r\n"), fc.array(block, { maxLength: 4 }))
  .map(
    ([head, blocks]) =>
      `${head}zero: &first { x: [1] }\n${blocks.map((lines, n) => `k${n}:\n${lines.join("")}`).join("")}`,
  );

const parsed = fc.oneof({ weight: 20, arbitrary: text }, fc.constantFrom("", "# nothing\n")).map((drawn) => {
  const source = { file: "site.yaml", text: drawn };
  const { root, diagnostics } = parseSource(source);
  return { source, root, isWhole: diagnostics.length === 0 };
});
const whole = parsed.filter(({ isWhole }) => isWhole);
const runs = { numRuns: size.draws(400) };

describe("a tree that is packed", () => {
  test("is the same tree once it is unpacked", () => {
    fc.assert(
      fc.property(whole, ({ source, root }) => {
        const bytes = packTree(root, source.text);
        expect(unpackTree(bytes, source)).toStrictEqual({ root });
        expect(packTree(unpackTree(bytes, source)?.root, source.text)).toEqual(bytes);
      }),
      runs,
    );
  });

  test("is unpacked from bytes that begin anywhere", () => {
    const source = { file: "site.yaml", text: "a: [1]\n" };
    const { root } = parseSource(source);
    const bytes = packTree(root, source.text);
    const moved = new Uint8Array([0, ...bytes]).subarray(1);
    expect(unpackTree(moved, source)).toStrictEqual({ root });
  });

  test("is none, or another tree, if a byte is changed or missing: nothing is thrown", () => {
    const damage = fc.record({ at: fc.nat(), byte: fc.nat(255), isCut: fc.boolean() });
    fc.assert(
      fc.property(whole, damage, ({ source, root }, { at, byte, isCut }) => {
        const bytes = Uint8Array.from(packTree(root, source.text));
        if (isCut) expect(unpackTree(bytes.subarray(0, at % bytes.length), source)).toBeUndefined();
        bytes[at % bytes.length] = byte;
        expect(() => unpackTree(bytes, source)).not.toThrow();
      }),
      runs,
    );
  });

  test("is none for bytes that nest without end", () => {
    const words = Uint32Array.from({ length: 300_002 }, (_, n) => [0, 0, 5][n % 3] ?? 0);
    words.set([300_000, 0]);
    expect(unpackTree(new Uint8Array(words.buffer), { file: "site.yaml", text: "" })).toBeUndefined();
  });
});
