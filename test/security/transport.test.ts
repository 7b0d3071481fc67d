import { gzipSync } from "node:zlib";
import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { idMadeBy } from "../../src/apply/await-ready.ts";
import { connect, type Connection } from "../../src/api/connection.ts";
import { makeServerIdentity } from "../../src/emulator/tls/certificate.ts";
import type { Contract } from "../../src/model/contract.ts";
import type { Json } from "../../src/model/json.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { startHttpsServer } from "../support/https-server.ts";
import { noAccount, runHostform, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { openedForFile } from "../support/opened-for-file.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const server = openedForFile(() => startHttpsServer((_request, response) => answer(response)));
const folder = folderForFile();
let answer: (response: ServerResponse) => void;
const connections: Connection[] = [];

beforeAll(async () => {
  writeFileSync(join(folder, "m.yaml"), "version: 1\nname: t\ndomains: { a.example: {} }\n");
});
afterEach(() => Promise.all(connections.splice(0).map((connection) => connection.close())));

function open(baseUrl = server.baseUrl): Connection {
  const { now, sleep } = virtualClock();
  const deps = { now, sleep, random: () => 0 };
  const options = { key: "k", ca: server.ca, rules: builtIn, parallelism: 1, attemptTimeout: 5_000, deps };
  const connection = connect({ ...options, baseUrl });
  connections.push(connection);
  return connection;
}

const withKey = { HOSTFORM_API_KEY: "the-api-key" };
const planArgs = (baseUrl: URL, ca: string) => {
  writeFileSync(join(folder, "ca.pem"), ca);
  return ["plan", "-f", join(folder, "m.yaml"), "--base-url", baseUrl.href, "--ca-file", join(folder, "ca.pem")];
};
const plan = (baseUrl: URL, ca: string) => runInProcess(noAccount, planArgs(baseUrl, ca), withKey);

describe("a server that cannot prove who it is gets no key, though NODE_TLS_REJECT_UNAUTHORIZED=0", () => {
  const identity = (host: string, now = Date.now()) => makeServerIdentity([host], now, randomBytes);
  test.each([
    [
      "is signed by another authority",
      identity("127.0.0.1"),
      identity("127.0.0.1").ca,
      "not signed by a trusted certificate authority",
    ],
    ["is for another host", identity("api.test"), undefined, "it is for another host"],
    ["has expired", identity("127.0.0.1", Date.now() - 800 * 86_400_000), undefined, "it has expired"],
  ])("because its certificate %s", async (_name, served, ca, words) => {
    let asked = 0;
    const impostor = await startHttpsServer((_request, response) => {
      asked += 1;
      response.end('{"data":[],"meta":{"total":0}}');
    }, served);
    const ran = await runHostform(planArgs(impostor.baseUrl, ca ?? served.ca), {
      env: { ...withKey, NODE_TLS_REJECT_UNAUTHORIZED: "0" },
    });
    await impostor.close();
    expect(ran).toMatchObject({ status: 4, stderr: expect.stringContaining(words) });
    expect(ran.stderr).toContain("with --ca-file; verification cannot be switched off");
    expect(asked).toBe(0);
  });
});

describe("a CA file is refused", () => {
  const noCertificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  test.each<[string, () => string, string]>([
    ["that is empty", () => "", "holds no certificate"],
    ["that holds something else", () => "garbage", "holds no certificate"],
    ["whose certificate is none", () => noCertificate, "Block 1 of the CA file"],
    ["of which one certificate is none", () => server.ca + noCertificate, "Block 2 of the CA file"],
    ["that is larger than any", () => " ".repeat(1024 * 1024 + 1), "larger than 1024 KiB"],
  ])("%s", async (_name, ca, words) => {
    const ran = await plan(server.baseUrl, ca());
    expect(ran).toMatchObject({ status: 3, stderr: expect.stringContaining(words) });
  });

  test("that has no end", async () => {
    const flags = ["--base-url", server.baseUrl.href, "--ca-file", "/dev/zero"];
    const ran = await runInProcess(noAccount, ["plan", "-f", join(folder, "m.yaml"), ...flags], withKey);
    expect(ran).toMatchObject({ status: 3, stderr: expect.stringContaining("not a regular file") });
  });
});

describe("an answer is not trusted", () => {
  test("where it is a gzip bomb: nothing is unpacked", async () => {
    const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));
    answer = (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    expect(await open().get({ path: "/x" })).toMatchObject({
      ok: false,
      error: { sort: "malformed", message: expect.stringContaining("is not JSON") },
    });
  });

  test.each([
    ["a list", `{"data":${"[".repeat(50_000)}${"]".repeat(50_000)},"meta":{"total":1}}`],
    ["an object", `{"data":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}`],
  ])("where it is %s nested so deeply that walking it would overflow the stack", async (_name, text) => {
    for (const status of [200, 422]) {
      answer = (response) => response.writeHead(status).end(text);
      expect(await open().get({ path: "/x" })).toMatchObject({
        ok: false,
        error: { status, message: "the answer is nested more than 100 levels deep" },
      });
    }
  });

  test("but one as deep as a record may be is", async () => {
    answer = (response) => response.end(`{"data":${"[".repeat(90)}${"]".repeat(90)}}`);
    expect(await open().get({ path: "/x" })).toMatchObject({ ok: true });
  });

  test("where its keys are those of prototypes: they stay data", async () => {
    const odd = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"id":"d1","name":"a.example"}';
    answer = (response) => response.end(`{"data":[${odd}],"meta":{"total":1},"__proto__":{"polluted":1}}`);
    const result = await open().get({ path: "/x" });
    expect(result).toMatchObject({ ok: true });
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    expect((await plan(server.baseUrl, server.ca)).stdout).toContain("No changes");
  });
});

describe("a Location is followed below the base URL only", () => {
  test.each([
    ["https://elsewhere.test/api/jobs/1"],
    ["//elsewhere.test/api/jobs/1"],
    ["http://127.0.0.1/api/jobs/1"],
    ["/jobs/1"],
    ["/api/../jobs/1"],
    ["/api/%2e%2e/jobs/1"],
    ["/api\\..\\jobs"],
    ["/apiary/jobs/1"],
    ["https://"],
  ])("not to %s", (location) => {
    expect(open(new URL("/api", server.baseUrl)).localPath(location)).toBeUndefined();
  });

  test.each([
    ["/api/jobs/1?x=1", "/jobs/1?x=1"],
    ["/api/jobs/1#x", "/jobs/1"],
    ["/api/jobs\r\n/1", "/jobs/1"],
    ["/api/jobs/a b", "/jobs/a%20b"],
  ])("but to %j, as %s", (location, path) => {
    expect(open(new URL("/api", server.baseUrl)).localPath(location)).toBe(path);
  });
});

describe("an id that a finished job names", () => {
  const rules = { ...({} as NonNullable<Contract["answer"]["job"]>), resource_id: "/id" };
  test.each<[Json]>([[".."], ["a/../b"], ["."], [""], ["..\\a"], [{}], [null]])("is none: %j", (id) => {
    expect(idMadeBy(rules, { id })).toBeUndefined();
  });

  test.each<[Json, string]>([
    ["j1", "j1"],
    [7, "7"],
    ["a?b#c\r\n", "a?b#c\r\n"],
  ])("is one: %j", (id, text) => {
    expect(idMadeBy(rules, { id })).toBe(text);
  });
});
