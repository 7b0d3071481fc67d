import fc from "fast-check";
import { expect, test } from "vitest";
import { choosePoints } from "./choose-points.ts";
import { forDraws } from "../support/for-draws.ts";

const methods = fc.array(fc.constantFrom("GET", "POST", "PUT", "DELETE"), { minLength: 1, maxLength: 40 });
const textOf = ({ request, when }: ReturnType<typeof choosePoints>[number]) => `${when} ${request}`;

test("kill points are as many as asked, none twice, and of every method; all of them where that many may be", async () => {
  const holds = (run: readonly string[], most: number) => {
    const points = choosePoints(run, most);
    expect(new Set(points.map(textOf)).size).toBe(Math.min(most, 2 * run.length));
    expect(points).toHaveLength(Math.min(most, 2 * run.length));
    expect(new Set(points.map(({ request }) => run[request - 1]))).toEqual(new Set(run));
  };
  await forDraws({}, methods, fc.oneof(fc.integer({ min: 4, max: 90 }), fc.constant(Infinity)), holds);
});

test("kill points lie evenly over a run, before and after in turns", () => {
  const run = "GGGGGGPPGGDDGGGG".split("").map((letter) => ({ G: "GET", P: "POST", D: "DELETE" })[letter] ?? "");
  expect(choosePoints(run, 6).map(textOf)).toEqual([
    "before 4",
    "after 7",
    "before 8",
    "before 11",
    "after 12",
    "after 14",
  ]);
});
