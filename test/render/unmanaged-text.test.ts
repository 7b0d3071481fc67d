import fc from "fast-check";
import { expect, test } from "vitest";
import type { UnmanagedList } from "../../src/engine/session/events.ts";
import type { Address } from "../../src/model/address.ts";
import type { CollectionId } from "../../src/model/resource.ts";
import { widthOf } from "../../src/lib/shorten.ts";
import { renderUnmanagedLists } from "../../src/render/unmanaged-text.ts";
import { forDraws } from "../support/for-draws.ts";

const foreign = fc.string({
  unit: fc.constantFrom("a", "1", " ", "\u001b[2J", "\n", "\r", "\u009b", "\u202e", '"', "…"),
});
const drawList = (isWhole: fc.Arbitrary<boolean>) =>
  fc.record({
    collection: foreign.map((text) => `dns_record/${text}` as CollectionId),
    isWhole,
    resources: fc.array(
      fc.record({
        address: foreign.map((text) => `dns_record/${text}` as Address),
        values: fc.array(
          foreign.map((value) => ({
            path: "value",
            before: { is: "value" as const, value },
            after: { is: "absent" as const },
          })),
        ),
      }),
      { minLength: 1 },
    ),
  });

const render = (lists: readonly UnmanagedList[], isWhole: boolean) =>
  renderUnmanagedLists(
    { lists, isWhole, reads: 3, ignored: 0 },
    { color: false, width: 60, mask: (text) => text.replaceAll("1", "?") },
  );

test("a line for each resource, without control characters and secrets, whatever the API says", () =>
  forDraws(100, fc.array(drawList(fc.constant(true))), (lists) => {
    const text = render(lists, true);
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u);
    const count = lists.reduce((sum, { resources }) => sum + resources.length, 0);
    expect(text.split("\n").filter((line) => line.startsWith("  dns_record/"))).toHaveLength(count);
    expect(
      text
        .split("\n")
        .slice(1)
        .join("\n")
        .replaceAll(/: \d+$/gmu, ""),
    ).not.toContain("1");
  }));

test("a line that is too long is cut behind its address, and in no character", () => {
  const address = `dns_record/${"a".repeat(60)}` as Address;
  const value = { is: "value" as const, value: "\u{1f600}".repeat(60) };
  const values = [{ path: "value", before: value, after: { is: "absent" as const } }];
  const short = "dns_record/a" as Address;
  const resources = [
    { address, values },
    ...[0, 1].map((size) => ({ address: (short + "a".repeat(size)) as Address, values })),
  ];
  const lines = render([{ collection: "dns_record" as CollectionId, isWhole: true, resources }], true).split("\n");
  expect(lines).toContain(`  ${address}…`);
  for (const line of lines) expect(line).not.toMatch(/\p{Surrogate}/u);
});

test("values stand in one column, and no line is wider than the page, where names and values have wide letters", () => {
  const made = ["日本", "ｶﾅ", "abc"].map((name) => ({
    address: `dns_record/${name}` as Address,
    values: [
      { path: "value", before: { is: "value" as const, value: "日".repeat(60) }, after: { is: "absent" as const } },
    ],
  }));
  const text = render([{ collection: "dns_record" as CollectionId, isWhole: true, resources: made }], true);
  const lines = text.split("\n").filter((line) => line.startsWith("  dns_record/"));
  expect(new Set(lines.map((line) => widthOf(line.slice(0, line.indexOf("日日")))))).toEqual(new Set([21]));
  expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(60);
});

test("no count and no total of a list that was not read whole", async () => {
  await forDraws(50, fc.array(drawList(fc.constant(false)), { minLength: 1 }), (lists) => {
    const heads = render(lists, false)
      .split("\n")
      .filter((line) => /^(dns_record\/.*: |Not managed.*: )/u.test(line));
    for (const head of heads) expect(head).toContain(": at least ");
  });
  expect(render([], false)).toContain("nothing in the lists that could be read whole");
});

test.each([
  [0, "The manifest names every live resource."],
  [1, "The manifest names every live resource; 1 more is named by ignore:."],
  [2, "The manifest names every live resource; 2 more are named by ignore:."],
])("counts what ignore: alone names: %i", (ignored, text) => {
  const view = { lists: [], isWhole: true, reads: 0, ignored };
  expect(renderUnmanagedLists(view, { color: false, width: 200, mask: (each) => each })).toContain(`${text}\n`);
});
