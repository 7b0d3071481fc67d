import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../../src/model/diagnostic.ts";
import { renderDiagnostics } from "../../src/render/diagnostics.ts";
import { escapeControls } from "../../src/lib/escape.ts";
import { widthOf } from "../../src/lib/shorten.ts";
import { forDraws } from "../support/for-draws.ts";
import { plainPage, widePage } from "../support/plain-page.ts";

const whole: Diagnostic = {
  severity: "error",
  code: "unknown_key",
  summary: 'There is no key "recrods" in dns > example.com',
  detail: "one of exclusive, ignore, records, ttl",
  hint: 'did you mean "records"?',
  at: { file: "dns/main.yaml", line: 12, col: 5, endCol: 12 },
  related: [{ at: { file: "a.yaml", line: 3, col: 1 }, message: "first written here" }],
  frame: "    recrods: {}\n    ^^^^^^^",
};
const plain = (...diagnostics: Diagnostic[]) => renderDiagnostics(diagnostics, widePage);

describe("more diagnostics than a person reads", () => {
  const severity = fc.constantFrom("error" as const, "warning" as const, "notice" as const);
  const some = fc.array(fc.tuple(severity, fc.constantFrom("a_code", "b_code", "c_code")), {
    minLength: 101,
    maxLength: 1000,
    size: "max",
  });

  test("are cut to the first 100, the gravest before the others, and the rest is counted by code", () =>
    forDraws({ numRuns: 30 }, some, (drawn) => {
      const diagnostics = drawn.map(([severity, code], index): Diagnostic => ({
        severity,
        code,
        summary: `number ${index}.`,
        at: { file: "m.yaml", line: index + 1, col: 1 },
        frame: "x\n^",
      }));
      const text = plain(...diagnostics);
      const numbers = [...text.matchAll(/number (\d+)\./gu)].map(([, number]) => Number(number));
      const printed = numbers.toSorted((a, b) => a - b).map((number) => diagnostics[number]);
      expect(printed.length).toBe(100);
      expect(printed).toEqual(diagnostics.filter((each) => printed.includes(each)));
      const rank = { error: 0, warning: 1, notice: 2 };
      const left = diagnostics.filter((each) => !printed.includes(each));
      expect(Math.max(...printed.map((each) => rank[each?.severity ?? "notice"]))).toBeLessThanOrEqual(
        Math.min(...left.map((each) => rank[each.severity])),
      );
      const [, counts = ""] = /and \d+ more: (.*) \(--all-diagnostics/u.exec(text) ?? [];
      for (const code of ["a_code", "b_code", "c_code"]) {
        const count = left.filter((each) => each.code === code).length;
        expect(counts.split(", ").includes(`${count} ${code}`)).toBe(count > 0);
      }
    }));

  test("cost no source line that is not printed, unless all are asked for", () => {
    let frames = 0;
    const many = Array.from({ length: 5000 }, (): Diagnostic => ({
      ...whole,
      get frame() {
        frames += 1;
        return "x\n^";
      },
    }));
    plain(...many);
    expect(frames).toBe(3);
    const all = renderDiagnostics(many, widePage, true);
    expect(frames).toBe(5003);
    expect(all).not.toContain("more:");
  });
});

describe("diagnostics as text", () => {
  test("show place, line, related places, what was expected and what to do", () => {
    expect(plain(whole)).toBe(
      [
        'error[unknown_key]: There is no key "recrods" in dns > example.com',
        "  --> dns/main.yaml:12:5",
        "   |",
        "12 |     recrods: {}",
        "   |     ^^^^^^^",
        "  ::: a.yaml:3:1 first written here",
        "   = expected: one of exclusive, ignore, records, ttl",
        '   = help: did you mean "records"?',
        "",
        "1 error",
        "",
      ].join("\n"),
    );
  });

  test("say what a field is for behind what is expected of it", () => {
    const described = { ...whole, detail: "a whole number", description: "Seconds. Default 3600." };
    expect(plain(described)).toContain("   = expected: a whole number (Seconds. Default 3600.)\n");
  });

  test("need nothing but a summary", () => {
    expect(plain({ severity: "notice", code: "unset", summary: "X is not set" })).toBe(
      "notice[unset]: X is not set\n\n1 notice\n",
    );
  });

  test("are counted by severity at the end", () => {
    const one = (severity: Diagnostic["severity"]): Diagnostic => ({ severity, code: "x", summary: "y" });
    const text = plain(one("warning"), one("error"), one("notice"), one("error"), one("notice"));
    expect(text.split("\n").at(-2)).toBe("2 errors, 1 warning, 2 notices");
  });

  test("are no text at all where there are none", () => {
    expect(plain()).toBe("");
  });

  test("are the same text in colour, with colours only where they are wanted", () => {
    const colored = renderDiagnostics([whole], { ...widePage, color: true });
    expect(colored).toContain("\u001b[");
    expect(stripVTControlCharacters(colored)).toBe(plain(whole));
    expect(plain(whole)).not.toContain("\u001b");
  });

  test("never let a control character, an ANSI sequence or a bidi mark through", async () => {
    const hostile = fc.string({
      unit: fc.constantFrom(
        "a",
        "\u001b[31m",
        "\n",
        "\r",
        "\t",
        "\u0007",
        "\u009b",
        "\u202e",
        "\u2066",
        "\u200b",
        "\ufeff",
        "\ud800",
        "\u007f",
      ),
    });
    await forDraws({}, hostile, hostile, hostile, (a, b, c) => {
      const at = { file: a, line: 1, col: 1 };
      const text = plain({
        severity: "error",
        code: b,
        summary: a,
        detail: b,
        hint: c,
        at,
        related: [{ at, message: c }],
        frame: `${c.replaceAll("\n", "")}\n^`,
      });
      expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u);
      expect(text.split("\n")).toHaveLength(11);
    });
  });
});

describe("escaped text", () => {
  test.each([
    ["a\nb\r\tc", String.raw`a\nb\r\tc`],
    ["\u001b[2J", String.raw`\x1b[2J`],
    ["\u0000\u007f\u0085", String.raw`\x00\x7f\x85`],
    ["user\u202efdp.exe", String.raw`user\u202efdp.exe`],
    ["a\u200bb\ufeff", String.raw`a\u200bb\ufeff`],
    ["lone \ud83d half", String.raw`lone \ud83d half`],
    ["naïve 日本 😀 \\n", "naïve 日本 😀 \\n"],
  ])("%j is %s", (text, escaped) => {
    expect(escapeControls(text)).toBe(escaped);
  });
});

describe("diagnostics of one cause", () => {
  const mistakes = (count: number, fields: Partial<Diagnostic> = {}) =>
    Array.from({ length: count }, (_, index): Diagnostic => ({
      ...whole,
      summary: `There is no key "a${index}" in dns`,
      at: { file: "m.yaml", line: index + 1, col: 5 },
      ...fields,
    }));

  test("are printed in full three times; from the fourth on each takes a line, with its place and its sentence", () => {
    const text = plain(...mistakes(11), ...mistakes(1, { code: "other", summary: "Another mistake" }));
    expect(text.match(/= help: did you mean/gu)).toHaveLength(4);
    expect(text).toContain("error[unknown_key]: 8 more with the same cause (--all-diagnostics prints them in full)");
    for (let index = 3; index < 11; index += 1)
      expect(text).toContain(` --> m.yaml:${index + 1}:5 There is no key "a${index}" in dns\n`);
    expect(text).toContain("error[other]: Another mistake");
    expect(text).toContain("12 errors");
  });

  test("are printed in full if there are only four, and all of them with --all-diagnostics", () => {
    expect(plain(...mistakes(4)).match(/= help/gu)).toHaveLength(4);
    const all = renderDiagnostics(mistakes(11), widePage, true);
    expect(all.match(/= help/gu)).toHaveLength(11);
  });

  test("with different advice are different causes", () => {
    const text = plain(...mistakes(10).map((each, index) => ({ ...each, hint: `did you mean "b${index}"?` })));
    expect(text.match(/= help/gu)).toHaveLength(10);
  });

  test("that miss values are one, with the name of each variable and file once", () => {
    const unset = ["B_PASSWORD", "A_PASSWORD", "B_PASSWORD", "keys/a.pem"].map((source, index): Diagnostic => ({
      severity: "notice",
      code: "unset",
      summary: `password has no value yet: the variable ${source} is not set`,
      at: { file: "m.yaml", line: index + 1, col: 5 },
      hint: "it is needed only by an apply that sends it",
      source,
    }));
    expect(plain(...unset)).toBe(
      [
        "notice[unset]: 4 values missing; not set: B_PASSWORD, A_PASSWORD, keys/a.pem",
        " --> m.yaml:1:5 and 3 other places",
        "  = help: it is needed only by an apply that sends it",
        "",
        "4 notices",
        "",
      ].join("\n"),
    );
  });
});

test("no line is wider than the terminal but for a word that is, and the carets stay below what they mark", async () => {
  const unit = fc.constantFrom("a", "b", "{", "}", ":", '"', "日", "ｶ", "😀", "e\u0301", "🇩🇪");
  const word = fc.string({ unit, minLength: 1, maxLength: 12 });
  const sentence = fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => words.join(" "));
  await forDraws(
    { numRuns: 200 },
    sentence,
    sentence,
    sentence,
    fc.nat(200),
    fc.integer({ min: 1, max: 20 }),
    (summary, hint, line, col, length) => {
      const marked = "MARK".repeat(5).slice(0, length);
      const lead = Array.from(line.padEnd(col)).slice(0, col).join("");
      const diagnostic: Diagnostic = {
        severity: "error",
        code: "a_code",
        summary,
        hint,
        at: { file: "m.yaml", line: 7, col: col + 1 },
        frame: `${lead}${marked}${line}\n${" ".repeat(widthOf(lead))}${"^".repeat(length)}`,
      };
      const lines = renderDiagnostics([diagnostic], { ...plainPage, width: 60 }).split("\n");
      expect(lines.filter((each) => widthOf(each) > 60)).toEqual([]);
      const [shown = "", carets = ""] = lines.slice(lines.findIndex((each) => each.startsWith("7 | ")));
      const at = shown.indexOf("M");
      expect(shown.slice(at, at + length)).toBe(marked);
      expect(carets).toBe(`  | ${" ".repeat(widthOf(shown.slice(4, at)))}${"^".repeat(length)}`);
      expect(shown).not.toMatch(/\p{Surrogate}/u);
    },
  );
});
