import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { connect, type Connection } from "../../src/api/connection.ts";
import { makeLedger } from "../../src/apply/write-ledger.ts";
import type { Outcome } from "../../src/model/report.ts";
import type { Step } from "../../src/model/plan.ts";
import { plan } from "../../src/plan/plan.ts";
import { buildInput, inZone, record } from "../plan/build-input.ts";
import { accountForFile } from "../support/account.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { frontForFile } from "../support/front.ts";
import { startHttpsServer } from "../support/https-server.ts";
import { openedForFile } from "../support/opened-for-file.ts";
import { checkEvents, eventsOf, exits, runInProcess } from "../support/run-hostform.ts";

const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { "content-type": "application/json", "retry-after": "0" }).end(JSON.stringify(body));

describe("an apply on a service with bad days", () => {
  const account = accountForFile({ asyncMs: 50 });
  const front = frontForFile(account);

  const apply = (manifest: string, ...flags: string[]) => {
    const file = account.write("m.yaml", `version: 1\nname: bad-days\n${manifest}`);
    return runInProcess(front, ["apply", "-f", file, "--auto-approve", ...flags]);
  };
  const records = (text: string) => `dns: { example.com: { records: { ${text} } } }`;

  test("counts attempts after the first apart, and ends well", async () => {
    let refusals = 2;
    front.interfere((request, response) => {
      if (request.method !== "POST" || !request.url?.endsWith("/records") || refusals === 0) return false;
      refusals -= 1;
      json(response, 503, { message: "not now" });
      return true;
    });
    const { stdout } = exits(0, await apply(records("www: { A: [192.0.2.1, 192.0.2.2] }")));
    expect(stdout).toContain("3 calls: 3 POST; 1 read.");
    expect(stdout).toContain("3 writes, 2 repeated; 0 reads.");
  });

  test("counts the PUT that follows a 412 apart, and what was read for it", async () => {
    let changes = 1;
    front.interfere(async (request) => {
      if (request.method !== "PUT" || changes === 0) return false;
      changes -= 1;
      const path = request.url ?? "";
      const { body } = await account.byHand("GET", path);
      const { id: _id, etag: _etag, managed: _managed, ...now } = body["data"] as Record<string, unknown>;
      await account.byHand("PUT", path, { ...now, comment: "by someone else" });
      return false;
    });
    const ran = exits(0, await apply(records("www: { A: [192.0.2.1, 192.0.2.3] }"), "--json"));
    const report = eventsOf(ran).find(({ type }) => type === "report");
    expect(report).toMatchObject({ requests: { writes: 1, repeated: 1, reads: 1, polls: 0 }, mismatches: [] });
    expect(checkEvents(eventsOf(ran))).toEqual([]);
  });

  test("sends one PUT where the read after it is answered with a 412, which says nothing of the write", async () => {
    const puts: string[] = [];
    let hasRefused = false;
    front.interfere((request, response) => {
      const { method = "", url = "" } = request;
      if (method === "PUT") {
        puts.push(url);
        response.writeHead(204).end();
        return true;
      }
      if (method !== "GET" || !puts.includes(url) || hasRefused) return false;
      hasRefused = true;
      json(response, 412, { message: "precondition" });
      return true;
    });
    const { stdout } = exits(5, await apply(records("www: { A: [192.0.2.5, 192.0.2.3] }")));
    expect(puts, stdout).toHaveLength(1);
    expect(stdout).not.toContain("A bug in Hostform");
    front.interfere(() => false);
    expect((await apply(records("www: { A: [192.0.2.1, 192.0.2.3] }"))).status).toBe(0);
  });

  test("counts what it reads only to wait apart from what it needs", async () => {
    front.interfere(() => false);
    const { status, stdout } = await apply(
      "services: { example.org: { plan: WEB-M, datacenter: MAD1, settings: { backups: true } } }",
    );
    expect(stdout).toContain("2 calls: 1 POST, 1 PUT; ");
    expect(stdout).toMatch(/^2 writes; \d+ reads?, \d+ polls?\.$/mu);
    expect(status).toBe(0);
  });

  test("sends a call that fails, and none of those after it", async () => {
    front.interfere((request, response) => {
      if (request.method !== "POST") return false;
      json(response, 422, { message: "no" });
      return true;
    });
    const { stdout } = exits(5, await apply(records("www: { A: [192.0.2.1, 192.0.2.4, 192.0.2.5] }")));
    expect(stdout).toContain("1 write; 0 reads.");
  });
});

describe("the ledger", () => {
  const server = openedForFile(() =>
    startHttpsServer((_request, response) => json(response, answer.status, answer.body)),
  );
  let connection: Connection;
  let answer: { readonly status: number; readonly body: unknown };
  beforeAll(async () => {
    const deps = { now: Date.now, random: Math.random, sleep: async () => undefined };
    const { baseUrl, ca } = server;
    connection = connect({ baseUrl, ca, key: "k", rules: builtIn, parallelism: 1, attemptTimeout: 5_000, deps });
  });
  afterEach(() => {
    answer = good;
  });
  afterAll(() => connection.close());
  const good = { status: 200, body: { data: {} } };
  const refused = (status: number) => ({ status, body: { message: "no" } });
  answer = good;

  const at = "/v2026/dns/zones/z1/records";
  const done: Outcome = { is: "done" };

  /** The new ids that the server gave to objects meanwhile. */
  const moved = new Map([
    ["dns_record/r", ["r 2", "r 3"]],
    ["dns_record/s", ["s 2"]],
  ]);

  /** A step with two calls: PUT one record, POST another. */
  async function twoCalls(): Promise<Step> {
    const input = await buildInput(
      "dns: { example.com: { records: { www: { A: [192.0.2.1, 192.0.2.2] } } } }",
      inZone(record("www", "A", "192.0.2.9", { id: "r" })),
    );
    const [step] = plan(input).steps;
    if (!step) throw new Error("Expected a step");
    return step;
  }

  interface Write {
    /** Undefined: of no step. */
    readonly call: number | undefined;
    readonly write: string;
    readonly answer?: typeof answer;
  }

  async function told(outcome: Outcome, writes: readonly Write[]) {
    const step = await twoCalls();
    const ledger = makeLedger(connection, moved);
    for (const { call, write, answer: given = good } of writes) {
      answer = given;
      const [method = "", path = ""] = write.split(" ");
      await ledger.connectionFor(call === undefined ? undefined : { step: step.id, call }).send({ method, path });
    }
    return ledger.mismatches([{ step, outcome }]);
  }

  const put = { call: 0, write: `PUT ${at}/r` };
  const post = { call: 1, write: `POST ${at}` };
  const failedAfter = (callsDone: number): Outcome => ({
    is: "failed",
    callsDone,
    failure: { sort: "invalid", method: "PUT", path: at, message: "no", attempts: 1 },
  });

  test.each<[string, Outcome, Write[]]>([
    ["all calls of a step that is done", done, [put, post]],
    ["a PUT again after a 412", done, [{ ...put, answer: refused(412) }, put, post]],
    ["a PUT under the new id of the record", done, [{ call: 0, write: `PUT ${at}/r%203` }, post]],
    ["a PUT under an id that the record had in between", done, [{ call: 0, write: `PUT ${at}/r%202` }, post]],
    ["calls up to the one that failed", failedAfter(1), [put, post]],
    ["calls up to the one before it", failedAfter(1), [put]],
    ["nothing of a step that did not begin", { is: "not_attempted" }, []],
    ["calls up to the one that was held back", { is: "not_attempted", callsDone: 1 }, [put]],
  ])("takes %s for planned", async (_, outcome, writes) => {
    expect(await told(outcome, writes)).toEqual([]);
  });

  test.each<[string, Outcome, Write[]]>([
    ["a write of no step", done, [put, post, { call: undefined, write: `DELETE ${at}/r` }]],
    ["a call that was not made", done, [put]],
    ["a call that was made twice", done, [put, put, post]],
    ["a POST again after a refusal", done, [put, { ...post, answer: refused(409) }, post]],
    ["a third PUT", done, [{ ...put, answer: refused(412) }, { ...put, answer: refused(412) }, put, post]],
    ["another method", done, [{ call: 0, write: `DELETE ${at}/r` }, post]],
    ["another object", done, [{ call: 0, write: `PUT ${at}/other` }, post]],
    ["a call after the one that failed", failedAfter(0), [put, post]],
    ["a call that was held back", { is: "not_attempted", callsDone: 1 }, [put, post]],
    ["a write of a step that did not begin", { is: "blocked", by: "x" }, [put]],
  ])("tells of %s", async (_, outcome, writes) => {
    const [mismatch, ...more] = await told(outcome, writes);
    expect(more).toEqual([]);
    expect(mismatch?.sent.map((text) => text.replace(/ \(.*/u, ""))).toEqual(
      (mismatch?.address === undefined ? writes.slice(2) : writes).map(({ write }) => write),
    );
  });

  test("takes a set that was there already as it was to be written, so that nothing was sent, for planned", async () => {
    const step = await twoCalls();
    const set = { ...step, calls: step.calls.map((call) => ({ ...call, operation: "set" as const })) } as Step;
    expect(makeLedger(connection).mismatches([{ step: set, outcome: done }])).toEqual([]);
    expect(makeLedger(connection).mismatches([{ step, outcome: done }])).toHaveLength(1);
  });

  test("shows what was planned and what was sent", async () => {
    expect(await told(done, [{ ...put, answer: refused(412) }])).toEqual([
      {
        address: "dns_record/example.com/www/A",
        planned: [`PUT ${at}/r`, `POST ${at}`],
        sent: [`PUT ${at}/r (refused: stale)`],
      },
    ]);
  });
});
