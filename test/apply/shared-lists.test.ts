import { mkdtempSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { readShared, writeTo, type SharedLists } from "../../src/apply/shared-lists.ts";
import type { CollectionId } from "../../src/model/resource.ts";
import { forDraws } from "../support/for-draws.ts";
import { startHttpsServer } from "../support/https-server.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { openedForFile } from "../support/opened-for-file.ts";
import { folderForFile } from "../support/temporary-folder.ts";

/** A vendor that answers writes with nothing, counts its lists, and has no word for the size of a page. */
const contract = `contract: 1
name: silent
request: { auth: { header: X-Key } }
answer: { record: "", list: /items, error: { message: /message } }
paging: { page: page, total: /total }
kinds:
  dns_zone:
    id: /id
    fields: { name: { at: /name } }
    operations: { list: { method: GET, path: /zones } }
  dns_record:
    id: /id
    params: { zone: { id_of: dns_zone, key: { name: zone } } }
    fields:
      name: { at: /name }
      type: { at: /type, values: [A] }
      content: { at: /content }
      ttl: { at: /ttl }
    operations:
      list: { method: GET, path: "/zones/{zone}/records" }
      create: { method: POST, path: "/zones/{zone}/records" }
      update: { method: PATCH, path: "/zones/{zone}/records/{id}" }
      delete: { method: DELETE, path: "/zones/{zone}/records/{id}" }
`;

interface Item {
  readonly id: number;
  readonly [field: string]: unknown;
}

const lists = new Map<string, Item[]>();
let asked: string[] = [];
const server = openedForFile(() =>
  startHttpsServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  }),
);
const folder = folderForFile();

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "https://vendor.example");
  asked.push(`${request.method} ${pathname}`);
  const [, list = "", id] = /^(\/zones(?:\/\w+\/records)?)(?:\/(\d+))?$/u.exec(pathname) ?? [];
  const items = lists.get(list) ?? [];
  if (request.method === "GET") {
    const page = searchParams.get("page") === "1" ? items : [];
    response.end(JSON.stringify({ items: page, total: items.length }));
    return;
  }
  const body = (await json(request)) as object;
  if (id === undefined) lists.set(list, [...items, { ...body, id: asked.length }]);
  else
    lists.set(
      list,
      items.map((item) => (String(item.id) === id ? { ...item, ...body } : item)),
    );
  response.writeHead(204).end();
}

beforeAll(async () => {
  writeFileSync(join(folder, "ca.pem"), server.ca);
  writeFileSync(join(folder, "contract.yaml"), contract);
});

const parallelism = 4;

test("writes that are answered without their object share the reads of their list", async () => {
  const drawn = fc.record({ records: fc.integer({ min: 1, max: 60 }), zones: fc.integer({ min: 1, max: 2 }) });
  await forDraws(12, drawn, async ({ records, zones }) => {
    const place = mkdtempSync(join(folder, "run-"));
    const names = Array.from({ length: zones }, (_, index) => `z${index}.example`);
    lists.clear();
    lists.set(
      "/zones",
      names.map((name, index) => ({ id: index + 1, name })),
    );
    const apply = async (address: string) => {
      const set = Object.fromEntries(
        Array.from({ length: records }, (_, n) => [`n${n}`, { A: { ttl: 300, values: [address] } }]),
      );
      const dns = Object.fromEntries(names.map((name) => [name, { records: set }]));
      writeFileSync(join(place, "m.yaml"), JSON.stringify({ version: 1, name: "silent", dns }));
      asked = [];
      const args = [
        "-f",
        join(place, "m.yaml"),
        "--inventory",
        join(place, "i.json"),
        "--contract",
        join(folder, "contract.yaml"),
      ];
      const flags = [
        "--base-url",
        server.baseUrl.href,
        "--ca-file",
        join(folder, "ca.pem"),
        "--parallelism",
        String(parallelism),
      ];
      const env = { HOSTFORM_API_KEY: "a-key-of-the-vendor" };
      exits(0, await runInProcess({ flags, env }, ["apply", "--auto-approve", ...args]));
      const writes = asked.filter((each) => !each.startsWith("GET")).length;
      return { writes, reads: asked.length - writes };
    };
    for (const address of ["192.0.2.1", "192.0.2.2"]) {
      const { writes, reads } = await apply(address);
      expect(writes).toBe(records * zones);
      // Before and after the apply each list is read; then once for all writes that are under way together. Its total ends each read.
      const shared = Math.ceil(writes / parallelism) + zones + 1;
      expect(reads, `${writes} writes`).toBeLessThanOrEqual(2 * (zones + 1) + shared);
    }
  });
});

test("a read that is asked for while one write is not answered yet begins after its answer", async () => {
  const lists: SharedLists = new Map();
  const id = "cron/example.com" as CollectionId;
  const seen: string[] = [];
  const write = writeTo(lists, id, async () => {
    await setImmediate();
    seen.push("answer");
  });
  const read = readShared(lists, { id, stop: new AbortController().signal }, async () => seen.push("read"));
  await Promise.all([write, read]);
  expect(seen).toEqual(["answer", "read"]);
});
