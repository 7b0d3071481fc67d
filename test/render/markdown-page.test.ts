import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Address } from "../../src/model/address.ts";
import { renderMarkdownPage } from "../../src/render/markdown-page.ts";
import type { PageSource } from "../../src/render/page/page-items.ts";
import { size } from "../proofs/size.ts";
import { forDraws } from "../support/for-draws.ts";
import { meaningful, readMarkdown } from "../support/github-html.ts";
import { pageSources, planOfCustomers } from "../support/page-source.ts";

const identity = (text: string) => text;
const render = (source: PageSource, key = "hosting/") => renderMarkdownPage(source, `plan:${key}`, identity, 0, true);

const ours =
  /^(?:<details(?: open)?><summary><code>[^<>]*<\/code>: [\d ×a-z,]+<\/summary>|<\/details>|<!-- hostform:plan:[\w%.!~*'()-]* -->)$/u;

const hostile = fc
  .array(fc.oneof(fc.constantFrom(...meaningful), fc.string({ maxLength: 6 })), { maxLength: 8 })
  .map((all) => all.join(""));

describe("nothing that a manifest or the API says", () => {
  test.each(["plan", "report", "drift"] as const)("leaves its block of code in the page of a %s", async (sort) => {
    await forDraws(400, hostile, hostile, (text, key) => {
      const { headings, html } = readMarkdown(render(pageSources(text)[sort], key));
      expect(headings).toEqual([expect.stringMatching(/^Hostform: [\w ,.:;]+$/u)]);
      for (const line of html) expect(line).toMatch(ours);
    });
  });
});

test.each(
  size.every(2, [
    [1, 7],
    [8, 56],
    [243, 1701],
    [3000, 21_000],
  ] as const),
)(
  "a page of %i customers with %i steps has at most 65,000 characters, its refusals first and its hash last",
  (customers, steps) => {
    const markdown = render({ plan: planOfCustomers(customers), diagnostics: [], notices: [] });
    expect(markdown.length).toBeLessThanOrEqual(65_000);
    const fold = markdown.indexOf("<details");
    expect(markdown.indexOf("Refused:")).toBeGreaterThan(0);
    expect(markdown.indexOf("Refused:")).toBeLessThan(fold);
    expect(markdown.indexOf("Plan hash: sha256:")).toBeGreaterThan(fold);
    const [, missing = "0"] = / ([\d,]+) of [\d,]+ changes are missing below/u.exec(markdown.slice(0, fold)) ?? [];
    const shown = markdown.match(/^[-+!] \d+(?:, \d+)* (?:[-+~$]|-\/\+) /gmu) ?? [];
    expect(shown.length + Number(missing.replaceAll(",", ""))).toBe(steps);
  },
);

test("a page lists the ignored differences in formatting if asked to, up to a limit, and keeps the hash of the plan", () => {
  const { plan } = pageSources().plan;
  if (!plan) throw new Error("no plan");
  const ignored = Array.from({ length: 2000 }, (_, index) => ({
    address: `dns_record/c0.example/x${index}/A` as Address,
    path: "value",
    written: "a",
    live: "A",
  }));
  const source = { plan: { ...plan, ignoredSpellings: ignored }, diagnostics: [], notices: [] };
  const markdown = render(source);
  expect(markdown.length).toBeLessThanOrEqual(65_000);
  expect(markdown).toContain(`\n  dns_record/c0.example/x0/A value: written "a", live "A"\n`);
  expect(markdown).toMatch(/… \d+ lines more: the output of the command has them\n/u);
  expect(markdown).toContain("2000 differences in formatting ignored.");
  expect(markdown).toContain("Plan hash: sha256:");
  expect(renderMarkdownPage(source, "m", identity, 0)).toContain("(--show-ignored lists them)");
});

test.each([10, 30, 31, 98, 99])(
  "a page of many groups fits, though a run of %i backticks makes each fence longer",
  (length) => {
    const plan = planOfCustomers(243, "`".repeat(length));
    expect(render({ plan, diagnostics: [], notices: [] }).length).toBeLessThanOrEqual(65_000);
  },
);

test("a notice is one line, whatever the API says in it", () => {
  const notices = [{ type: "pending", address: "domain/a.example" as Address, reason: "a\nPlan: 0 to add" }] as const;
  expect(render({ diagnostics: [], notices })).toContain("\nPending: domain/a.example: a\\nPlan: 0 to add\n");
});

test("drift says what to do, as on a terminal", () => {
  expect(render(pageSources("").drift)).toContain("To take it back: `hostform apply --only-drift`");
});

test("the mark names the kind of page and what it is about, and stays the same for another plan", () => {
  const mark = (text: string, key: string) => /<!-- .* -->/u.exec(render(pageSources(text).plan, key))?.[0];
  expect(mark("", "hosting/ a -->")).toBe("<!-- hostform:plan:hosting%2F%20a%20--%3E -->");
  expect(mark("other", "hosting/ a -->")).toBe(mark("", "hosting/ a -->"));
});

test("a page fits, and its blocks end where they should, whatever is how long: one value, a summary, or runs of backticks", async () => {
  const run = fc.tuple(fc.integer({ min: 1, max: 30_000 }), fc.constantFrom(" x ", "x", "é"));
  await forDraws(40, fc.array(run, { maxLength: 4 }), fc.integer({ min: 0, max: 70_000 }), (runs, length) => {
    const text = `${runs.map(([count, end]) => "`".repeat(count) + end).join("")}${"x".repeat(length)}`;
    for (const sort of ["plan", "report", "drift"] as const) {
      const markdown = render(pageSources(text)[sort]);
      expect(markdown.length).toBeLessThanOrEqual(65_000);
      const fences = markdown.match(/^`{3,}(?:text|diff)?$/gmu) ?? [];
      expect(fences.filter((_, index) => index % 2 === 0).every((fence) => /text|diff/u.test(fence))).toBe(true);
      expect(new Set(fences.map((fence) => fence.replace(/text|diff/u, ""))).size).toBe(1);
    }
  });
});
