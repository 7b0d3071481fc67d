import { describe, expect, test } from "vitest";
import { plan } from "../../src/plan/plan.ts";
import { buildInput, ours } from "./build-input.ts";
import { cron, declareJobs, liveJobs, whole } from "./crons.ts";
import { codes } from "./plan-results.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

describe("a manifest of the last apply that is still there and was not given", () => {
  const leftOut = { ownership: { ...ours([cron("old")]).ownership, manifestsLeftOut: ["other.yaml"] } };

  test("may declare what this one does not: nothing is deleted for that", async () => {
    const made = plan(await buildInput(declareJobs(`a: ${whole}`), liveJobs("a", "old"), {}, now, leftOut));
    expect(made.refusals).toMatchObject([
      { code: "manifest_left_out", summary: expect.stringContaining("other.yaml") },
    ]);
  });

  test.each([
    ["there", [], ["manifest_left_out"]],
    ["missing", ["other.yaml"], ["manifest_left_out", "protected"]],
  ])("hides which deletions need consent while it is there: %s", async (_, manifestsMissing, expected) => {
    const manifest = `policy: { protect: [cron] }\n${declareJobs(`a: ${whole}`)}`;
    const ownership = { ...leftOut.ownership, manifestsMissing };
    const made = plan(await buildInput(manifest, liveJobs("a", "old"), {}, now, { ownership }));
    expect(codes(made)).toEqual(expected);
  });

  test.each([
    [["b.yaml"], "b.yaml was"],
    [["b.yaml", "c.yaml"], "b.yaml and 1 more were"],
    [["b.yaml", "c.yaml", "d.yaml"], "b.yaml and 2 more were"],
  ])(
    "is named with the number of others, and what would be deleted is counted: %j",
    async (manifestsLeftOut, begin) => {
      const ownership = { ...ours([cron("old"), cron("older")]).ownership, manifestsLeftOut };
      const live = liveJobs("a", "old", "older");
      const made = plan(await buildInput(declareJobs(`a: ${whole}`), live, {}, now, { ownership }));
      expect(made.refusals).toMatchObject([
        {
          code: "manifest_left_out",
          summary: `${begin} part of the last apply, and this run was not given ${manifestsLeftOut.length === 1 ? "it" : "them"}; 2 resources would be deleted, such as ${cron("old")}`,
          hint: "pass it with -f too, give it its own name:, or commit its deletion",
        },
      ]);
    },
  );

  test.each([
    [
      ["b.yaml"],
      "b.yaml was part of the last apply and is missing now, but its deletion is not committed; 1 resource ",
    ],
    [["b.yaml", "c.yaml"], "b.yaml and 1 more were part of the last apply and are missing now, but their deletion is "],
    [["c.yaml"], "b.yaml was part of the last apply, and this run was not given it; 1 resource would be deleted, "],
  ])("is said to be missing where no file stands at its path: %j", async (manifestsMissing, begin) => {
    const manifestsLeftOut = [...new Set(["b.yaml", ...manifestsMissing])];
    const ownership = { ...ours([cron("old")]).ownership, manifestsLeftOut, manifestsMissing };
    const made = plan(await buildInput(declareJobs(`a: ${whole}`), liveJobs("a", "old"), {}, now, { ownership }));
    expect(made.refusals[0]?.summary.startsWith(begin)).toBe(true);
  });

  test("is not reported if nothing would be deleted", async () => {
    expect(plan(await buildInput(declareJobs(`a: ${whole}`), liveJobs("a"), {}, now, leftOut)).refusals).toEqual([]);
  });
});
