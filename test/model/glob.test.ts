import fc from "fast-check";
import { expect, test } from "vitest";
import { matchesGlob } from "../../src/model/glob.ts";
import { forDraws } from "../support/for-draws.ts";

test.each([
  ["_acme-challenge*", "_acme-challenge.www", true],
  ["*.dev", "a.b.dev", true],
  ["*", "", true],
  ["", "", true],
  ["a*c", "abd", false],
  ["a.c", "abc", false],
  ["WWW", "www", true],
])("%s against %s is %s", (pattern, text, expected) => {
  expect(matchesGlob(pattern, text)).toBe(expected);
});

test("agrees with the regular expression that says the same", async () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "*", "."), maxLength: 8 });
  await forDraws({}, letters, letters, (pattern, text) => {
    const expected = new RegExp(
      `^${pattern
        .split("*")
        .map((piece) => piece.replaceAll(".", String.raw`\.`))
        .join(".*")}$`,
      "u",
    );
    expect(matchesGlob(pattern, text)).toBe(expected.test(text));
  });
});

test("takes no longer for a hostile pattern than the product of the lengths", () => {
  // With a regular expression this is some 10^15 steps: the test would not end.
  expect(matchesGlob(`${"*a".repeat(20)}b`, "a".repeat(5000))).toBe(false);
});
