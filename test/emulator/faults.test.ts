import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { FaultRulesError } from "../../src/emulator/index.ts";
import { drawFrom } from "../../src/emulator/faults/faults.ts";
import { matchesPath, readPattern } from "../../src/emulator/faults/match-path.ts";
import type { Matcher, FaultRule } from "../../src/emulator/faults/rule.ts";
import { forDraws } from "../support/for-draws.ts";
import { exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForTest } from "../support/temporary-folder.ts";
import { misbehaving, zones } from "./misbehaving.ts";
import { openApi } from "./open-api.ts";

const unavailable = { status: 503 } as const;

/** The statuses of so many GETs of all zones, one after the other. */
async function statuses(rules: readonly FaultRule[], times: number): Promise<number[]> {
  const { send } = await misbehaving(rules);
  const all: number[] = [];
  for (let number = 0; number < times; number += 1) all.push((await send("GET", zones)).status);
  return all;
}

test("a rule lets some matches pass first, and fires so often at most", async () => {
  const rule = { match: { path: zones }, after: 1, count: 2, fault: unavailable };
  expect(await statuses([rule], 5)).toEqual([200, 503, 503, 200, 200]);
});

test("with a probability, the same seed befalls the same requests, and another seed others", async () => {
  const rule = (seed: number): FaultRule => ({ match: { method: "GET" }, probability: 0.5, seed, fault: unavailable });
  const first = await statuses([rule(7)], 40);
  expect(new Set(first)).toEqual(new Set([200, 503]));
  expect(await statuses([rule(7)], 40)).toEqual(first);
  expect(await statuses([rule(8)], 40)).not.toEqual(first);
});

test("random numbers are those of their seed for ever, from 0 to below 1, and spread evenly", async () => {
  const draw = drawFrom(1);
  expect([draw(), draw(), draw()].map((number) => number.toFixed(6))).toEqual(["0.627074", "0.002736", "0.527447"]);
  await forDraws({ numRuns: 50 }, fc.integer(), (seed) => {
    const next = drawFrom(seed);
    const numbers = Array.from({ length: 200 }, () => next());
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.15);
  });
});

test("of rules that are due the first fires, and each counts every match", async () => {
  const { send, call } = await misbehaving([
    { match: { path: zones }, after: 1, count: 1, fault: { status: 500 } },
    { match: {}, fault: { status: 429 } },
    { match: { method: "POST" }, fault: { status: 400 } },
  ]);
  const outcomes = [await send("GET", zones), await send("GET", zones), await send("GET", "/v2026/services")];
  expect(outcomes.map(({ status }) => status)).toEqual([429, 500, 429]);
  const { items } = await call("GET", "/_emulator/faults");
  expect(items.map(({ matched, fired }) => [matched, fired])).toEqual([
    [2, 1],
    [3, 2],
    [0, 0],
  ]);
  expect(items[0]).toMatchObject({ match: { path: zones }, after: 1, count: 1, fault: { status: 500 } });
});

test("rules are added and cleared while it runs", async () => {
  const { send, call, addFaults } = await misbehaving();
  expect((await send("GET", zones)).status).toBe(200);
  await addFaults({ match: {}, fault: unavailable });
  expect((await send("GET", zones)).status).toBe(503);
  expect((await call("DELETE", "/_emulator/faults")).data).toEqual({ cleared: 1 });
  expect((await send("GET", zones)).status).toBe(200);
  expect((await call("PUT", "/_emulator/faults", {})).headers["allow"]).toBe("GET, POST, DELETE");
});

test("faults befall neither the service's own switches nor what is not let in", async () => {
  const { send, call } = await misbehaving([{ match: {}, fault: { reset: "before" } }]);
  expect((await call("GET", "/_emulator/health")).data).toEqual({ status: "ok" });
  expect((await send("GET", zones, undefined, { authorization: "Bearer wrong" })).status).toBe(401);
  expect((await send("GET", "/v2026/none")).status).toBe(404);
  expect((await call("GET", "/_emulator/faults")).items[0]).toMatchObject({ matched: 0 });
});

test("a rule can be for one API key", async () => {
  const { send, call, addFaults } = await misbehaving();
  const { data } = await call("POST", "/_emulator/keys", { permissions: { dns: "read" } });
  await addFaults({ match: { key: String(data["id"]) }, fault: unavailable });
  expect((await send("GET", zones)).status).toBe(200);
  expect((await send("GET", zones, undefined, { authorization: `Bearer ${String(data["key"])}` })).status).toBe(503);
});

test.each([
  ["/v2026/dns/zones/{zone_id}/records", "/v2026/dns/zones/z1/records", true],
  ["/v2026/dns/zones/{zone_id}/records", "/v2026/dns/zones/z1/records/r1", false],
  ["/v2026/dns/zones/{zone_id}/records", "/v2026/dns/zones//records", false],
  ["/v2026/dns/*", "/v2026/dns/zones", true],
  ["/v2026/dns/*", "/v2026/dns/zones/z1", false],
  ["/v2026/dns/**", "/v2026/dns/zones/z1/records", true],
  ["/v2026/**/records", "/v2026/dns/zones/z1/records", true],
  ["/v2026/**/records", "/v2026/records", true],
  ["/**/**/**", "/v2026", true],
  ["/v2026/mail/a*s", "/v2026/mail/accounts", true],
  ["/v2026/mail/a*s", "/v2026/mail/settings", false],
  ["/v2026/mail.accounts", "/v2026/mail/accounts", false],
])("%s against %s: %s", (pattern, path, expected) => {
  expect(matchesPath(readPattern(pattern), path)).toBe(expected);
});

const rule = (match: Matcher, fault: object): object => ({ match, fault });

/** Each with the place that is named, and some of what is said of it. */
const mistakes: readonly [rules: unknown, place: string, said: string][] = [
  ["reset", "", "must be a list of rules"],
  [[rule({}, { status: 99 })], "0.fault.status", "at least 200"],
  [[rule({}, { reset: "later" })], "0.fault.reset", "one of before, after"],
  [[rule({}, { explode: true })], "0.fault.explode", "not known"],
  [[rule({}, {})], "0.fault", "must name one of status, "],
  [[rule({}, { code: "x" })], "0.fault", "names none"],
  [[rule({}, { status: 500, hang: "before" })], "0.fault", "status and hang"],
  [[rule({}, { truncate: 1, retry_after: 3 })], "0.fault.retry_after", "belongs to status"],
  [[rule({}, { status: 503, headers: { "Bad name": "x" } })], "0.fault.headers", "property name"],
  [[rule({ path: "v2026" }, unavailable)], "0.match.path", "must match ^/"],
  [[rule({ path: "/v2026/dns/zone" }, unavailable)], "0.match.path", "matches no path"],
  [[rule({ path: "/v2026/mail/settings/**/x/y" }, unavailable)], "0.match.path", "matches no path"],
  [[rule({ method: "DELETE", path: zones }, unavailable)], "0.match.method", "must be GET or POST"],
  [[rule({ path: "/v2026/mail/**" }, { clamp_ttl: 60 })], "0.fault", "can befall nothing"],
  [[rule({}, unavailable), { ...rule({}, unavailable), probability: 0.5 }], "1.seed", "is required with probability"],
  [[{ ...rule({}, unavailable), probability: 2, seed: 1 }], "0.probability", "at most 1"],
  [[{ fault: unavailable }], "0.match", "is required"],
  [[rule({}, { exit: "after" })], "0.fault.exit", "only hostform emulator"],
];

test.each(mistakes)("rules with the mistake %j are refused, naming %s", async (faults, place, said) => {
  const error: unknown = await openApi({ faults }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(FaultRulesError);
  expect((error as FaultRulesError).errors[place]?.join()).toContain(said);
  expect(JSON.stringify((error as FaultRulesError).errors)).not.toContain("undefined");
});

test("rules that are added are all taken, or none", async () => {
  const { call } = await openApi();
  const faults = [rule({}, unavailable), rule({}, { status: 99 })] as FaultRule[];
  const answer = await call("POST", "/_emulator/faults", { faults });
  expect([answer.status, Object.keys(answer.errors)]).toEqual([422, ["rule 2: fault.status"]]);
  expect((await call("POST", "/_emulator/faults", {})).errors).toEqual({ faults: ["must be a list of rules"] });
  expect((await call("GET", "/_emulator/faults")).items).toEqual([]);
});

test.each([
  [
    "- match: {}\n  fault:\n    status: 503\n    retry_afetr: 2\n",
    "rules.yaml:4:18",
    "rule 1: fault.retry_afetr is not known here",
  ],
  ["- match: { path: /v2026/nothing }\n  fault: { hang: after }\n", "rules.yaml:1:18", "matches no path of the API"],
  ["- match: {}\n  fault: { hang: before }\n  fault: { hang: after }\n", "rules.yaml:3:3", "Map keys must be unique"],
  ["- match: {}\n  fault: { exit: after }\n", "rules.yaml:2:18", "only hostform emulator"],
  ["- match: {}\n  fault: hang\n    after: 1\n", "rules.yaml:3:5", "indentation does not fit"],
  ["- match: *none\n", "rules.yaml cannot be read", "none"],
  ["", "rules.yaml:1:1", "must be a list of rules"],
])("a file of rules with a mistake is wrong input, naming the place: %j", async (text, place, said) => {
  const folder = folderForTest();
  const file = join(folder, "rules.yaml");
  writeFileSync(file, text);
  const { stderr } = exits(3, await runInProcess(noAccount, ["emulator", "--fault", file]));
  expect(stderr).toContain(place);
  expect(stderr).toContain(said);
});

test("a value that a rule has is not said to be absent", async () => {
  const { call } = await openApi();
  const { errors } = await call("POST", "/_emulator/faults", { faults: [{ fault: { status: 999 } }] });
  expect(Object.values(errors).flat()).toContain("must be at most 599");
});

test("a file of rules that is nested without end is refused in words", async () => {
  const folder = folderForTest();
  const file = join(folder, "deep.yaml");
  writeFileSync(file, "[".repeat(100_000));
  const { stderr } = exits(3, await runInProcess(noAccount, ["emulator", "--fault", file]));
  expect(stderr).toContain("lists or maps are nested too deeply");
});
