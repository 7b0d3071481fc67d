import { expect, test } from "vitest";
import { priorities } from "./priorities.ts";

test("the first jobs of all owners come before the second ones, and the kinds of work in their order", () => {
  const waiting = new Map([["b", 1]]);
  const [a1, a2, b2, a3] = priorities("plan", ["a", "a", "b", "a"], waiting) as [number, number, number, number];
  expect([a1 > a2, a2 === b2, b2 > a3]).toEqual([true, true, true]);
  const last = (work: "recovery" | "apply" | "plan") => priorities(work, ["a"], new Map([["a", 1e9]]))[0] ?? 0;
  const first = (work: "apply" | "plan" | "drift") => priorities(work, ["a"], new Map())[0] ?? 0;
  expect([last("recovery") > first("apply"), last("apply") > first("plan"), last("plan") > first("drift")]).toEqual([
    true,
    true,
    true,
  ]);
  // PostgreSQL keeps it in four bytes.
  expect(priorities("recovery", ["a"], new Map())[0]).toBeLessThan(2 ** 31);
});
