import fc from "fast-check";
import { expect, test } from "vitest";
import { cellOf, largest, layOut, onOneLine, paint, type Page } from "../../src/render/layout.ts";
import { renderDoctor } from "../../src/render/doctor-text.ts";
import { renderStatus } from "../../src/render/status-text.ts";
import { renderUnmanagedLists } from "../../src/render/unmanaged-text.ts";
import { widthOf } from "../../src/lib/shorten.ts";
import { forDraws } from "../support/for-draws.ts";
import { plainPage } from "../support/plain-page.ts";

const page = plainPage;
const word = fc.stringMatching(/^[ a-c]{0,12}$/u);
const painted = word.map((text) => paint({ color: true }, "red", text));

test("cells that fit on one line are laid out as they are on several lines", () =>
  forDraws(
    {},
    fc.stringMatching(/^[!-~]{1,12}$/u),
    fc.array(fc.oneof(word, painted).map(cellOf), { maxLength: 5 }),
    fc.integer({ min: 10, max: 60 }),
    (first, others, width) => {
      const cells = [[first], ...others];
      const line = onOneLine({ ...page, width }, cells);
      const lines = layOut({ ...page, width }, cells, 4);
      // Only blanks at its end may make a line too long that has all of them.
      if (line === undefined) expect(lines.length > 1 || `${lines[0]}`.length > width - 12).toBe(true);
      else expect(lines).toEqual([line]);
    },
  ));

test("a command in backticks stands on one line, whatever the width, so that it can be copied", async () => {
  const command = fc.array(fc.stringMatching(/^[!-_a-~]{1,12}$/u), { minLength: 1, maxLength: 6 });
  await forDraws({}, word, command, word, fc.integer({ min: 10, max: 60 }), (before, words, after, width) => {
    const copied = `\`${words.join(" ")}\``;
    const lines = layOut({ ...page, width }, [cellOf(`${before} ${copied}, ${after}`)], 2);
    expect(lines.some((line) => line.includes(copied))).toBe(true);
  });
});

test("colours have no width", () => {
  expect(["red", "dim", "bold"].map((colour) => widthOf(paint({ color: true }, colour as "red", "word")))).toEqual([
    4, 4, 4,
  ]);
  expect(widthOf("a\u009b31mb")).toBe(2);
});

test.each([
  ["日本", 4],
  ["ｶﾅ", 2],
  ["한국".normalize("NFD"), 4],
  ["🇩🇪🇫🇷", 4],
  ["￡", 2],
  ["😀a", 3],
  ["e\u0301", 1],
  ["हि", 2],
  ["𝒳", 1],
])("%s takes as many columns as a terminal gives it", (text, columns) => expect(widthOf(text)).toBe(columns));

test("of more numbers than the stack takes the largest is found", () => {
  expect(largest(Array.from({ length: 200_000 }, (_, index) => index))).toBe(199_999);
  expect(largest([])).toBe(0);
});

test.each([
  [
    "the report of doctor",
    (at: Page) => {
      const found = {
        path: ["kinds", "cron", "fields", "name"],
        expected: "a text",
        found: "a number as long as this",
      };
      const unseen = ["create", "update", "delete"].map((name) => ({
        path: ["kinds", "cron", "operations", name],
        is: "unseen" as const,
        reason: "only GETs are sent",
      }));
      return renderDoctor({ contract: "v2026", findings: [{ ...found, is: "refuted" }, ...unseen], requests: 3 }, at);
    },
  ],
  ["the sums of a status", (at: Page) => renderStatus([], at)],
  ["that all is managed", (at: Page) => renderUnmanagedLists({ lists: [], isWhole: true, reads: 3, ignored: 2 }, at)],
])("%s fits a terminal of 40 columns", (_name, render) => {
  const lines = render({ ...page, width: 40 }).split("\n");
  expect(lines.filter((line) => line.length > 40)).toEqual([]);
});
