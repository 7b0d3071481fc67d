import { expect, test } from "vitest";
import { renderRehearsal } from "../../src/render/rehearsal-text.ts";

const told = (count: number) =>
  renderRehearsal(
    { objects: count, steps: count, calls: count, cuts: 2 * count, findings: [], milliseconds: 100 },
    { color: false, width: 100, mask: String },
  )
    .split("\n")
    .filter((line) => line.startsWith("  proved"));

test("one crash point is written in the singular, and several in the plural", () => {
  expect(told(1)).toEqual([
    "  proved  from the same live state the same step is planned",
    "  proved  1 call run; a second plan has no changes",
    "  proved  1 call, 2 simulated crashes, each recovered, and nothing created twice",
  ]);
  expect(told(3)).toEqual([
    "  proved  from the same live state the same 3 steps are planned",
    "  proved  3 calls run; a second plan has no changes",
    "  proved  3 calls, 6 simulated crashes, each recovered, and nothing created twice",
  ]);
});
