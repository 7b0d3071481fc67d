import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Desired } from "../../src/model/resource.ts";
import type { Ownership } from "../../src/model/plan-input.ts";
import { plan } from "../../src/plan/plan.ts";
import { buildInput, ours } from "./build-input.ts";
import { cron, declareJobs, job, liveJobs } from "./crons.ts";
import { forDraws } from "../support/for-draws.ts";

const now = Date.parse("2026-01-01T00:02:10Z");
const names = ["a", "b", "c", "d"] as const;

/** The command of each job that a commit declares. */
type Jobs = Readonly<Partial<Record<string, string>>>;

const declare = (jobs: Jobs) =>
  declareJobs(
    Object.entries(jobs)
      .map(([name, command]) => `${name}: { schedule: "0 3 * * *", command: ${command} }`)
      .join(", "),
  );

const desiredOf = async (jobs: Jobs): Promise<Desired> => (await buildInput(declare(jobs), {})).desired;

const missed = async (there: Jobs | undefined, base: Jobs | undefined): Promise<NonNullable<Ownership["missed"]>> => ({
  commit: "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d",
  by: "anna",
  time: "2026-01-01T00:00:00.000Z",
  isHere: true,
  isCertain: true,
  there: there && (await desiredOf(there)),
  base: base && (await desiredOf(base)),
});

const live = (jobs: Jobs) => ({
  ...liveJobs(),
  "/crons?service_id=s1": Object.entries(jobs).map(([name, command = ""]) => job(name, { command })),
});

async function planBranch(mine: Jobs, there: Jobs, base: Jobs, more: Partial<Ownership> = {}) {
  const { ownership } = ours(Object.keys(there).map(cron));
  const apply = { ...ownership, rolledBack: true, missed: await missed(there, base), ...more };
  return plan(await buildInput(declare(mine), live(there), {}, now, { ownership: apply }));
}

test("says who applied which commit and when, and how to go on", async () => {
  const made = await planBranch({ a: "x" }, { a: "x", b: "x" }, { a: "x" });
  expect(made.refusals.map(({ summary }) => summary)).toEqual([
    "main was applied at 1a2b3c4 (anna, 2 minutes ago), and this branch does not contain it: git merge 1a2b3c4. Only if you mean to go back: --rollback",
  ]);
  expect(made.steps).toMatchObject([{ id: `delete ${cron("b")}` }]);
});

test.each([
  [
    "where the commit has to be fetched first",
    { isHere: false },
    "git fetch && git merge 1a2b3c4 (if git does not know that commit, it has not been pushed yet). Only",
  ],
  ["with the branch that holds the commit", { branch: "trunk" }, "trunk was applied at 1a2b3c4"],
  ["where the history is not known", { isCertain: false }, "cannot tell whether this branch contains it"],
  ["of a clock that is ahead", { time: "2026-01-01T01:00:00Z" }, "(anna, just now)"],
  [
    "of an apply that had uncommitted changes",
    { dirty: true },
    "(anna, 2 minutes ago, with changes that it does not declare), and",
  ],
  ["of a time that is none", { time: "soon" }, "(anna), and"],
])("says it %s", async (_, more, text) => {
  const { ownership } = ours([cron("b")]);
  const apply = { ...ownership, rolledBack: true, missed: { ...(await missed({ b: "x" }, {})), ...more } };
  const made = plan(await buildInput(declare({}), live({ b: "x" }), {}, now, { ownership: apply }));
  expect(made.refusals[0]?.summary).toContain(text);
});

test("names ten of the resources that it would delete, and counts the others", async () => {
  const there = Object.fromEntries("abcdefghijkl".split("").map((name) => [name, "x"]));
  const [refusal] = (await planBranch({}, there, {})).refusals;
  expect(refusal?.hint).toContain(`${cron("j")} and 2 more`);
  expect(refusal?.hint).not.toContain(cron("k"));
});

describe("a branch that takes nothing back", () => {
  test.each<[string, Jobs, Jobs, Jobs]>([
    ["adds a resource", { a: "x", mine: "x" }, { a: "x" }, { a: "x" }],
    ["changes one that main left alone", { a: "mine" }, { a: "x" }, { a: "x" }],
    ["makes the same change as main", { a: "new" }, { a: "new" }, { a: "x" }],
  ])("goes on with a notice: it %s", async (_, mine, there, base) => {
    const made = await planBranch(mine, there, base);
    expect(made.refusals).toEqual([]);
    expect(made.diagnostics).toMatchObject([{ severity: "notice", code: "rolled_back" }]);
  });
});

describe("a branch that takes something back", () => {
  test.each<[string, Jobs, Jobs, Jobs]>([
    ["deletes what main added", { a: "x" }, { a: "x", b: "x" }, { a: "x" }],
    ["deletes what both had", {}, { a: "x", b: "x" }, { a: "x", b: "x" }],
    ["changes what main changed back", { a: "x" }, { a: "new" }, { a: "x" }],
    ["changes what main changed to a third value", { a: "mine" }, { a: "new" }, { a: "x" }],
    ["makes what main deleted", { a: "x", b: "x" }, { a: "x" }, { a: "x", b: "x" }],
  ])("is refused: it %s", async (_, mine, there, base) => {
    expect((await planBranch(mine, there, base)).refusals).toMatchObject([{ code: "rolled_back" }]);
  });

  test("is refused if the order of the commits is unknown", async () => {
    for (const lost of [{ there: undefined }, { base: undefined }]) {
      const known = { ...(await missed({ a: "x" }, { a: "x" })), ...lost };
      const made = await planBranch({ a: "x", mine: "x" }, { a: "x" }, { a: "x" }, { missed: known });
      expect(made.refusals).toMatchObject([
        {
          code: "rolled_back",
          hint: expect.stringMatching(
            /^this plan deletes or changes .*, and git cannot tell whether that takes back the last apply$/u,
          ),
        },
      ]);
    }
  });

  test("is refused where only a mark of prevent_destroy would be lost", async () => {
    const { inventory } = ours([cron("a")], [cron("a")]).ownership;
    const made = await planBranch({ a: "x" }, { a: "x" }, { a: "x" }, { inventory });
    expect(made.steps).toEqual([]);
    expect(made.refusals).toMatchObject([{ code: "rolled_back", hint: expect.stringContaining(cron("a")) }]);
  });
});

/** The command of one job at the commit that both have, at that of main and at that of the branch, each undefined where it has none. */
type Drawn = Readonly<Record<"base" | "there" | "mine", string | undefined>>;

const command = fc.constantFrom("x", "y", "z");
const perhaps = fc.option(command, { nil: undefined });
/** Mostly a branch that has what main has, or another command where main has changed nothing: only such branches go on. */
const drawn: fc.Arbitrary<Drawn> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ base: perhaps, there: perhaps }).map((all) => ({ ...all, mine: all.there })) },
  { weight: 4, arbitrary: fc.record({ base: perhaps, mine: command }).map((all) => ({ ...all, there: all.base })) },
  { weight: 1, arbitrary: fc.record({ base: perhaps, there: perhaps, mine: perhaps }) },
);

test("no branch that goes on changes what main has added, changed or deleted", () =>
  forDraws(150, fc.tuple(...names.map(() => drawn)), async (all) => {
    const jobsOf = (commit: keyof Drawn): Jobs =>
      Object.fromEntries(all.flatMap((each, index) => (each[commit] ? [[names[index], each[commit]]] : [])));
    const [base, there, mine] = [jobsOf("base"), jobsOf("there"), jobsOf("mine")];
    const made = await planBranch(mine, there, base);
    fc.pre(made.refusals.length === 0 && made.steps.length > 0);
    for (const { address, action } of made.steps) {
      const name = address.slice(cron("").length);
      expect(action).not.toBe("delete");
      expect(there[name]).toBe(base[name]);
    }
  }));
