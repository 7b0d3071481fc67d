import { join } from "node:path";
import Database from "libsql";
import { expect, onTestFinished, test } from "vitest";
import { readOperations } from "../../src/emulator/index.ts";
import type { Fault } from "../../src/emulator/faults/rule.ts";
import { misbehaving, namesIn, zones, type Misbehaving } from "./misbehaving.ts";
import { folderForTest } from "../support/temporary-folder.ts";

const zone = { name: "example.com" };

/** The names on each page of so many zones, z1.test and on, two on a page; and the totals that are told. */
async function pages(count: number, fault: Fault): Promise<{ pages: unknown[]; totals: unknown[] }> {
  const { make, call, addFaults } = await misbehaving();
  for (let number = 1; number <= count; number += 1) await make(zones, { name: `z${number}.test` });
  await addFaults({ match: { path: zones }, fault });
  const answers = await Promise.all([1, 2, 3, 4].map((page) => call("GET", `${zones}?per_page=2&page=${page}`)));
  return {
    pages: answers.map(({ items }) => namesIn(items).map((name) => String(name).slice(0, 2))),
    totals: [...new Set(answers.map(({ body }) => (body["meta"] as { total: number }).total))],
  };
}

test("pages overlap, as when something was added ahead of them", async () => {
  expect(await pages(5, { duplicate_page: true })).toEqual({
    pages: [["z1", "z2"], ["z2", "z3"], ["z4", "z5"], []],
    totals: [5],
  });
});

test("pages leave one out, as when something was deleted ahead of them", async () => {
  expect(await pages(5, { shift_page: true })).toEqual({
    pages: [["z1", "z2"], ["z4", "z5"], [], []],
    totals: [5],
  });
});

test("a total is too low, and never below zero", async () => {
  expect(await pages(3, { short_total: 2 })).toEqual({ pages: [["z1", "z2"], ["z3"], [], []], totals: [1] });
  expect((await pages(1, { short_total: 2 })).totals).toEqual([0]);
});

const stale = (api: Misbehaving): Promise<unknown> => api.call("GET", zones).then(({ items }) => namesIn(items));

test("reads lag behind writes for a while, each write for its own", async () => {
  const api = await misbehaving([{ match: {}, fault: { stale_reads_ms: 1_000_000 } }]);
  const { id } = await api.make(zones, { name: "one.test" });
  expect(await stale(api)).toEqual([]);
  expect((await api.call("GET", `${zones}/${id}`)).status).toBe(404);
  api.clock.advance(600_000);
  await api.make(zones, { name: "two.test" });
  expect(await stale(api)).toEqual([]);
  api.clock.advance(600_000);
  expect(await stale(api)).toEqual(["one.test"]);
  await api.call("DELETE", `${zones}/${id}`);
  api.clock.advance(600_000);
  expect(await stale(api)).toEqual(["one.test", "two.test"]);
  api.clock.advance(600_000);
  expect(await stale(api)).toEqual(["two.test"]);
  expect((await api.operations()).filter(({ method }) => method === "GET").map(({ fault }) => fault)).toEqual([
    ...Array.from({ length: 5 }, () => "stale_reads_ms"),
    null,
  ]);
});

test("a write that is refused hides nothing, and clearing the faults shows the present", async () => {
  const api = await misbehaving();
  await api.make(zones, zone);
  await api.addFaults({ match: {}, fault: { stale_reads_ms: 1_000_000 } });
  expect((await api.call("POST", zones, zone)).status).toBe(409);
  await api.call("DELETE", "/_emulator/faults");
  await api.addFaults({ match: { method: "POST" }, after: 1, fault: { stale_reads_ms: 1_000_000 } });
  await api.make(zones, { name: "two.test" });
  expect(await stale(api)).toEqual(["example.com", "two.test"]);
  await api.make(zones, { name: "three.test" });
  expect(await stale(api)).toEqual(["example.com", "two.test"]);
  await api.call("DELETE", "/_emulator/faults");
  expect(await stale(api)).toEqual(["example.com", "two.test", "three.test"]);
});

test("any number of writes is hidden, and closing does not wait for what is held", async () => {
  const api = await misbehaving([{ match: {}, fault: { stale_reads_ms: 1_000_000 } }]);
  for (let number = 1; number <= 50; number += 1) await api.make(zones, { name: `z${number}.test` });
  expect(await stale(api)).toEqual([]);
  api.clock.advance(2_000_000);
  expect(((await api.call("GET", zones)).body["meta"] as { total: number }).total).toBe(50);
  await api.make(zones, zone);
  // If it waited, it would outlast the test.
  await api.emulator.close();
});

/** A zone with records of www, by content, and the path of its records. */
async function openZone(contents: readonly string[]) {
  const api = await misbehaving();
  const { id } = await api.make(zones, zone);
  const path = `${zones}/${id}/records`;
  const record = (content: string) => ({ name: "www", type: "A", content, ttl: 300 });
  const made = [];
  for (const content of contents) made.push(await api.make(path, record(content)));
  const list = async () => (await api.call("GET", path)).items.filter(({ name }) => name === "www");
  return { ...api, path, record, made, list };
}

test("a PUT gives a new identifier, for good", async () => {
  const { path, record, made, list, call, addFaults } = await openZone(["192.0.2.1"]);
  await addFaults({ match: { method: "PUT" }, fault: { new_id_on_update: true } });
  const old = `${path}/${made[0]?.id}`;
  const { status, data, headers } = await call("PUT", old, record("192.0.2.2"));
  expect([status, data["content"], headers["etag"]]).toEqual([200, "192.0.2.2", data["etag"]]);
  expect(data["id"]).not.toBe(made[0]?.id);
  expect((await call("GET", old)).status).toBe(404);
  expect(await list()).toEqual([data]);
});

test("TTLs that are too low are raised, on creation and on change", async () => {
  const { path, record, list, make, call, addFaults } = await openZone([]);
  await addFaults({ match: {}, fault: { clamp_ttl: 600 } });
  const { id } = await make(path, record("192.0.2.1"));
  expect(await list()).toMatchObject([{ ttl: 600 }]);
  expect((await call("PUT", `${path}/${id}`, { ...record("192.0.2.1"), ttl: 120 })).data).toMatchObject({ ttl: 600 });
  expect((await call("PUT", `${path}/${id}`, { ...record("192.0.2.1"), ttl: 900 })).data).toMatchObject({ ttl: 900 });
});

test("deleting a record takes along the others of its name and type, and no more", async () => {
  const { path, made, list, make, call, addFaults } = await openZone(["192.0.2.1", "192.0.2.2"]);
  await make(path, { name: "www", type: "AAAA", content: "2001:db8::1", ttl: 300 });
  await make(path, { name: "api", type: "A", content: "192.0.2.1", ttl: 300 });
  await addFaults({ match: {}, fault: { delete_siblings: true } });
  expect((await call("DELETE", `${path}/${made[0]?.id}`)).status).toBe(204);
  expect((await list()).map(({ type }) => type)).toEqual(["AAAA"]);
  expect((await call("GET", path)).items.map(({ name }) => name)).toContain("api");
});

test("the log keeps the last million operations, or a few more", async () => {
  const folder = folderForTest();
  const dataFile = join(folder, "data.db");
  const { call } = await misbehaving([], { dataFile });
  for (let number = 1; number <= 3; number += 1) await call("POST", zones, { name: `z${number}.test` });
  const database = new Database(dataFile);
  onTestFinished(() => void database.close());
  database.exec("UPDATE operations SET seq = 1001 WHERE seq = 3; UPDATE sqlite_sequence SET seq = 1000999");
  await call("POST", zones, zone);
  expect([...readOperations(dataFile)].map(({ seq }) => seq)).toEqual([1001, 1_001_000]);
});
