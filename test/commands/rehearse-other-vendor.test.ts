import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { startHttpsServer } from "../support/https-server.ts";
import { openedForFile } from "../support/opened-for-file.ts";
import { eventsOf, exits, runInProcess } from "../support/run-hostform.ts";
import { findingsOf, rehearsalOf } from "./rehearsal-events.ts";

/** An API of another vendor: other paths, other fields, ids that are numbers. It can only be read. */
const otherContract = `extends: v2026
name: other
base_path: /api
request: { precondition: null, idempotency: null }
kinds:
  domain:
    fields: { name: { at: /fqdn } }
    operations: { list: { path: /names }, renew: null }
  mailbox:
    fields: { address: { at: /login }, quota_mb: { at: /limits/mb } }
    operations: { list: { path: "/boxes/{domain}", query: null } }
  dns_zone:
    id: /number
    fields: { name: { at: /origin } }
    operations: { list: { path: /origins } }
  dns_record:
    id: /number
    fields: { name: { at: /label }, type: { at: /rr }, content: { at: /data }, priority: { at: /pref } }
    operations: { list: { path: "/origins/{zone_id}/rrs" } }
  database: { name_prefix: "cust_[0-9]+", operations: { update: null } }
`;

describe("of another vendor's account", () => {
  const server = openedForFile(() => startHttpsServer(answer));
  let records: Record<string, unknown>[];
  const asked: string[] = [];
  const lists = (): Record<string, unknown[]> => ({
    "/api/names": [{ id: 1, fqdn: "Bakery.example.", weather: "fine" }],
    "/api/boxes/bakery.example": [{ id: 1, login: "info@bakery.example", limits: { mb: 1024 } }],
    "/api/origins": [{ number: 7, origin: "bakery.example" }],
    "/api/origins/7/rrs": records,
    "/api/services": [{ id: 3, domain: "bakery.example", hosting: { id_service_type: "M" }, datacenter: "X" }],
    "/api/databases": [{ id: 4, service_id: 3, name: "cust_12_shop", engine: "mariadb" }],
  });
  const answer = ({ method = "", url = "" }: IncomingMessage, response: ServerResponse) => {
    asked.push(`${method} ${url}`);
    const items = method === "GET" ? lists()[url.split("?")[0] ?? ""] : undefined;
    response.writeHead(items ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(items ? { data: items, meta: { total: items.length } } : { message: "no" }));
  };
  const account = accountForFile();
  const rehearse = (name: string, text: string, ...flags: string[]) => {
    const [file, contract] = [account.write(name, text), account.write("other.yaml.contract", otherContract)];
    const ca = account.write("other-ca.pem", server.ca);
    const target = ["--base-url", server.baseUrl.href, "--ca-file", ca, "--contract", contract];
    return runInProcess({ flags: target, env: account.env }, ["rehearse", "-f", file, "--json", ...flags]);
  };

  const other = `version: 1
name: other
services: { bakery.example: {} }
domains: { bakery.example: {}, new.example: {} }
dns:
  bakery.example:
    records:
      "@": { A: { ttl: 3600, values: [192.0.2.9] } }
mail: { bakery.example: { mailboxes: { info: { quota: 2 GiB, password: "\${env:PW}" } } } }
databases: { bakery.example: { databases: { shop: { engine: mariadb }, blog: { engine: mariadb } } } }
`;
  const stray = { number: 2, label: "stray", rr: "TXT", data: "x".repeat(70_000), ttl: 300 };

  test("a plan is read by its own contract, rehearsed by the built-in one, and what the embedded service cannot hold is reported", async () => {
    records = [{ number: 1, label: "bakery.example.", rr: "A", data: "192.0.2.1", ttl: 300, pref: null }, stray];
    const ran = exits(0, await rehearse("other.yaml", other));
    expect(rehearsalOf(ran)).toMatchObject({ held: true, findings: [] });
    const told = eventsOf(ran).filter(({ code }) => code === "not_rehearsed");
    expect(told.map(({ summary }) => summary)).toEqual([
      "The rehearsal is without dns_record/bakery.example/stray/TXT: the embedded service cannot hold its content",
    ]);
    expect(asked.filter((line) => !line.startsWith("GET "))).toEqual([]);
  });

  test("where that changes the plan, nothing is rehearsed, and the step is named", async () => {
    records = [{ number: 1, label: "@", rr: "A", data: "192.0.2.9", ttl: 5, pref: null }];
    const ran = exits(6, await rehearse("other.yaml", other));
    expect(findingsOf(ran)).toEqual([
      {
        stage: "seed",
        summary:
          "This plan cannot be rehearsed, because the embedded service's copy of the live state gives a different plan",
        details: ["differs: update dns_record/bakery.example/@/A"],
      },
    ]);
    expect(ran.stdout).toContain("takes ttl of dns_record/bakery.example/@/A for the default");
  });

  test("what nothing was read of and others need is taken to be there", async () => {
    const ran = await rehearse(
      "mail.yaml",
      `version: 1
name: mail
removed: [{ address: mailbox/info@bakery.example, action: delete }]
policy: { max_deletes: 100% }
`,
      "--allow-delete",
      "mailbox/info@bakery.example",
    );
    expect(rehearsalOf(ran)).toMatchObject({ held: true, objects: 2 });
    const standIns = eventsOf(ran).filter(({ code }) => code === "stand_in");
    expect(standIns.map(({ summary }) => summary)).toEqual([
      "The rehearsal takes domain/bakery.example to be there: others need it, and it was not read",
    ]);
  });
});
