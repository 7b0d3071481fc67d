import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { Agent, request } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { readOperations, startEmulator } from "../../src/emulator/index.ts";
import type { Fault, Matcher } from "../../src/emulator/faults/rule.ts";
import { runHostform } from "../support/run-hostform.ts";
import { misbehaving, namesIn, zones, type Misbehaving, type Outcome } from "./misbehaving.ts";
import { startTimer } from "../support/start-timer.ts";
import { folderForTest } from "../support/temporary-folder.ts";

const zone = { name: "example.com" };

interface Tried extends Misbehaving {
  readonly outcome: Outcome;
  /** Names of the zones that are there after it. */
  readonly there: readonly unknown[];
  readonly logged: readonly { readonly status: number; readonly committed: boolean; readonly fault: string | null }[];
}

/** What comes of making a zone while one fault is at work. */
async function makeZone(fault: Fault, match: Matcher = { method: "POST", path: zones }): Promise<Tried> {
  const api = await misbehaving([{ match, count: 1, fault }]);
  const outcome = await api.send("POST", zones, zone);
  const logged = (await api.operations()).map(({ status, committed, fault: name }) => ({
    status,
    committed,
    fault: name,
  }));
  return { ...api, outcome, logged, there: namesIn((await api.call("GET", zones)).items) };
}

test("without a fault a write is logged as committed, and a read and a refusal are not", async () => {
  const { send, operations } = await misbehaving();
  await send("POST", zones, zone);
  await send("POST", zones, zone);
  await send("GET", zones);
  expect((await operations()).map(({ status, committed, fault }) => [status, committed, fault])).toEqual([
    [201, true, null],
    [409, false, null],
    [200, false, null],
  ]);
});

test.each([
  [{ status: 500 }, "internal_server_error"],
  [{ status: 429, retry_after: 2 }, "too_many_requests"],
  [{ status: 400, code: "rate_limited", message: "Slow down." }, "rate_limited"],
])("the fault %j answers an error, and nothing is done", async (fault, code) => {
  const { outcome, there, logged } = await makeZone(fault);
  expect(outcome.status).toBe(fault.status);
  expect(JSON.parse(outcome.text)).toMatchObject({ code, errors: {}, request_id: outcome.headers["x-request-id"] });
  expect(outcome.headers["retry-after"]).toBe("retry_after" in fault ? "2" : undefined);
  expect(there).toEqual([]);
  expect(logged).toEqual([{ status: fault.status, committed: false, fault: "status" }]);
});

test("a status has the headers and the body that its rule says", async () => {
  const date = "Wed, 21 Oct 2026 07:28:00 GMT";
  const headers = { "x-ratelimit-remaining": "0", "X-RateLimit-Reset": null, "X-Request-Id": null };
  const { outcome } = await makeZone({ status: 503, retry_after: date, headers, body: "busy" });
  expect(outcome).toMatchObject({ status: 503, text: "busy" });
  expect(outcome.headers).toMatchObject({ "retry-after": date, "x-ratelimit-remaining": "0" });
  expect(outcome.headers).toHaveProperty("x-ratelimit-limit");
  expect(outcome.headers).not.toHaveProperty("x-ratelimit-reset");
  expect(outcome.headers).not.toHaveProperty("x-request-id");
});

test("a status can come though everything was done, and the log knows", async () => {
  const { outcome, there, logged } = await makeZone({ status: 502, committed: true });
  expect(outcome.status).toBe(502);
  expect(there).toEqual(["example.com"]);
  expect(logged).toEqual([{ status: 201, committed: true, fault: "status" }]);
});

test("an error can have the status 200, and nothing is done", async () => {
  const { outcome, there } = await makeZone({ error_in_200: true, code: "zone_limit", message: "Too many zones." });
  expect(outcome.status).toBe(200);
  expect(JSON.parse(outcome.text)).toMatchObject({ code: "zone_limit", message: "Too many zones." });
  expect(there).toEqual([]);
});

test("a page in HTML can come instead, and nothing is done", async () => {
  const { outcome, there } = await makeZone({ html_page: 502 });
  expect([outcome.status, outcome.headers["content-type"]]).toEqual([502, "text/html; charset=utf-8"]);
  expect(outcome.text).toMatch(/^<!doctype html>/u);
  expect(there).toEqual([]);
});

test("a connection that is reset before anything is done leaves nothing", async () => {
  const { outcome, there, logged } = await makeZone({ reset: "before" });
  expect(outcome.error).toMatch(/UND_ERR_SOCKET|ECONNRESET/u);
  expect(there).toEqual([]);
  expect(logged).toEqual([{ status: 0, committed: false, fault: "reset" }]);
});

test("a connection that is reset after the commit leaves what was written", async () => {
  const { outcome, there, logged } = await makeZone({ reset: "after" });
  expect(outcome.error).toMatch(/UND_ERR_SOCKET|ECONNRESET/u);
  expect(there).toEqual(["example.com"]);
  expect(logged).toEqual([{ status: 201, committed: true, fault: "reset" }]);
});

test("a refusal is lost with its connection too", async () => {
  const { send, call, addFaults, operations } = await misbehaving();
  await call("POST", zones, zone);
  await addFaults({ match: { method: "POST" }, fault: { reset: "after" } });
  expect((await send("POST", zones, zone)).error).toBeDefined();
  expect((await operations()).at(-1)).toMatchObject({ status: 409, committed: false, fault: "reset" });
});

test("a request sent again under its Idempotency-Key is not committed twice", async () => {
  const { send, operations } = await misbehaving([{ match: { method: "POST" }, count: 1, fault: { reset: "after" } }]);
  const key = { "idempotency-key": "k1" };
  expect((await send("POST", zones, zone, key)).error).toBeDefined();
  expect((await send("POST", zones, zone, key)).status).toBe(201);
  expect((await operations()).map(({ committed }) => committed)).toEqual([true, false]);
});

test.each([0, 10, 100_000])("an answer breaks off after %i bytes", async (truncate) => {
  const { outcome, there } = await makeZone({ truncate });
  expect(outcome.error).toMatch(/UND_ERR_SOCKET|ECONNRESET|aborted/u);
  expect(there).toEqual(["example.com"]);
});

test("the bytes before the break arrive", async () => {
  const { emulator } = await misbehaving([{ match: {}, fault: { truncate: 7 } }]);
  const agent = new Agent({ connect: { ca: emulator.caPem } });
  onTestFinished(() => agent.destroy());
  const headers = { authorization: `Bearer ${emulator.key}` };
  const answer = await request(emulator.baseUrl + zones, { dispatcher: agent, headers });
  let received = "";
  const reading = (async () => {
    for await (const chunk of answer.body) received += String(chunk);
  })();
  await expect(reading).rejects.toThrow(/terminated|closed|aborted/u);
  expect([answer.statusCode, received]).toEqual([200, '{"data"']);
});

test.each([
  ["before", []],
  ["after", ["example.com"]],
] as const)("a request that hangs %s never ends by itself", async (hang, expected) => {
  const { send, call, operations, emulator } = await misbehaving([{ match: { method: "POST" }, fault: { hang } }]);
  let ended = false;
  const sending = send("POST", zones, zone).then((outcome) => {
    ended = true;
    return outcome;
  });
  await expect.poll(operations).toHaveLength(1);
  expect(namesIn((await call("GET", zones)).items)).toEqual(expected);
  expect(ended).toBe(false);
  await emulator.close();
  expect((await sending).error).toBeDefined();
});

test("an answer comes later, and what was asked for is done at once", async () => {
  const timer = startTimer(150);
  const { outcome, logged } = await makeZone({ delay_ms: 150 });
  expect(outcome.status).toBe(201);
  expect(timer.isOver()).toBe(true);
  expect(logged).toEqual([{ status: 201, committed: true, fault: "delay_ms" }]);
});

test("JSON breaks off, though the answer is whole", async () => {
  const { outcome, there } = await makeZone({ malformed_json: true });
  expect(outcome).toMatchObject({ status: 201, headers: { "content-type": "application/json" } });
  expect(() => JSON.parse(outcome.text) as unknown).toThrow(SyntaxError);
  expect(there).toEqual(["example.com"]);
});

test("the media type is wrong", async () => {
  const { outcome } = await makeZone({ content_type: "text/plain" });
  expect(outcome.headers["content-type"]).toBe("text/plain");
  expect(JSON.parse(outcome.text)).toMatchObject({ data: zone });
});

test("a single object comes in a list", async () => {
  const { outcome } = await makeZone({ one_in_array: true });
  expect(JSON.parse(outcome.text)).toMatchObject({ data: [zone], message: expect.any(String) });
});

test("a creation is accepted, with no object and no job", async () => {
  const { outcome, there } = await makeZone({ accepted_without_object: 202 });
  expect([outcome.status, JSON.parse(outcome.text)]).toEqual([202, { data: null, message: "Accepted." }]);
  expect(outcome.headers).not.toHaveProperty("location");
  expect(there).toEqual(["example.com"]);
});

test.each([
  ["before", []],
  ["after", ["example.com"]],
] as const)("the process of hostform emulator dies %s, and keeps what was committed", async (exit, expected) => {
  const folder = folderForTest();
  const [data, rules] = [join(folder, "data.db"), join(folder, "rules.json")];
  writeFileSync(rules, JSON.stringify([{ match: { method: "POST" }, fault: { exit } }]));
  let sent: Promise<unknown> | undefined;
  const { status } = await runHostform(["emulator", "--json", "--data", data, "--key", "k", "--fault", rules], {
    onOutput: (stdout) => {
      const line = stdout.split("\n").find((text) => text.includes('"type":"ready"'));
      if (line === undefined || sent !== undefined) return;
      const { base_url: baseUrl } = JSON.parse(line) as { base_url: string };
      const agent = new Agent({ connect: { rejectUnauthorized: false } });
      const headers = { authorization: "Bearer k", "content-type": "application/json" };
      const body = JSON.stringify(zone);
      sent = request(baseUrl + zones, { method: "POST", dispatcher: agent, headers, body })
        .catch((error: unknown) => error)
        .finally(() => void agent.destroy());
    },
  });
  expect(status).toBeNull();
  expect(await sent).toBeInstanceOf(Error);
  expect([...readOperations(data)]).toMatchObject([{ committed: exit === "after", fault: "exit" }]);
  const { call } = await misbehaving([], { dataFile: data, key: "k" });
  expect(namesIn((await call("GET", zones)).items)).toEqual(expected);
});

test("in the process of someone else, what is to end it is called", async () => {
  let exits = 0;
  const faults = [{ match: {}, fault: { exit: "before" } }];
  const exit = (): void => void (exits += 1);
  const emulator = await startEmulator({ faults }, { now: Date.now, random: randomBytes, exit });
  const agent = new Agent({ connect: { ca: emulator.caPem } });
  onTestFinished(async () => {
    await agent.destroy();
    await emulator.close();
  });
  const headers = { authorization: `Bearer ${emulator.key}` };
  await expect(request(emulator.baseUrl + zones, { dispatcher: agent, headers })).rejects.toThrow(/closed|ECONNRESET/u);
  expect(exits).toBe(1);
});
