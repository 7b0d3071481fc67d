import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { namesWanted } from "../../src/doctor/judge/wanted-names.ts";
import type { Json } from "../../src/model/json.ts";
import { checkEvents } from "../support/check-events.ts";
import { type HttpsServer, startHttpsServer } from "../support/https-server.ts";
import { runInProcess } from "../support/in-process.ts";
import { eventsOf } from "../support/run-hostform.ts";
import { refutedIn } from "./judge-mutations.ts";

/** The id of a zone stands at /uuid; /id is a number in the vendor's own books. Records are listed below a zone, or by a query. */
const zones = [
  { id: 1, uuid: "z-1", name: "a.example", customer: 7 },
  { id: 2, uuid: "z-2", name: "b.example", customer: 7 },
];
const records = [{ id: 11, name: "@", type: "A", value: "192.0.2.1", ttl: 300 }];

let server: HttpsServer;
let folder: string;
let refusal: unknown = {};
let asked: string[] = [];
/** The query parameter that the list of all records needs. */
let needed = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hostform-refused-"));
  server = await startHttpsServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "https://x.invalid");
    asked.push(request.url ?? "");
    const reply = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (pathname === "/zones") return reply(200, zones);
    if (pathname === "/records") {
      const zone = searchParams.get(needed);
      return zone === null ? reply(422, refusal) : reply(200, zone === "z-1" ? records : []);
    }
    const [, id] = /^\/zones\/([^/]+)\/records$/u.exec(pathname) ?? [];
    const isThere = zones.some(({ uuid }) => uuid === id);
    return isThere ? reply(200, id === "z-1" ? records : []) : reply(404, { message: "no such thing" });
  });
  writeFileSync(join(folder, "ca.pem"), server.ca);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const contractOf = (id: string, list: string, params: string) => `contract: 1
name: refused
request: { auth: { header: Authorization, scheme: Bearer } }
answer: { record: "", list: "", error: { message: /message } }
paging: { style: none }
kinds:
  dns_zone:
    id: ${id}
    fields: { name: { at: /name } }
    operations: { list: { method: GET, path: /zones } }
  dns_record:
    id: /id
    params: ${params}
    fields: { name: { at: /name }, type: { at: /type, values: [A] }, content: { at: /value }, ttl: { at: /ttl } }
    operations: { list: ${list} }
`;

async function doctor(text: string, ...args: readonly string[]) {
  asked = [];
  const file = join(folder, "contract.yaml");
  writeFileSync(file, text);
  const flags = ["--base-url", server.baseUrl.href, "--ca-file", join(folder, "ca.pem"), "--contract", file];
  return runInProcess({ flags, env: { HOSTFORM_API_KEY: "a-key-of-refused-lists" } }, ["doctor", ...args]);
}

const ofZone = "{ zone: { id_of: dns_zone, key: { name: zone } } }";
const below = '{ method: GET, path: "/zones/{zone}/records" }';
const all = "{ method: GET, path: /records }";

describe("a list below a parent that is refused", () => {
  test.each([
    ["the id of the parent", "/id", below, ofZone, ["kinds", "dns_zone", "id"], { dns_zone: { id: "/uuid" } }],
    [
      "the place of the parent's value",
      "/uuid",
      below,
      "{ zone: { id_of: dns_zone, key: { name: zone }, at: /id } }",
      ["kinds", "dns_record", "params", "zone", "at"],
      { dns_record: { params: { zone: { at: "/uuid" } } } },
    ],
    [
      "the id of the parent for each of which there is a list",
      "/id",
      '{ method: GET, path: "/zones/{zone}/records", for_each: { zone: dns_zone } }',
      "{}",
      ["kinds", "dns_zone", "id"],
      { dns_zone: { id: "/uuid" } },
    ],
  ])("names %s with the place that leads to it, by one more GET", async (_, id, list, params, entry, kinds) => {
    const ran = await doctor(contractOf(id, list, params), "--json");
    expect(refutedIn(ran), ran.stdout).toMatchObject([{ entry, write: { kinds } }]);
    expect(asked.filter((path) => path.includes("/records"))).toEqual(["/zones/1/records", "/zones/z-1/records"]);
  });

  test("is refuted itself where no other id leads to it, and the parent's id is named as another cause", async () => {
    const ran = await doctor(contractOf("/id", '{ method: GET, path: "/dns/{zone}" }', ofZone), "--json");
    expect(checkEvents(eventsOf(ran))).toEqual([]);
    expect(refutedIn(ran), ran.stdout).toMatchObject([
      {
        entry: ["kinds", "dns_record", "operations", "list"],
        hint: expect.stringMatching(/kinds\.dns_zone\.id.*\/uuid/u) as string,
      },
    ]);
  });

  test("is not refuted where the id is right", async () => {
    const ran = await doctor(contractOf("/uuid", below, ofZone), "--json");
    expect(refutedIn(ran), ran.stdout).toEqual([]);
  });
});

describe("a list that is refused without a query parameter", () => {
  test.each([
    ["zone_id", { message: "The zone_id field is required." }],
    ["zone", { message: "zone missing" }],
    ["zone", { message: "bad request" }],
  ])("is read by %s where a parameter fits: %j", async (name, body) => {
    needed = name;
    refusal = body;
    const ran = await doctor(contractOf("/uuid", all, ofZone), "--json");
    expect(refutedIn(ran), ran.stdout).toMatchObject([
      {
        entry: ["kinds", "dns_record", "operations", "list"],
        write: { kinds: { dns_record: { operations: { list: { query: { [name]: "{zone}" } } } } } },
      },
    ]);
  });

  test("is refuted with the name in the API's words, and how a query is written", async () => {
    needed = "customerNumber";
    refusal = { errors: [{ field: "customerNumber", reason: "must be given" }] };
    const { stdout, status } = await doctor(contractOf("/uuid", all, "{}"));
    expect(status).toBe(2);
    const [, block = ""] = stdout.split("refuted: kinds.dns_record.operations.list\n");
    expect(block, stdout).toMatch(/hint: .*customerNumber/u);
    expect(block).toContain("query: { customerNumber: ");
  });

  test("is refuted with the way to write a query where the API names none", async () => {
    needed = "customerNumber";
    refusal = { message: "bad request" };
    const { stdout } = await doctor(contractOf("/uuid", all, "{}"));
    const [, block = ""] = stdout.split("refuted: kinds.dns_record.operations.list\n");
    expect(block, stdout).toMatch(/hint: .*may need a query parameter.*query: \{ NAME: /u);
  });
});

test.each<[Json, readonly string[], readonly string[]]>([
  [{ message: "The zone_id field is required." }, [], ["zone_id"]],
  [{ message: "Missing required query parameter: 'zone'" }, [], ["zone"]],
  [{ message: "Parameter `accountId` must be present" }, [], ["accountId"]],
  [{ error: { detail: "query.domain is missing" } }, [], ["domain"]],
  [{ errors: { project_id: ["can't be blank"] } }, [], ["project_id"]],
  [{ errors: [{ loc: ["query", "server"], msg: "field required", type: "missing" }] }, [], ["server"]],
  [{ errors: [{ field: "zone", message: "is required" }] }, [], ["zone"]],
  [{ errors: [{ source: { parameter: "filter[zone]" }, title: "required" }] }, [], ["filter[zone]"]],
  [{ message: "The zone_id field is required." }, ["zone_id"], []],
  [{ message: "The request is invalid." }, [], []],
  [{ message: "A value is required" }, [], []],
  ["zone is required", [], ["zone"]],
  [null, [], []],
  [{ message: `${"a".repeat(9999)} is required` }, [], []],
])("names of missing parameters in %j beside %j are %j", (body, sent, names) => {
  expect(namesWanted(body, sent)).toEqual(names);
});
