import { writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { startHttpsServer } from "../support/https-server.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { openedForFile } from "../support/opened-for-file.ts";
import { folderForFile } from "../support/temporary-folder.ts";
import { virtualClock } from "../support/virtual-clock.ts";

/** A vendor that makes a zone together with its domain, and has its records below the id of the zone. */
const contract = `contract: 1
name: along
request: { auth: { header: X-Key } }
answer: { record: "", list: "", error: { message: /message } }
paging: { style: none }
kinds:
  domain:
    id: /id
    fields: { name: { at: /name } }
    operations: { list: { method: GET, path: /domains }, create: { method: POST, path: /domains } }
  dns_zone:
    id: /id
    fields: { name: { at: /name }, ttl: { at: /ttl } }
    operations: { list: { method: GET, path: /zones }, create: implicit, update: { method: PATCH, path: "/zones/{id}" } }
  dns_record:
    id: /id
    params: { zone: { id_of: dns_zone, key: { name: zone } } }
    fields: { name: { at: /name }, type: { at: /type, values: [A] }, content: { at: /content }, ttl: { at: /ttl } }
    operations:
      list: { method: GET, path: "/zones/{zone}/records" }
      create: { method: POST, path: "/zones/{zone}/records" }
`;

/** The same vendor, where a name writes all records of a zone, and only their list needs its id. */
const byName = `${contract}      zone: { method: PUT, path: "/zone-of/{name_of_zone}" }
`
  .replace("params: { zone:", "params: { name_of_zone: { key: zone }, zone:")
  .replace('      create: { method: POST, path: "/zones/{zone}/records" }\n', "");

/** The same vendor, where the name of a zone leads to its records. */
const below = contract
  .replace("{ id_of: dns_zone, key: { name: zone } }", "{ key: zone }")
  .replaceAll('"/zones/{zone}/records"', '"/records-of/{zone}"');

const server = openedForFile(() =>
  startHttpsServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  }),
);
const folder = folderForFile();
let asked: string[] = [];
const made = new Map<string, readonly object[]>();
/** How often the list of zones is read before it shows the zone of a new domain. */
let lag = 0;

let zone = { id: "z7", name: "shop.example", ttl: 3600 };

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = "" } = request;
  asked.push(`${method} ${url}`);
  const listed = (made.get(url) ?? []).length;
  const list = url === "/zones" ? (made.has("/domains") && lag-- <= 0 ? [zone] : []) : (made.get(url) ?? []);
  if (method === "GET") return void response.end(JSON.stringify(list));
  const body = (await json(request)) as object;
  if (method === "PATCH") return void response.end(JSON.stringify((zone = { ...zone, ...body })));
  const created = { ...body, id: `o${listed}` };
  made.set(url, [...(made.get(url) ?? []), created]);
  response.writeHead(201).end(JSON.stringify(created));
}

beforeAll(async () => {
  writeFileSync(join(folder, "ca.pem"), server.ca);
  writeFileSync(join(folder, "contract.yaml"), contract);
  writeFileSync(join(folder, "by-name.yaml"), byName);
  writeFileSync(join(folder, "below.yaml"), below);
});
beforeEach(() => {
  [asked, lag] = [[], 0];
  made.clear();
});

const run = (command: string, sections: object, ...more: readonly string[]) =>
  runWith("contract.yaml", command, sections, ...more);

async function runWith(contractFile: string, command: string, sections: object, ...more: readonly string[]) {
  writeFileSync(join(folder, "m.yaml"), JSON.stringify({ version: 1, name: "along", ...sections }));
  const { href } = server.baseUrl;
  const flags = ["--base-url", href, "--ca-file", join(folder, "ca.pem"), "--contract", join(folder, contractFile)];
  const target = { flags, env: { HOSTFORM_API_KEY: "a-key-of-the-vendor" } };
  const consent = command === "apply" ? ["--auto-approve"] : [];
  const args = [command, ...consent, "-f", join(folder, "m.yaml"), ...more];
  return runInProcess(target, args, {}, virtualClock());
}

const writes = () => asked.filter((each) => !each.startsWith("GET"));
const domains = { "shop.example": {} };
const dns = { "shop.example": { records: { www: { A: { ttl: 300, values: ["192.0.2.1"] } } } } };

test("a record below a zone that does not exist yet is refused, and created after the domain that brings the zone", async () => {
  const refused = exits(3, await run("apply", { domains, dns }));
  expect((refused.stdout + refused.stderr).replaceAll(/\s+/gu, " ")).toContain(
    "dns_record/shop.example/www/A needs the id of dns_zone/shop.example, which the server makes together with another resource, and which does not exist yet",
  );
  expect(writes()).toEqual([]);
  expect((await run("apply", { domains, dns }, "--only", "domain/shop.example")).status).toBe(0);
  expect((await run("apply", { domains, dns })).status).toBe(0);
  expect(writes()).toEqual(["POST /domains", "POST /zones/z7/records"]);
  expect((await run("plan", { domains, dns }, "--detailed-exitcode")).status).toBe(0);
});

test("a record below a zone whose fields are declared is created after the zone is looked up", async () => {
  const withTtl = { dns: { "shop.example": { ...dns["shop.example"], ttl: 600 } } };
  made.set("/domains", [{ id: "d1", name: "shop.example" }]);
  lag = 3;
  exits(0, await run("apply", withTtl));
  expect(writes()).toEqual(["PATCH /zones/z7", "POST /zones/z7/records"]);
});

test("a set of records that is written by the name of its zone is refused where only its list needs the id of a zone that does not exist yet", async () => {
  const refused = exits(3, await runWith("by-name.yaml", "apply", { domains, dns }));
  expect((refused.stdout + refused.stderr).replaceAll(/\s+/gu, " ")).toContain(
    "dns_record/shop.example/www/A needs the id of dns_zone/shop.example, which the server makes together with another resource, and which does not exist yet",
  );
  expect(writes()).toEqual([]);
});

test("a record below the name of a zone that does not exist yet is refused, and created after the domain that brings the zone", async () => {
  const refused = exits(3, await runWith("below.yaml", "apply", { domains, dns }));
  expect((refused.stdout + refused.stderr).replaceAll(/\s+/gu, " ")).toContain(
    "dns_record/shop.example/www/A needs dns_zone/shop.example, which the server makes together with another resource, and which does not exist yet",
  );
  expect(writes()).toEqual([]);
  exits(0, await runWith("below.yaml", "apply", { domains, dns }, "--only", "domain/shop.example"));
  exits(0, await runWith("below.yaml", "apply", { domains, dns }));
  expect(writes()).toEqual(["POST /domains", "POST /records-of/shop.example"]);
});
