import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createOperationLog } from "../../src/emulator/http/operation-log.ts";
import { readOperations, type LoggedOperation } from "../../src/emulator/index.ts";
import type { LogEntry } from "../../src/emulator/store/operations.ts";
import { openStore } from "../../src/emulator/store/store.ts";
import { openApi, serviceBody, type Api } from "./open-api.ts";
import { forDraws } from "../support/for-draws.ts";
import { folderForTest } from "../support/temporary-folder.ts";

async function logged({ call }: Api, query = ""): Promise<readonly LoggedOperation[]> {
  return (await call("GET", `/_emulator/operations${query}`)).data as unknown as LoggedOperation[];
}

test("every operation is logged: who, what, when, how it ended", async () => {
  const began = Date.now();
  const api = await openApi();
  const made = await api.call("POST", "/v2026/services", serviceBody("example.com"));
  await api.call("GET", "/v2026/services?page=1");
  await api.call("POST", "/v2026/services", serviceBody("example.com"));
  await api.call("GET", "/v2026/none");
  const operations = await logged(api);
  expect(operations.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual([
    "POST /v2026/services 201",
    "GET /v2026/services?page=1 200",
    "POST /v2026/services 409",
    "GET /v2026/none 404",
  ]);
  expect(operations[0]).toMatchObject({
    request_id: made.headers["x-request-id"],
    key_id: expect.stringMatching(/^key_/),
  });
  const times = operations.map(({ time }) => Date.parse(time));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times[0]).toBeGreaterThanOrEqual(began);
});

test("a request without a valid key is logged without one", async () => {
  const api = await openApi();
  await api.call("GET", "/v2026/services", undefined, { authorization: "Bearer wrong" });
  expect(await logged(api)).toMatchObject([{ status: 401, key_id: null }]);
});

test("the log holds no key, no body and no secret of a query", async () => {
  const api = await openApi();
  const { emulator, call, make } = api;
  await make("/v2026/domains", { name: "example.com" });
  await make("/v2026/mail/accounts", { address: "info@example.com", password: "correct horse" });
  await call("GET", "/v2026/services?api_key=s3cret&page=1&to%6ben=s3cret&Password=s3cret&flag");
  const { text } = await call("GET", "/_emulator/operations");
  expect(text).toContain("/v2026/services?api_key=…&page=1&to%6ben=…&Password=…&flag");
  for (const secret of ["s3cret", "horse", "info@", String(emulator.key)]) expect(text).not.toContain(secret);
});

test("the log is read from a place on, so much at a time", async () => {
  const api = await openApi();
  for (let number = 1; number <= 5; number += 1) await api.call("GET", `/v2026/services?page=${number}`);
  const first = await logged(api, "?limit=2");
  expect(first).toHaveLength(2);
  const rest = await logged(api, `?after=${first[1]?.seq ?? 0}`);
  expect(rest.map(({ path }) => path)).toEqual([3, 4, 5].map((number) => `/v2026/services?page=${number}`));
  expect((await api.call("GET", "/_emulator/operations?after=x&limit=-1")).status).toBe(422);
});

test("the log of a data file is read while the service runs", async () => {
  const dataFile = join(folderForTest(), "data.db");
  const api = await openApi({ dataFile });
  for (let number = 0; number < 1100; number += 1) await api.call("GET", "/v2026/none");
  await api.call("POST", "/v2026/dns/zones", { name: "example.com" });
  const operations = [...readOperations(dataFile)];
  expect(operations).toHaveLength(1101);
  expect(operations.at(-1)).toMatchObject({ method: "POST", path: "/v2026/dns/zones", status: 201, seq: 1101 });
});

test("a data file that is not there is named", () => {
  expect(() => [...readOperations("/nowhere/data.db")]).toThrow("There is no data file /nowhere/data.db.");
});

test("what is logged before the log stops is kept, in its order, and nothing after it", async () => {
  const entry = (path: string): LogEntry => ({
    time: 0,
    key_id: null,
    method: "GET",
    path,
    status: 200,
    request_id: path,
    duration_ms: 0,
    committed: false,
    fault: null,
  });
  const calls = fc.array(fc.constantFrom("append", "later", "flush", "turn"), { maxLength: 8 });
  await forDraws({ numRuns: 50 }, calls, calls, async (before, after) => {
    const store = openStore(":memory:", { now: () => 0, random: (bytes) => new Uint8Array(bytes) });
    const log = createOperationLog(store);
    const expected: string[] = [];
    for (const [index, call] of before.entries()) {
      if (call === "append") store.transaction(() => log.append(entry(`${index}`)));
      else if (call === "later") log.later(entry(`${index}`));
      else if (call === "flush") log.flush();
      else await nextTurn();
      if (call === "append" || call === "later") expected.push(`${index}`);
    }
    log.stop();
    const kept = () => store.operations.after(0, 100).map(({ path }) => path);
    expect(kept()).toEqual(expected);
    for (const call of after) {
      if (call === "later") log.later(entry("late"));
      else if (call === "flush") log.flush();
      else await nextTurn();
    }
    await nextTurn();
    expect(kept(), "after the stop").toEqual(expected);
    store.close();
  });
});
