import fc from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { LineCounter, parseDocument } from "yaml";
import { parseYaml } from "../../src/lib/yaml.ts";
import { forDraws } from "../support/for-draws.ts";

const folder = new URL("../../schemas/contracts/", import.meta.url);
const contracts = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8"));
const piece = fc.constantFrom(
  "a",
  ": ",
  "\n",
  "  ",
  "- ",
  "[",
  "]",
  "{",
  "}",
  ",",
  '"',
  "'",
  "#",
  "&x ",
  "*x",
  "? ",
  "|",
);
const text = fc.oneof(
  fc.constantFrom(...contracts),
  fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join("")),
);

/** What callers use of a document. */
const used = (document: ReturnType<typeof parseYaml>, lines: LineCounter) => ({
  text: String(document.contents && JSON.stringify(document.contents)),
  errors: document.errors.map(({ code, message, pos }) => [code, message, pos]),
  lines: lines.lineStarts,
});

describe("parseYaml", () => {
  test("reads one document as the parser of the library does", () =>
    forDraws({}, text, (given) => {
      const [mine, theirs] = [new LineCounter(), new LineCounter()];
      const expected = used(parseDocument(given, { lineCounter: theirs, prettyErrors: false }), theirs);
      expect(used(parseYaml(given, { lineCounter: mine }), mine)).toEqual(expected);
    }));

  test("says that only one document is read", () => {
    const [error] = parseYaml("a: 1\n---\nb: 2\n").errors;
    expect(error).toMatchObject({ message: "a second document begins here, and only one is read", pos: [5, 6] });
  });

  test.each([
    ["lists", "[", "]"],
    ["maps", "{a: ", "}"],
    ["lists in blocks", "- ", ""],
  ])("composes nothing of %s within each other without end, which would end the process", (_, open, close) => {
    for (const [count, expected] of [
      [190, []],
      [250, ["lists or maps are nested too deeply"]],
      [50_000, ["lists or maps are nested too deeply"]],
    ] as const) {
      const { errors } = parseYaml(`${open.repeat(count)}1${close.repeat(count)}`);
      expect(errors.map(({ message }) => message)).toEqual(expected);
    }
  });
});
