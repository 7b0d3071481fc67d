import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderMarkdown } from "../../src/render/markdown-page.ts";

const hostile = fc
  .array(
    fc.constantFrom(
      "`",
      "```",
      "~~~",
      "\n",
      " ",
      "<script>",
      "</pre>",
      "</span>",
      "&lt;",
      '"',
      "@all",
      "x",
      "\\",
      "$&",
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

describe("a plan as Markdown", () => {
  test("is one block of code, which its text does not end", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const lines = renderMarkdown(undefined, text).split("\n");
        expect(lines.slice(0, 2)).toEqual(["### Hostform: no plan", ""]);
        const [fence = ""] = lines[2]?.match(/^`{3,}/u) ?? [];
        expect(fence.length).toBeGreaterThanOrEqual(3);
        // CommonMark 4.5: a line of at least as many backticks, indented by up to three spaces, ends the block.
        const isEnd = (line: string) => new RegExp(`^ {0,3}\`{${fence.length},}\\s*$`, "u").test(line);
        expect(lines.slice(3).filter(isEnd)).toEqual([fence]);
        expect(lines.slice(3, -2).join("\n")).toBe(text.replace(/^\n+|\n+$/gu, ""));
      }),
    );
  });

  test("fits into a comment: the middle of a long one is left out, and counted", () => {
    const lines = Array.from({ length: 9000 }, (_, index) => `${index} + dns_record/example.com/r${index}/A`);
    const shown = renderMarkdown(undefined, `${lines.join("\n")}\n`);
    expect(shown.length).toBeLessThan(65_536);
    const [, left = ""] = /\n… ([\d,]+) lines are left out; /u.exec(shown) ?? [];
    const kept = lines.filter((line) => shown.includes(`${line}\n`));
    expect(Number(left.replace(",", ""))).toBe(lines.length - kept.length);
    expect([kept[0], kept.at(-1)]).toEqual([lines[0], lines.at(-1)]);
  });

  test("fits into a comment if a single line is too long for it", () => {
    const long = "x".repeat(70_000);
    for (const text of [long, `first\n${long}`, `${long}\nlast`])
      expect(renderMarkdown(undefined, text).length).toBeLessThan(65_536);
    expect(renderMarkdown(undefined, `first\n${long}\nlast`)).toMatch(/text\nfirst\n[^x]*\nlast\n/u);
  });

  test("fits into a comment if a value has thousands of backticks, which are counted", () => {
    const run = fc.tuple(fc.integer({ min: 1, max: 30_000 }), fc.constantFrom("\n", " x\n", "x"));
    fc.assert(
      fc.property(fc.array(run, { maxLength: 4 }), fc.integer({ min: 0, max: 7000 }), (runs, lines) => {
        const quotes = runs.map(([length, end]) => "`".repeat(length) + end).join("");
        const shown = renderMarkdown(undefined, `${quotes}${"0123456789\n".repeat(lines)}`);
        expect(shown.length).toBeLessThan(65_536);
        const [, fence = ""] = /^(`+)text$/mu.exec(shown) ?? [];
        expect(shown.split("\n").filter((line) => line.trim() === fence)).toEqual([fence]);
      }),
    );
    expect(renderMarkdown(undefined, `a ${"`".repeat(9000)} b`)).toContain("\na [9000 backticks] b\n");
  });
});
