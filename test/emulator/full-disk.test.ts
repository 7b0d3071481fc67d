import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, request } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { isDiskFull, openDatabase, prepareStatement } from "../../src/emulator/store/database.ts";
import { cli } from "../support/run-hostform.ts";
import { folderForTest } from "../support/temporary-folder.ts";
import { openApi, serviceBody } from "./open-api.ts";

test("a disk that is full answers 507, and the service lives on", async () => {
  const folder = folderForTest();
  // No file of this process may grow beyond 1 MiB, and it is told so instead of being killed.
  const limited = `trap '' XFSZ; ulimit -S -f 1024; exec "$0" "$@"`;
  const args = [
    "-c",
    limited,
    process.execPath,
    cli,
    "emulator",
    "--json",
    "--data",
    join(folder, "d.db"),
    "--key",
    "k",
  ];
  const child = spawn("bash", args);
  const ended = new Promise((resolve) => child.on("close", (status, signal) => resolve(signal ?? status)));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const ready = await new Promise<{ base_url: string; ca_file: string }>((resolve) => {
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const line = text.split("\n").find((each) => each.includes('"ready"'));
      if (line !== undefined) resolve(JSON.parse(line) as { base_url: string; ca_file: string });
    });
  });
  const agent = new Agent({ connect: { ca: readFileSync(ready.ca_file) } });
  onTestFinished(() => agent.close());
  const call = async (method: "GET" | "POST", path: string, body?: unknown) => {
    const answer = await request(ready.base_url + path, {
      method,
      dispatcher: agent,
      headers: { authorization: "Bearer k", "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  };
  const statuses = new Set<number>();
  for (let index = 0; index < 2000 && !statuses.has(507); index += 1) {
    const { status } = await call("POST", "/v2026/dns/zones", { name: `${"x".repeat(60)}.zone${index}.example` });
    statuses.add(status);
  }
  expect([...statuses]).toEqual([201, 507]);
  for (let index = 0; index < 5; index += 1) {
    expect((await call("GET", "/v2026/dns/zones?per_page=1")).status).toBe(200);
    const { status, text } = await call("POST", "/v2026/dns/zones", { name: `again${index}.example` });
    expect(status, text).toBe(507);
  }
  // There is space again: writes go on, without a restart.
  execFileSync("prlimit", ["--pid", String(child.pid), "--fsize=unlimited"]);
  for (let index = 0; index < 3; index += 1)
    expect((await call("POST", "/v2026/dns/zones", { name: `after${index}.example` })).status).toBe(201);
  expect((await call("GET", "/v2026/dns/zones?per_page=100")).text).toContain("after2.example");
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
});

test.each([
  ["postgresql", "charset", "utf8mb4", 422],
  ["postgresql", "collation", "utf8mb4_unicode_ci", 422],
  ["postgresql", "charset", "UTF8", 201],
  ["postgresql", "collation", "C.UTF-8", 201],
  ["mysql", "charset", "utf8mb4", 201],
  ["mysql", "collation", "C.UTF-8", 422],
  ["mariadb", "charset", "UTF8", 422],
  ["mariadb", "charset", "latin1", 201],
])("a %s database with the %s %s is answered %i", async (engine, field, value, expected) => {
  const { call, make } = await openApi();
  const { id } = await make("/v2026/services", serviceBody("a.test"));
  const answer = await call("POST", "/v2026/databases", { service_id: id, name: "shop", engine, [field]: value });
  expect(answer.status, JSON.stringify(answer)).toBe(expected);
});

test("a store that may have no more pages says that it is full, reads on, and writes on once it may grow", () => {
  const folder = folderForTest();
  const database = openDatabase(join(folder, "d.db"));
  onTestFinished(() => void database.close());
  database.exec("CREATE TABLE filler (text TEXT)");
  const pages = Number(prepareStatement(database, "PRAGMA page_count").get()?.[0]);
  prepareStatement(database, `PRAGMA max_page_count = ${pages + 4}`).get();
  const fill = () => prepareStatement(database, "INSERT INTO filler VALUES (?)").run(["x".repeat(3000)]);
  let failure: unknown;
  for (let index = 0; index < 100 && failure === undefined; index += 1)
    try {
      fill();
    } catch (error) {
      failure = error;
    }
  expect(failure).toMatchObject({ code: "SQLITE_FULL" });
  expect(isDiskFull(failure)).toBe(true);
  const rows = () => Number(prepareStatement(database, "SELECT count(*) FROM filler").get()?.[0]);
  const before = rows();
  prepareStatement(database, "PRAGMA max_page_count = 1000").get();
  fill();
  expect(rows()).toBe(before + 1);
});
