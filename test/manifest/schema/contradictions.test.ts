import fc from "fast-check";
import { expect, test } from "vitest";
import { checkMoment, checkTime } from "../../../src/kinds/shared/timestamp.ts";
import { readDesired } from "../../../src/manifest/read/desired.ts";
import { loadBody } from "../load-text.ts";
import { forDraws } from "../../support/for-draws.ts";

async function mistakesOf(body: string): Promise<string[]> {
  const { tree, diagnostics } = await loadBody(body);
  const read = tree && readDesired(tree, () => ({ missing: "not needed" }));
  return [...diagnostics, ...(read?.diagnostics ?? [])]
    .filter(({ severity }) => severity === "error")
    .map(
      ({ code, at, related = [] }) =>
        `${code} ${at?.line}:${at?.col}${related.map(({ at: { line } }) => ` (${line})`).join()}`,
    );
}

const removed = (...entries: readonly string[]) =>
  `removed:\n${entries.map((entry) => `  - { address: ${entry} }\n`).join("")}`;

test("removed: with an address that one entry deletes and another forgets is an error, in either order and any spelling", async () => {
  const [gone, left] = ["mailbox/x@a.b, action: delete", "mailbox/X@A.B, action: forget"];
  expect(await mistakesOf(removed(gone, left))).toEqual(["removed_twice 5:5 (4)"]);
  expect(await mistakesOf(removed(left, "cron/a.b/x, action: forget", gone))).toEqual(["removed_twice 6:5 (4)"]);
  expect(await mistakesOf(removed(gone, gone))).toEqual([]);
});

test("an autoresponder that ends before it starts is a mistake, in whatever zones the times are written", async () => {
  const settings = (from: string, to: string) =>
    mistakesOf(
      `domains: { a.b: {} }\nmail: { a.b: { settings: { autoresponder: { starts_at: ${from}, ends_at: ${to} } } } }`,
    );
  const [nine, ten] = ["2027-01-07T10:00:00+01:00", "2027-01-07T10:00:00Z"];
  expect(await settings(ten, nine)).toEqual(["ends_before_start 4:87"]);
  expect(await settings(nine, nine)).toEqual(["ends_before_start 4:92"]);
  expect(await settings(nine, ten)).toEqual([]);
  expect(await settings(nine, "null")).toEqual([]);
});

test("a moment counts only where the calendar has its day", async () => {
  const two = (value: number) => String(value).padStart(2, "0");
  await forDraws(
    { examples: [[27, 2, 29]] },
    fc.nat({ max: 400 }),
    fc.nat({ max: 13 }),
    fc.nat({ max: 32 }),
    (years, month, day) => {
      const date = `${2000 + years}-${two(month)}-${two(day)}`;
      const at = new Date(Date.UTC(2000 + years, month - 1, day));
      const isDay = at.getUTCMonth() === month - 1 && at.getUTCDate() === day;
      expect(checkMoment(date) === undefined, date).toBe(isDay);
      expect(checkMoment(`${date}T10:00:00+02:00`) === undefined).toBe(isDay);
      expect(checkTime(`${date}T10:00:00Z`) === undefined).toBe(isDay);
      expect(checkTime(date)).toBeDefined();
    },
  );
});

test("a word in the place of a number is one mistake, without a warning of a number", async () => {
  const { tree } = await loadBody(
    `dns: { a.b: { records: { _443._tcp: { TLSA: DANE-EE SPKI SHA2-256 ${"ab".repeat(32)} } } } }`,
  );
  const { diagnostics = [] } = tree ? readDesired(tree, () => ({ missing: "not needed" })) : {};
  expect(diagnostics.map(({ code }) => code)).toEqual(["invalid_value"]);
});
