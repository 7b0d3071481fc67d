import { beforeAll, expect, test } from "vitest";
import { awaitJob } from "../../src/apply/follow-job.ts";
import type { RunContext } from "../../src/apply/run-context.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import type { Contract } from "../../src/model/contract.ts";
import type { Failure } from "../../src/model/failure.ts";
import type { JsonObject } from "../../src/model/json.ts";

/** A job that is read while the run is stopped: what its answer says comes before the stop. */
let contract: Contract;
beforeAll(async () => {
  const loaded = await loadContract(undefined);
  if (!loaded.contract) throw new Error("The built-in contract is wrong");
  contract = loaded.contract;
});

const answered = { status: 200, location: undefined, requestId: undefined, attempts: 1 };
const accepted = { ...answered, status: 202, location: "/v2026/jobs/j1", body: {} };

function follow(read: JsonObject | Failure["sort"]) {
  const stop = new AbortController();
  const get = async () => {
    stop.abort();
    if (typeof read === "object") return { ok: true, value: { ...answered, body: { data: read } } };
    const error = { sort: read, method: "GET", path: "/v2026/jobs/j1", message: `the read was ${read}`, attempts: 1 };
    return { ok: false, error };
  };
  const context = {
    contract,
    connection: { get, poll: get, stop: stop.signal, localPath: (location: string) => location },
    waitTimeout: 60_000,
    deps: { now: () => 0, sleep: async () => undefined },
  };
  return awaitJob(context as unknown as RunContext, accepted);
}

test("a job that is done then is done", async () => {
  expect(await follow({ status: "done", resource: { id: "db_1" } })).toEqual({ ok: true, value: { made: "db_1" } });
});

test.each<[string, JsonObject | Failure["sort"], string]>([
  ["failed then", { status: "failed", error: { code: "full", message: "no room" } }, "no room"],
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
