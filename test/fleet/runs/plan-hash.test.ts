import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fleetPlanHash, isSurprise } from "../../../src/fleet/runs/advance.ts";
import { isHash, shortHash } from "../../../src/lib/short-hash.ts";
import { account, changed, counts } from "./make-run.ts";
import { forDraws } from "../../support/for-draws.ts";

describe("the hash of a fleet's plan", () => {
  const accounts = [changed("a"), changed("b"), changed("c")];
  const hash = fleetPlanHash(accounts);

  test("does not depend on the order of accounts, nor on those without changes", () =>
    forDraws({}, fc.shuffledSubarray([...accounts, account("d", { state: "clean" })], { minLength: 4 }), (shuffled) => {
      expect(fleetPlanHash(shuffled)).toBe(hash);
    }));

  test.each([
    ["an account is missing", [changed("a"), changed("b")]],
    ["an account has another plan", [changed("a"), changed("b"), changed("c", 1, { planHash: "sha256:d" })]],
    [
      "two accounts have each other's plans",
      [changed("a", 1, { planHash: "sha256:b" }), changed("b", 1, { planHash: "sha256:a" }), changed("c")],
    ],
    ["an account has another name", [changed("a"), changed("b"), changed("d", 1, { planHash: "sha256:c" })]],
    ["an account failed", [changed("a"), changed("b"), changed("c", 1, { state: "failed" })]],
  ])("is another where %s", (_, other) => {
    expect(fleetPlanHash(other)).not.toBe(hash);
  });

  test("is given by its printed part at least", () => {
    expect(isHash(shortHash(hash), hash)).toBe(true);
    expect(isHash(hash.slice(0, -40), hash)).toBe(false);
  });
});

test.each([
  [100, undefined, false],
  [2, 2, false],
  [3, 2, true],
  [1, 0, true],
])("%i deletions where %s are allowed: a surprise is %s", (now, surprise, expected) => {
  expect(isSurprise(counts(0, now), surprise)).toBe(expected);
  expect(isSurprise({ ...counts(0, 0), replace: now }, surprise)).toBe(expected);
});
