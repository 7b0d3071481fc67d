import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { answerJson, type HttpsServer, startHttpsServer } from "../support/https-server.ts";
import { exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";

/**
 * An API that is built otherwise than v2026: zones are listed by project, mailboxes stand below an order that is no object of Hostform's, cron
 * jobs have no names, a domain's name servers are an object and its lock has two requests.
 */
const contract = `
contract: 1
name: shapes
base_path: /api
request: { auth: { header: X-Key, scheme: "" }, headers: { Accept: application/json, Content-Type: application/json } }
answer: { record: "", list: "", error: { message: /error }, rate_limit: { statuses: [429] } }
paging: { style: none }
kinds:
  service:
    id: /id
    fields: { domain: { at: /site } }
    operations: { list: { method: GET, path: /projects } }
  dns_zone:
    id: /id
    fields: { name: { at: /name } }
    operations:
      list: { method: GET, path: "/projects/{project}/zones", for_each: { project: service } }
  domain:
    id: /name
    fields: { name: { at: /name }, nameservers: { at: /servers, keys: "ns{n}" }, transfer_lock: { at: /locked } }
    operations: { list: { method: GET, path: /domains } }
    update_of:
      nameservers: { method: PUT, path: "/domains/{id}/servers", send: { nameservers: "" } }
      transfer_lock: { on: { method: PUT, path: "/domains/{id}/lock" }, off: { method: DELETE, path: "/domains/{id}/lock" } }
  mailbox:
    id: /id
    params:
      order: { lookup: { path: /orders, query: { q: "{domain}" }, where: [{ pointer: /for, equals: ["{domain}"] }], at: /no } }
      domain: { key: domain }
      local: { key: local }
    fields: { address: { at: /address }, password: { at: /password } }
    operations:
      list: { method: GET, path: "/orders/{order}/mailboxes" }
      create: { method: POST, path: "/orders/{order}/mailboxes", body: { /local: "{local}", /plan: small }, send: [password] }
      delete: { method: DELETE, path: "/orders/{order}/mailboxes/{id}", body: { /reason: gone } }
  cron:
    id: /uid
    named_by: command
    params: { project: { id_of: service, key: { domain: service } } }
    fields: { name: { absent: true }, schedule: { at: /time }, command: { at: /run } }
    operations:
      list: { method: GET, path: "/projects/{project}/crons" }
      create: { method: POST, path: "/projects/{project}/crons" }
      delete: { method: DELETE, path: "/projects/{project}/crons/{id}" }
`;

type Item = Record<string, unknown>;
const fresh = () => ({
  projects: [
    { id: 1, site: "one.example" },
    { id: 2, site: "two.example" },
  ] as Item[],
  zones: { 1: [{ id: "z1", name: "one.example" }], 2: [{ id: "z2", name: "two.example" }] } as Record<string, Item[]>,
  domains: [{ name: "one.example", servers: { ns1: "a.example.net", ns2: "b.example.net" }, locked: false }] as Item[],
  orders: [
    { no: "o-9", for: "other.example" },
    { no: "o-1", for: "one.example" },
  ] as Item[],
  mailboxes: [] as Item[],
  crons: [] as Item[],
});
let state = fresh();
let writes: string[] = [];
const folder = folderForFile();
let server: HttpsServer;

beforeAll(async () => {
  writeFileSync(join(folder, "shapes.yaml"), contract);
  server = await startHttpsServer((request, response) => {
    void text(request).then((sent) => {
      const { method = "", url = "" } = request;
      const [, , group = "", id = "", below = "", own = ""] = url.split("?")[0]?.split("/") ?? [];
      const body = (sent === "" ? {} : JSON.parse(sent)) as Item;
      if (method !== "GET") writes.push(`${method} ${url} ${sent}`.trim());
      const answer = (status: number, value?: unknown) => answerJson(response, status, value);
      if (group === "projects" && id === "") return answer(200, state.projects);
      if (below === "zones") return answer(200, state.zones[id]);
      if (group === "domains") {
        const domain = state.domains.find(({ name }) => name === id);
        if (domain && below === "servers") domain["servers"] = body;
        if (domain && below === "lock") domain["locked"] = method === "PUT";
        return method === "GET" ? answer(200, state.domains) : answer(204);
      }
      if (group === "orders" && id === "") return answer(200, state.orders);
      const list = below === "crons" ? state.crons : state.mailboxes;
      if (method === "GET") return answer(200, list);
      if (method === "DELETE") {
        const at = list.findIndex((item) => String(item["uid"] ?? item["id"]) === own);
        list.splice(at, 1);
        return answer(204);
      }
      // Neither names what was made.
      list.push(
        below === "crons"
          ? { uid: randomUUID(), ...body }
          : { id: randomUUID(), address: `${String(body["local"])}@one.example` },
      );
      return answer(200, { message: "accepted" });
    });
  });
  writeFileSync(join(folder, "ca.pem"), server.ca);
});
beforeEach(() => {
  state = fresh();
  writes = [];
});
afterAll(() => server.close());

async function run(command: string, manifest: string, flags: readonly string[] = []) {
  const file = join(folder, "site.yaml");
  writeFileSync(file, `version: 1\nname: shapes\n${manifest}`);
  const target = ["--base-url", server.baseUrl.href, "--ca-file", join(folder, "ca.pem")];
  const own = ["--contract", join(folder, "shapes.yaml"), "--inventory", join(folder, `${randomUUID()}.json`)];
  writes = [];
  return runInProcess(noAccount, [command, "-f", file, ...target, ...own, ...flags], {
    HOSTFORM_API_KEY: "key-of-shapes",
    PW: "password-1",
  });
}

/** Applies a manifest, and sees that a second plan is empty; the writes of the apply. */
async function converge(manifest: string, flags: readonly string[] = []): Promise<readonly string[]> {
  exits(0, await run("apply", manifest, ["--auto-approve", ...flags]));
  const sent = writes;
  exits(0, await run("plan", manifest, ["--detailed-exitcode"]));
  return sent;
}

test("zones that are listed by project are those of all projects", async () => {
  exits(0, await run("plan", "dns: { one.example: {}, two.example: {} }", ["--detailed-exitcode"]));
  state.zones["2"] = [];
  const gone = await run("plan", "dns: { two.example: {} }");
  expect(gone.stdout + gone.stderr).toContain("the API offers no creation of a dns_zone");
});

test("a field with a request of its own is written by that alone, on and off by their own", async () => {
  const domain = (servers: string, lock: boolean) =>
    `domains: { one.example: { nameservers: [${servers}], transfer_lock: ${lock} } }`;
  expect(await converge(domain("a.example.net, b.example.net", true))).toEqual(["PUT /api/domains/one.example/lock"]);
  expect(await converge(domain("a.example.net, c.example.net", false))).toEqual([
    'PUT /api/domains/one.example/servers {"ns1":"a.example.net","ns2":"c.example.net"}',
    "DELETE /api/domains/one.example/lock",
  ]);
});

test("a mailbox stands below the order that is looked up for its domain", async () => {
  const manifest =
    'domains: { one.example: {} }\nmail: { one.example: { mailboxes: { anna: { password: "${env:PW}" } } } }';
  expect(await converge(manifest)).toEqual([
    'POST /api/orders/o-1/mailboxes {"plan":"small","password":"password-1","local":"anna"}',
  ]);
  const [{ id } = { id: "" }] = state.mailboxes;
  const gone = "removed: [{ address: mailbox/anna@one.example, action: delete }]";
  expect(await converge(gone, ["--allow-delete", "mailbox/anna@one.example"])).toEqual([
    `DELETE /api/orders/o-1/mailboxes/${String(id)} {"reason":"gone"}`,
  ]);
});

test("of two that fit a lookup neither is taken, and nothing is read or made below them", async () => {
  state.orders = [{ no: "o-2", for: "one.example" }, ...state.orders];
  const { status, stdout } = await run(
    "plan",
    'domains: { one.example: {} }\nmail: { one.example: { mailboxes: { anna: { password: "${env:PW}" } } } }',
  );
  expect(status, stdout).toBe(6);
  expect(stdout.replaceAll(/\s+/gu, " ")).toContain(
    "The list of mailbox/one.example is incomplete: 2 objects fit the lookup of {order}: o-2, o-1",
  );
});

test("what is looked up and not there is said, and nothing is read or made below it", async () => {
  state.orders = state.orders.filter((order) => order["for"] !== "one.example");
  const { status, stdout, stderr } = await run(
    "plan",
    'domains: { one.example: {} }\nmail: { one.example: { mailboxes: { anna: { password: "${env:PW}" } } } }',
  );
  expect(status, stdout).toBe(3);
  expect(stdout + stderr).toContain("and the API has no single order for it");
});

test("a job without a name is found by its command, and another command is another job", async () => {
  const job = (name: string, time: string, command: string) =>
    `services: { one.example: {} }\ncrons: { one.example: { exclusive: true, jobs: { ${name}: { schedule: "${time}", command: "${command}" } } } }`;
  expect(await converge(job("nightly", "0 3 * * *", "/bin/backup"))).toHaveLength(1);
  const [made] = state.crons;
  expect(await converge(job("renamed", "0 3 * * *", "/bin/backup"))).toEqual([]);
  expect(state.crons).toEqual([made]);
  expect(await converge(job("nightly", "0 4 * * *", "/bin/backup"), ["--allow-delete", "cron/*=1"])).toHaveLength(2);
  expect(await converge(job("nightly", "0 4 * * *", "/bin/other"), ["--allow-delete", "cron/*=1"])).toHaveLength(2);
  expect(state.crons).toMatchObject([{ time: "0 4 * * *", run: "/bin/other" }]);
});
