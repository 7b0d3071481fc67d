import fc from "fast-check";
import { expect, test } from "vitest";
import type { Address } from "../../src/model/address.ts";
import type { StatusRow } from "../../src/model/report.ts";
import { byExpiry, renderStatus, renderStatusMarkdown } from "../../src/render/status-text.ts";
import { forDraws } from "../support/for-draws.ts";
import { meaningful, readMarkdown } from "../support/github-html.ts";

const text = fc.string({
  unit: fc.constantFrom(...meaningful, " ", "x", "](y)"),
});
const rows = fc.array(
  fc.record(
    {
      address: text.map((each) => `domain/${each}` as Address),
      status: text,
      state: fc.constantFrom("ready", "pending", "failed"),
      reason: text,
      tells: fc.array(text),
      daysLeft: fc.integer({ min: -9, max: 999 }),
    },
    { requiredKeys: ["address", "status", "state"] },
  ),
  { maxLength: 8 },
);
const markdown = (all: readonly StatusRow[]) =>
  renderStatusMarkdown(all, renderStatus(all, { color: false, width: 120, mask: (each) => each }));

test("a status as Markdown is a heading and one block of code, which nothing in it can end", () =>
  forDraws({}, rows, (given) => {
    const { headings, html } = readMarkdown(markdown(given));
    expect(headings).toEqual([expect.stringMatching(/^Hostform: \d+ resources?: [\w ,]+$/u)]);
    expect(html).toEqual([]);
  }));

test("a status as Markdown is short enough for a comment, whatever the account", () => {
  const all = Array.from({ length: 3000 }, (_, index): StatusRow => ({
    address: `mailbox/a-long-name-${index}@${"x".repeat(40)}.example` as Address,
    status: "active",
    state: "ready",
    tells: ["`".repeat(200)],
  }));
  const shown = markdown(all);
  expect(shown.length).toBeLessThan(65_000);
  expect(shown).toContain("… and more: hostform status prints all without --format");
  expect(shown).toContain("a-long-name-0@");
});

test("those that expire stand before those that do not, the nearest first, and others keep their order", () => {
  const row = (name: string, daysLeft?: number): StatusRow => ({
    address: name as Address,
    status: "",
    state: "ready",
    ...(daysLeft !== undefined && { daysLeft }),
  });
  const sorted = [row("b"), row("c", 9), row("a"), row("d", -1), row("e", 0)].toSorted(byExpiry);
  expect(sorted.map(({ address }) => address)).toEqual(["d", "e", "c", "b", "a"]);
});
