import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpsServer, startHttpsServer } from "../support/https-server.ts";
import { runInProcess } from "../support/in-process.ts";

const key = "the-key-of-the-doctors-account";
const zones = [
  { uuid: "z-1", name: "a.example", soa: { ttl: 3600 }, state: "live" },
  { uuid: "z-2", name: "b.example", soa: { ttl: 300 }, state: "live" },
  { uuid: "z-3", name: "c.example", soa: { ttl: 600 }, state: "live" },
];
let server: HttpsServer;
let folder: string;
const methods: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hostform-doctor-"));
  server = await startHttpsServer((request, response) => {
    const url = new URL(request.url ?? "", "https://x.invalid");
    methods.push(request.method ?? "");
    const reply = (status: number, body: unknown, headers = {}) =>
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
    if (request.headers.authorization !== `Token ${key}`)
      return reply(401, {}, { "www-authenticate": "Token realm=x" });
    if (url.pathname !== "/v1/zones") return reply(404, { error: { message: "no such path" } });
    const from = Number(url.searchParams.get("start") ?? 0);
    const result = zones.slice(from, from + Number(url.searchParams.get("limit") ?? 100));
    return reply(200, { result, info: { total_count: 3, start: from, limit: 100 } });
  });
  writeFileSync(join(folder, "ca.pem"), server.ca);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const wrong = `# Our host, by its page of 2026-03
contract: 1
name: my-host
base_path: /v1
request:
  auth: { header: Authorization, scheme: Bearer, assumed: true } # its page says nothing
  headers: { Accept: application/json }
answer:
  record: /data
  list: /data/items
  error: { message: /message }
  rate_limit: { statuses: [429] }
paging: { page: page, size: per_page, max_size: 100, total: /meta/total, assumed: true }
kinds:
  dns_zone:
    assumed: true
    id: /id
    fields:
      name: { at: /name } # as it is
      ttl: { at: /ttl, assumed: true }
      status: { at: /status }
    operations:
      list: { method: GET, path: /dns/zones }
      delete: { method: DELETE, path: "/zones/{id}" }
`;
const right = wrong
  .replace("scheme: Bearer", "scheme: Token")
  .replace("/data/items", "/result")
  .replace("id: /id", "id: /uuid")
  .replace("at: /ttl", "at: /soa/ttl")
  .replace("at: /status", "at: /state, map: { active: live }")
  .replace("/dns/zones", "/zones")
  .replace("message: /message", "message: /error/message")
  .replace("paging: { page: page, size: per_page,", "paging: { style: offset, page: start, size: limit,")
  .replace("/meta/total", "/info/total_count");

function doctor(text: string, ...args: readonly string[]) {
  const file = join(folder, "contract.yaml");
  writeFileSync(file, text);
  const flags = ["--base-url", server.baseUrl.href, "--ca-file", join(folder, "ca.pem"), "--contract", file];
  return runInProcess({ flags, env: { HOSTFORM_API_KEY: key } }, ["doctor", ...args]);
}

describe("hostform doctor", () => {
  test("names each wrong entry of a contract with the words to write, in one run", async () => {
    const { status, stdout, stderr } = await doctor(wrong);
    expect(status, stderr).toBe(2);
    for (const [entry, words] of [
      ["request.auth", "scheme: Token"],
      ["answer.list", "list: /result"],
      ["kinds.dns_zone.operations.list", "path: /zones"],
      ["kinds.dns_zone.id", "id: /uuid"],
      ["kinds.dns_zone.fields.ttl", "at: /soa/ttl"],
      ["kinds.dns_zone.fields.status", "at: /state"],
      ["kinds.dns_zone.fields.status", "active: live"],
      ["paging.total", "total: /info/total_count"],
      ["paging", "page: start"],
      ["answer.error.message", "message: /error/message"],
    ] as const) {
      const [, block = ""] = stdout.split(`refuted: ${entry}\n`);
      expect(block.split("refuted: ")[0], stdout).toContain(words);
    }
    expect(stdout + stderr).not.toContain(key);
    expect(new Set(methods)).toEqual(new Set(["GET"]));
  });

  test("writes a contract that is right without the marks of what it has seen, with its comments", async () => {
    const target = join(folder, "written.yaml");
    const { status, stdout, stderr } = await doctor(right, "--write", target);
    expect(status, stdout + stderr).toBe(0);
    const written = readFileSync(target, "utf8");
    expect(written).toBe(
      right
        .replace("scheme: Token, assumed: true }", "scheme: Token }")
        .replace("total: /info/total_count, assumed: true }", "total: /info/total_count }")
        .replace("    assumed: true\n", "")
        .replace("at: /soa/ttl, assumed: true }", "at: /soa/ttl }")
        .replace('path: "/zones/{id}" }', 'path: "/zones/{id}", assumed: true }'),
    );
    expect(readFileSync(join(folder, "contract.yaml"), "utf8")).toBe(right);
    const own = join(folder, "contract.yaml");
    expect((await doctor(right, "--write", own)).status).toBe(0);
    expect(readFileSync(own, "utf8")).toBe(written);
  });

  test("overwrites no other file, and no built-in contract", async () => {
    const other = join(folder, "ca.pem");
    expect(await doctor(right, "--write", other)).toMatchObject({ status: 3 });
    expect(readFileSync(other, "utf8")).toBe(server.ca);
    const built = await runInProcess({ flags: [], env: {} }, [
      "doctor",
      "--emulator",
      "--write",
      join(folder, "x.yaml"),
    ]);
    expect(built).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("--write needs a contract file") as string,
    });
  });

  test("ends with 4 where the key is refused or the server is not there, and with 3 for a broken file", async () => {
    const file = join(folder, "contract.yaml");
    writeFileSync(file, right);
    const flags = ["--ca-file", join(folder, "ca.pem"), "--contract", file];
    const withKey = (flags: readonly string[], other: string) =>
      runInProcess({ flags, env: { HOSTFORM_API_KEY: other } }, ["doctor"]);
    const refused = await withKey([...flags, "--base-url", server.baseUrl.href], "another-key");
    expect(refused.status, refused.stdout + refused.stderr).toBe(4);
    expect(refused.stderr).toContain("in the header Authorization after Token. request.auth of the contract");
    const gone = await withKey([...flags, "--base-url", "https://127.0.0.1:1"], key);
    expect(gone.status, gone.stdout).toBe(4);
    const untrusted = await withKey(["--base-url", server.baseUrl.href, "--contract", file], key);
    expect(untrusted.status).toBe(4);
    expect(untrusted.stdout).toContain("refuted: tls");
    expect(await doctor(`${right}other: 1\n`)).toMatchObject({ status: 3 });
  });
});
