import { describe, expect, test } from "vitest";
import { recordApply } from "../../src/engine/session/apply-record.ts";
import type { Failure } from "../../src/model/failure.ts";
import { emptyInventory, type OpenInventory } from "../../src/model/inventory.ts";
import type { Step } from "../../src/model/plan.ts";
import type { Outcome, Report } from "../../src/model/report.ts";
import { renderReport } from "../../src/render/report-text.ts";
import { planOfCustomers } from "../support/page-source.ts";
import { plainPage } from "../support/plain-page.ts";
import { makeStep } from "../support/make-step.ts";

const step = (name: string, action: Step["action"] = "create"): Step => ({
  ...makeStep(name),
  action,
  at: { file: "m.yaml", line: 7, col: 1 },
});
const failed = (failure: Partial<Failure>, callsDone = 0): Outcome => ({
  is: "failed",
  failure: { sort: "forbidden", method: "POST", path: "/crons", status: 403, message: "No.", attempts: 1, ...failure },
  callsDone,
});

function lines(...outcomes: [Step, Outcome][]): string[] {
  const report: Report = {
    outcomes: outcomes.map(([each, outcome]) => ({ step: each, outcome })),
    interrupted: false,
    requests: { writes: 0, repeated: 0, reads: 0, polls: 0 },
    mismatches: [],
    milliseconds: 0,
  };
  return renderReport(report, plainPage).split("\n");
}

test("a failure ends with its attempts and its request in brackets", () => {
  const failure = { code: "forbidden", attempts: 5, requestId: "req_1" };
  expect(lines([step("a"), failed(failure)])[1]).toBe("    POST /crons: 403 forbidden: No (5 attempts, request req_1)");
  expect(lines([step("a"), failed({})])[1]).toBe("    POST /crons: 403: No");
});

test("what was blocked or not attempted has its place in the manifest, as what failed has", () => {
  const told = lines(
    [step("a"), failed({})],
    [step("b"), { is: "blocked", by: "create cron/a" }],
    [step("c"), { is: "not_attempted" }],
  );
  expect(told).toContain("failed  cron/example.com/a (m.yaml:7)");
  expect(told).toContain("blocked  cron/example.com/b (m.yaml:7) by create cron/a");
  expect(told).toContain("not attempted  cron/example.com/c (m.yaml:7)");
});

test("the history of the inventory counts what an apply has done as the report does", async () => {
  const report: Report = {
    outcomes: [
      { step: step("a", "delete"), outcome: { is: "done" } },
      { step: { ...step("b", "update"), detaches: true }, outcome: { is: "done" } },
      { step: step("c"), outcome: { is: "done", adopted: true } },
      { step: step("d"), outcome: failed({}) },
    ],
    putBacks: [
      { address: step("a").address, by: "create cron/d", method: "POST", path: "/crons", outcome: { is: "put_back" } },
    ],
    interrupted: false,
    requests: { writes: 4, repeated: 0, reads: 0, polls: 0 },
    mismatches: [],
    milliseconds: 0,
  };
  const subjects: string[] = [];
  const store = { finish: async (_next: unknown, subject: string) => (subjects.push(subject), []) };
  const source = { commit: undefined, manifests: [], removals: new Set<never>(), undoes: false };
  const record = recordApply(
    { ...store, place: () => undefined } as unknown as OpenInventory,
    { ...emptyInventory, lastApply: undefined },
    { ...source, dropped: async () => new Map<never, never>() },
    false,
    { now: () => 0 },
  );
  await record.finish(planOfCustomers(0), report, []);
  const sums = "0 added, 0 changed, 0 destroyed, 1 adopted, 1 put back";
  expect(subjects).toEqual([`apply: ${sums}, 1 not done`]);
  expect(renderReport(report, plainPage)).toContain(`Applied in part: ${sums} in 0.0 s; 1 failed`);
});

test("of what was held back in its middle it says how much was done", () => {
  const call = {
    operation: "create",
    method: "POST",
    path: "/records",
    params: {},
    query: {},
    base: {},
    values: [],
  } as const;
  const told = lines([
    { ...step("c"), calls: [call, call] },
    { is: "not_attempted", callsDone: 1 },
  ]);
  expect(told[1]).toBe("    1 of 2 calls of this step were done before");
});

describe("at the end, what to do", () => {
  const again = "Run again to do the rest.";
  const look = "Plan again, and check what may already have been changed before you apply.";
  test.each<[string, Step["action"], Partial<Failure>, string]>([
    ["what was surely not made", "create", { sort: "rate_limited", status: 429 }, again],
    [
      "what the API does not accept",
      "create",
      { sort: "invalid", status: 422, fields: { content: ["no"] } },
      "change content of cron/example.com/a",
    ],
    ["what the key may not do", "create", { sort: "forbidden", status: 403 }, "use a key that may write"],
    ["what stands in the way", "create", { sort: "conflict", status: 409 }, "check which resource conflicts with"],
    ["what is not there", "update", { sort: "not_found", status: 404 }, "plan again"],
    ["what is not offered", "delete", { sort: "malformed", status: 405 }, "the API does not offer this"],
    ["what may have been made", "create", { sort: "unknown_outcome" }, look],
    ["what may have been bought", "renew", { sort: "server_error", status: 500 }, look],
    ["a change, which is the same twice", "update", { sort: "unknown_outcome" }, again],
    ["a deletion, which is the same twice", "delete", { sort: "unknown_outcome" }, again],
  ])("after %s", (_name, action, failure, advice) => {
    const sums = lines([step("a", action), failed(failure)]).find((line) => line.includes("in part"));
    expect(sums).toContain(advice);
    if (advice !== again) expect(sums).not.toContain(again);
  });
});

describe("a cause that many steps failed for", () => {
  const dead = (name: string, index: number): [Step, Outcome] => [
    step(name),
    failed({
      sort: "unknown_outcome",
      path: `/crons/${index}`,
      message: "no answer came back; it could not be looked for.",
      requestId: `req_${index}`,
    }),
  ];

  test("is printed once, with the request of each", () => {
    expect(lines(...["a", "b", "c"].map(dead)).slice(0, 5)).toEqual([
      "failed  each of these 3, for one cause:",
      "    403: no answer came back; it could not be looked for",
      "      cron/example.com/a (m.yaml:7): POST /crons/0 (request req_0)",
      "      cron/example.com/b (m.yaml:7): POST /crons/1 (request req_1)",
      "      cron/example.com/c (m.yaml:7): POST /crons/2 (request req_2)",
    ]);
  });

  test("lists ten of them, and counts the others", () => {
    const told = lines(...Array.from({ length: 13 }, (_, index) => dead(`n${index}`, index)));
    expect(told.slice(11, 14)).toEqual([
      "      cron/example.com/n9 (m.yaml:7): POST /crons/9 (request req_9)",
      "      and 3 more",
      expect.stringContaining("Applied in part"),
    ]);
  });

  test("is printed for each if only two share it, or if they got to different points", () => {
    const heads = (...outcomes: [Step, Outcome][]) => lines(...outcomes).filter((line) => line.startsWith("failed"));
    expect(heads(dead("a", 0), dead("b", 1))).toHaveLength(2);
    expect(heads(...["a", "b", "c"].map((name, done): [Step, Outcome] => [step(name), failed({}, done)]))).toHaveLength(
      3,
    );
  });
});
