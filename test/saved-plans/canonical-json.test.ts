import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/saved-plans/lines.ts";
import { forDraws } from "../support/for-draws.ts";

const key = fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom("__proto__", "1", "10", "9", "a", "B"));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(undefined, null, true, -0, 1.5),
    fc.string({ maxLength: 4 }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
  ),
}));
const members = fc.array(fc.tuple(key, value), { maxLength: 5 }).map((entries) => Object.fromEntries(entries));

/** Serialises in another way. */
const withReplacer = (whole: unknown) =>
  JSON.stringify(whole, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );

describe("canonical JSON", () => {
  it("has the keys of every object sorted, however they were written", () =>
    forDraws({ numRuns: 500 }, members, (whole) => {
      expect(canonicalJson(whole)).toBe(withReplacer(whole));
    }));
});
