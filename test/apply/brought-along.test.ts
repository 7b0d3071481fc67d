import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startHttpsServer, type HttpsServer } from "../support/https-server.ts";
import { runInProcess } from "../support/in-process.ts";
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
    fields: { name: { at: /name } }
    operations: { list: { method: GET, path: /zones }, create: implicit }
  dns_record:
    id: /id
    params: { zone: { id_of: dns_zone, key: { name: zone } } }
    fields: { name: { at: /name }, type: { at: /type, values: [A] }, content: { at: /content }, ttl: { at: /ttl } }
    operations:
      list: { method: GET, path: "/zones/{zone}/records" }
      create: { method: POST, path: "/zones/{zone}/records" }
`;

let server: HttpsServer;
let folder: string;
let asked: string[] = [];
let domains: readonly object[] = [];
let records: readonly object[] = [];
/** How often the list of zones is read before it shows the zone of a new domain. */
let lag = 0;

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = "" } = request;
  asked.push(`${method} ${url}`);
  const answer = (body: unknown, status = 200) => response.writeHead(status).end(JSON.stringify(body));
  if (url === "/zones")
    return void answer(domains.length > 0 && lag-- <= 0 ? [{ id: "z7", name: "shop.example" }] : []);
  if (method === "GET") return void answer(url === "/domains" ? domains : records);
  const chunks = await request.toArray();
  const made = {
    ...(JSON.parse(Buffer.concat(chunks as Buffer[]).toString("utf8")) as object),
    id: `o${asked.length}`,
  };
  if (url === "/domains") domains = [...domains, made];
  else records = [...records, made];
  answer(made, 201);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hostform-along-"));
  server = await startHttpsServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  writeFileSync(join(folder, "ca.pem"), server.ca);
  writeFileSync(join(folder, "contract.yaml"), contract);
});
beforeEach(() => {
  [asked, domains, records, lag] = [[], [], [], 0];
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function apply(sections: object) {
  writeFileSync(join(folder, "m.yaml"), JSON.stringify({ version: 1, name: "along", ...sections }));
  const { href } = server.baseUrl;
  const flags = ["--base-url", href, "--ca-file", join(folder, "ca.pem"), "--contract", join(folder, "contract.yaml")];
  const target = { flags, env: { HOSTFORM_API_KEY: "a-key-of-the-vendor" } };
  const args = ["apply", "--auto-approve", "-f", join(folder, "m.yaml")];
  return runInProcess(target, args, {}, virtualClock());
}

const zone = { dns: { "shop.example": { records: { www: { A: { ttl: 300, values: ["192.0.2.1"] } } } } } };

test.each([0, 1, 3])(
  "a record below a zone that the server makes with a domain is created, with %d stale lists",
  async (reads) => {
    lag = reads;
    const { status, stdout, stderr } = await apply({ domains: { "shop.example": {} }, ...zone });
    expect(status, stdout + stderr).toBe(0);
    expect(asked.filter((each) => each.startsWith("POST"))).toEqual(["POST /domains", "POST /zones/z7/records"]);
  },
);

test("a record below a zone that nothing brings fails with the name of the zone", async () => {
  const { status, stdout } = await apply(zone);
  expect(status).toBe(5);
  expect(stdout.replaceAll(/\s+/gu, " ")).toContain(
    "the server should have created dns_zone/shop.example with another resource, and it does not exist",
  );
  expect(asked.filter((each) => each.startsWith("POST"))).toEqual([]);
});
