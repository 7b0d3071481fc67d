import { beforeEach, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { frontForFile } from "../support/front.ts";
import { checkEvents, eventsOf, runInProcess } from "../support/run-hostform.ts";
import { virtualClock, type VirtualClock } from "../support/virtual-clock.ts";

/** A server that asks once for a pause: a user must see why nothing happens. */
const account = accountForFile();
const front = frontForFile(account);
let clock: VirtualClock;

beforeEach(() => {
  clock = virtualClock();
});

const plan = (...flags: string[]) => {
  const file = account.write("m.yaml", "version: 1\nname: waiting\ndns: { waiting.example: { records: {} } }\n");
  return runInProcess(front, ["plan", "-f", file, ...flags], {}, clock);
};

function answerOnce(status: number, headers: Record<string, string>, body: unknown) {
  let left = 1;
  front.interfere((_request, response) => {
    left -= 1;
    if (left < 0) return false;
    response.writeHead(status, headers).end(JSON.stringify(body));
    return true;
  });
}

const list = "GET /v2026/dns/zones?page=1&per_page=100";

test.each([429, 503])(
  "a pause that the server asks for with %i is reported, with the request that it holds",
  async (status) => {
    answerOnce(status, { "retry-after": "30" }, { message: "later" });
    const { status: exit, stdout } = await plan();
    expect(stdout).toContain(`Waiting 30 s to send ${list} again, as the server asked (${status}).\n`);
    expect(clock.waits).toEqual([30_000]);
    expect(exit).toBe(0);
  },
);

test("a pause that is longer than the wait is reported with both times", async () => {
  answerOnce(429, { "retry-after": "3600" }, { message: "later" });
  const { stdout } = await plan();
  expect(stdout).toContain(
    `Waiting 60 s to send ${list} again: the server asks for 3600 s (429); Hostform retries earlier.\n`,
  );
  expect(clock.waits).toEqual([60_000]);
});

test("a pause of our own is not said to be the server's wish", async () => {
  let left = 5;
  front.interfere((_request, response) => {
    left -= 1;
    if (left < 0) return false;
    response.writeHead(429).end("{}");
    return true;
  });
  const { stdout } = await plan();
  expect(stdout).toMatch(/^Waiting \d s to send .* again \(429; the server does not say how long\)\.$/mu);
  expect(stdout).not.toContain("asked");
});

test("an exhausted rate limit is reported, and waited for before it is exceeded", async () => {
  const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "12" };
  answerOnce(200, headers, { data: [{ id: "z", name: "other.example" }], meta: { total: 2 } });
  const { stdout } = await plan();
  expect(stdout).toContain(`Waiting 12 s after ${list}, until the rate limit is reset.\n`);
});

test("a pause is an event with --json", async () => {
  answerOnce(429, { "retry-after": "30" }, { message: "later" });
  const events = eventsOf(await plan("--json"));
  expect(events).toContainEqual({
    type: "waiting",
    message: `Waiting 30 s to send ${list} again, as the server asked (429).`,
    milliseconds: 30_000,
    asked: 30_000,
    status: 429,
    method: "GET",
    path: "/v2026/dns/zones?page=1&per_page=100",
  });
  expect(checkEvents(events)).toEqual([]);
});

test("a short pause is not worth a line", async () => {
  answerOnce(429, { "retry-after": "1" }, { message: "later" });
  expect((await plan()).stdout).not.toContain("Waiting");
});
