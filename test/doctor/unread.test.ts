import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type HttpsServer, startHttpsServer } from "../support/https-server.ts";
import { checkEvents } from "../support/check-events.ts";
import { runInProcess } from "../support/in-process.ts";
import { eventsOf } from "../support/run-hostform.ts";
import { refutedIn } from "./judge-mutations.ts";

let server: HttpsServer;
let folder: string;
const answers: Readonly<Record<string, unknown>> = {
  "/zones": [{ id: 1, name: "a.example", colour: "red" }],
  "/zones/1/records": [
    { id: 1, name: "@", type: "MX", value: "mx1.a.example.", prio: 10, ttl: 300, colour: "red" },
    { id: 2, name: "@", type: "A", value: "192.0.2.1", prio: null, ttl: 300, colour: "blue" },
  ],
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hostform-unread-"));
  server = await startHttpsServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "https://x.invalid");
    const body = answers[pathname];
    response.writeHead(body ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(body ?? {}));
  });
  writeFileSync(join(folder, "ca.pem"), server.ca);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const contractOf = (priority: string) => `contract: 1
name: unread
request: { auth: { header: Authorization, scheme: Bearer } }
answer: { record: "", list: "", error: { message: /message } }
paging: { style: none }
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
      type: { at: /type, values: [A, MX, SRV] }
      content: { at: /value }
      ttl: { at: /ttl }
${priority}
    operations:
      list: { method: GET, path: "/zones/{zone}/records" }
      create: { method: POST, path: "/zones/{zone}/records" }
`;

function doctor(priority: string, ...args: readonly string[]) {
  const file = join(folder, "contract.yaml");
  writeFileSync(file, contractOf(priority));
  const flags = ["--base-url", server.baseUrl.href, "--ca-file", join(folder, "ca.pem"), "--contract", file];
  return runInProcess({ flags, env: { HOSTFORM_API_KEY: "a-key-of-unread" } }, ["doctor", ...args]);
}

test("a priority that is left out is named with its place, and members that no field reads are listed", async () => {
  const ran = await doctor("", "--json");
  expect(refutedIn(ran), ran.stdout).toMatchObject([
    {
      entry: ["kinds", "dns_record", "fields", "priority"],
      write: { kinds: { dns_record: { fields: { priority: { at: "/prio" } } } } },
    },
  ]);
  const events = eventsOf(ran);
  expect(checkEvents(events)).toEqual([]);
  expect(events.at(-1)).toMatchObject({ unread: { dns_zone: ["/colour"], dns_record: ["/colour"] } });
  const { stdout, status } = await doctor("      priority: { at: /prio }");
  expect(status).toBe(0);
  expect(stdout).toMatch(/dns_record: .*\n(?: {4}not tested.*\n)* {4}in the answers, read by no field: \/colour/u);
});
