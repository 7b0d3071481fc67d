import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeControls } from "../../src/lib/escape.ts";
import type { Diagnostic } from "../../src/model/diagnostic.ts";
import type { Plan } from "../../src/model/plan.ts";
import { annotationOf, codeQuality, remarksOf } from "../../src/render/annotations.ts";
import { renderMarkdownPage } from "../../src/render/markdown-page.ts";
import { forDraws } from "../support/for-draws.ts";

const mask = (text: string) => text;
const diagnostic = (severity: Diagnostic["severity"], code: string): Diagnostic => ({ severity, code, summary: code });
const behind = { code: "rolled_back", summary: "behind main.", hint: "merge" } as const;
const found = [
  diagnostic("warning", "unset"),
  diagnostic("notice", "n"),
  { ...behind, severity: "warning" as const },
  diagnostic("error", "e"),
];

test("a branch behind main comes before what it misses, once, and mistakes come before warnings", () => {
  const plan = {
    refusals: [{ address: "a/b", code: "protected", summary: "no", hint: "x" }, behind],
  } as unknown as Plan;
  const codes = (given: Parameters<typeof remarksOf>[0]) => remarksOf(given).map(({ code }) => code);
  expect(codes({ diagnostics: found, plan })).toEqual(["rolled_back", "protected", "e", "unset", "n"]);
  expect(codes({ diagnostics: found })).toEqual(["rolled_back", "e", "unset", "n"]);
  const markdown = renderMarkdownPage({ diagnostics: found, notices: [] }, "plan:m", mask, 0);
  const places = ["behind main", "error[e]", "warning[unset]"].map((words) => markdown.indexOf(words));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
});

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom("%", "%0A", "\n", "\r", "\u001b[31m", "\u202e", "::", "::error::", ",", ":", "##[x]"),
      fc.string(),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));
const decode = (text: string) =>
  ["%2C,", "%3A:", "%0A\n", "%0D\r", "%25%"].reduce(
    (all, pair) => all.replaceAll(pair.slice(0, 3), pair.slice(3)),
    text,
  );

test("no value begins a command or a property of its own, or drives a terminal: GitHub reads each back", () =>
  forDraws({}, hostile, hostile, (summary, name) => {
    const file = `../elsewhere/${name}x`;
    const line = annotationOf({ ...diagnostic("error", "c"), summary, at: { file, line: 3, col: 4 } }, undefined, mask);
    const [, path = "", text = ""] =
      /^::error file=([^,:]*),line=3,col=4,title=Hostform%3A c::([^\r\n]*)\n$/u.exec(line) ?? [];
    expect(decode(text)).toBe(escapeControls(summary));
    if (!/(?:^|\/)\.\.?\//u.test(name)) expect(decode(path)).toBe(escapeControls(file));
  }));

test("no two rows of a code quality report share a fingerprint, and none changes if its line moves", () => {
  const rows = (lines: readonly number[]) =>
    codeQuality(
      lines.map((line) => ({ ...diagnostic("warning", "c"), at: { file: "m.yaml", line, col: 1 } })),
      "m.yaml",
      undefined,
      mask,
    ).map(({ fingerprint }) => fingerprint);
  expect(new Set(rows([1, 1, 3])).size).toBe(3);
  expect(rows([5, 6, 7])).toEqual(rows([1, 2, 3]));
});
