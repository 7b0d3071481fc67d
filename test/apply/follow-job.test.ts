import fc from "fast-check";
import { expect, test } from "vitest";
import { awaitJob } from "../../src/apply/await-ready.ts";
import type { RunContext } from "../../src/apply/run-context.ts";
import type { JobRules } from "../../src/model/contract.ts";
import type { Failure } from "../../src/model/failure.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { forDraws } from "../support/for-draws.ts";

/** A job that is read while the run is stopped: what its answer says comes before the stop. */

const answered = { status: 200, location: undefined, requestId: undefined, attempts: 1 };
const accepted = { ...answered, status: 202, location: "/v2026/jobs/j1", body: {} };

function follow(read: JsonObject | Failure["sort"], job?: JobRules) {
  const stop = new AbortController();
  const get = async () => {
    stop.abort();
    if (typeof read === "object") return { ok: true, value: { ...answered, body: { data: read } } };
    const error = { sort: read, method: "GET", path: "/v2026/jobs/j1", message: `the read was ${read}`, attempts: 1 };
    return { ok: false, error };
  };
  const context = {
    contract: builtIn,
    connection: { get, poll: get, stop: stop.signal, localPath: (location: string) => location },
    waitTimeout: 60_000,
    deps: { now: () => 0, sleep: async () => undefined },
  };
  const rules = job ? { ...builtIn, answer: { ...builtIn.answer, job } } : builtIn;
  return awaitJob(context as unknown as RunContext, rules, accepted);
}

test("a job that is done then is done", async () => {
  expect(await follow({ status: "done", resource: { id: "db_1" } })).toEqual({
    ok: true,
    value: { isOnly: true, made: "db_1" },
  });
});

test("a job that an answer names by its place alone is read there, though others are named by their id", async () => {
  const job: JobRules = { statuses: [202], id: "/job", path: "/jobs/{job}", status: "/status", done: ["done"] };
  expect(await follow({ status: "done" }, job)).toMatchObject({ ok: true });
  expect(await follow("server_error", job)).toMatchObject({ ok: false, error: { sort: "server_error" } });
});

test.each<[string, JsonObject | Failure["sort"], string]>([
  ["failed then", { status: "failed", error: { code: "full", message: "no room" } }, "no room"],
  ["failed then without a reason", { status: "failed" }, "the job ended as failed"],
  ["cannot be read then", "server_error", "the read was server_error"],
  [
    "is not read for that",
    "interrupted",
    "the server has accepted it, and the run was stopped before its job was done",
  ],
  ["still runs", { status: "running" }, "the server has accepted it, and the run was stopped before its job was done"],
])("a job that %s is told so", async (_name, read, message) => {
  expect(await follow(read)).toMatchObject({ ok: false, error: { message } });
});

/** How the jobs of a request are named and how they end, with the contract's words for it. */
const ways = fc.record({
  named: fc.constantFrom("location", "id", "ids"),
  ends: fc.constantFrom("word", "number", "status", "gone"),
  jobs: fc.integer({ min: 1, max: 4 }),
  /** Reads of a job until it has ended. */
  reads: fc.integer({ min: 1, max: 5 }),
  fails: fc.boolean(),
  isStatusTold: fc.boolean(),
});

test("the jobs of an answer are found, awaited and ended as the contract says, each at its own address", () =>
  forDraws({ numRuns: 200 }, ways, async ({ named, ends, jobs, reads, fails, isStatusTold }) => {
    const byStatus = named === "location" || isStatusTold;
    const ids = Array.from({ length: named === "ids" ? jobs : 1 }, (_, index) => index + 1);
    const rules: JobRules = {
      ...(byStatus && { statuses: [201] }),
      ...(named === "location" ? { location: "Location" } : { path: "/actions/{job}" }),
      ...(named === "id" && { id: "/action/id" }),
      ...(named === "ids" && { ids: "/actions" }),
      record: "/action",
      resource_id: "/made",
      ...(ends === "word" && { status: "/state", done: ["fine"], failed: ["bad"], error: "/why" }),
      ...(ends === "number" && { status: "/state", done: ["100"], failed: ["-1"], error: "/why" }),
      ...(ends === "status" && { done_statuses: [200] }),
      ...(ends === "gone" && { done_statuses: [404] }),
    };
    const canFail = (ends === "word" || ends === "number") && fails;
    const [good, bad] = ends === "word" ? ["fine", "bad"] : [100, -1];
    const seen = new Map<string, number>();
    const get = async ({ path }: { path: string }) => {
      const count = (seen.get(path) ?? 0) + 1;
      seen.set(path, count);
      const isEnded = count >= reads;
      const failure = { sort: "not_found", method: "GET", path, status: 404, message: "gone", attempts: 1 };
      if (ends === "gone" && isEnded) return { ok: false, error: failure };
      const state = isEnded ? (canFail ? bad : good) : 50;
      const body = { action: { id: 1, state, why: "no room", made: 9 } };
      return { ok: true, value: { ...answered, status: ends === "status" && isEnded ? 200 : 202, body } };
    };
    const context = {
      contract: builtIn,
      connection: { get, poll: get, stop: new AbortController().signal, localPath: (location: string) => location },
      waitTimeout: 60_000,
      deps: { now: () => 0, sleep: async () => undefined },
    };
    const own = { ...builtIn, answer: { ...builtIn.answer, job: rules } };
    const answer = {
      ...answered,
      status: 201,
      location: "/v2026/actions/1",
      body: { action: { id: 1 }, actions: ids, zone: { id: 5 } },
    };
    const job = await awaitJob(context as unknown as RunContext, own, answer);
    if (canFail) expect(job).toMatchObject({ ok: false, error: { message: "no room", givenUp: true } });
    else expect(job).toEqual({ ok: true, value: { isOnly: byStatus, made: ends === "gone" ? undefined : "9" } });
    expect([...seen.keys()]).toEqual(ids.map((id) => `/v2026/actions/${id}`));
  }));

test.each([
  ["no job", { zone: { id: 5 }, action: null }],
  ["an id that leads to another path", { action: { id: "../zones/5" } }],
])("an answer that names %s is followed nowhere", async (_name, body) => {
  const job: JobRules = { id: "/action/id", path: "/actions/{job}", status: "/status", done: ["done"] };
  const own = { ...builtIn, answer: { ...builtIn.answer, job } };
  expect(await awaitJob({ contract: builtIn } as unknown as RunContext, own, { ...answered, body })).toEqual({
    ok: true,
    value: undefined,
  });
});
