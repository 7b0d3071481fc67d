import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { drawNames, hasPriority, nameDrawer, namingHosts, writtenZones, type Drawn } from "../plan/drawn-account.ts";
import { isAbout, questions } from "../order/replay.ts";
import { ask, type Model, type ModelRecord } from "../order/zone-model.ts";
import type { Outage } from "../../src/model/plan.ts";
import { accountForFile } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { eventsOf, exits, runInProcess } from "../support/run-hostform.ts";
import { openReader } from "./read-account.ts";
import { size } from "./size.ts";

const account = accountForFile({ seed: { dns_zone: [{ name: "example.com" }] } });
let reader: ReturnType<typeof openReader>;
let putBack: () => void;

beforeAll(async () => {
  reader = openReader(account);
  putBack = account.mirror.keep();
});
afterAll(() => reader.close());

const drawName = nameDrawer(namingHosts);
const zone = drawNames(
  drawName("@", ["MX"]),
  drawName("_sip._tcp", ["SRV"]),
  drawName("h1", ["A", "AAAA", "CNAME"]),
  drawName("h2", ["A", "CNAME"]),
  drawName("www", ["CNAME", "ALIAS", "A"]),
);

/** The account as a name server knows it. */
function modelOf(records: readonly Drawn[]): Model {
  const known = new Map(
    records.map((record, index): [string, ModelRecord] => [
      String(index),
      { ...record, zone: "example.com", name: record.name === "@" ? "example.com" : `${record.name}.example.com` },
    ]),
  );
  return { zones: new Map(), known: new Set(["example.com"]), records: known };
}

const held = () =>
  modelOf(
    (reader.read()["dns_record"] ?? [])
      .filter(({ managed }) => managed !== true)
      .map(({ name, type, content, disabled }) => ({
        name: String(name),
        type: String(type),
        content: String(content),
        disabled: disabled === true,
        comment: null,
      })),
  );

const title = "whichever write the service refuses, each name that need not miss its answer has it after";
test(title, async () => {
  const method = fc.constantFrom("POST", "PUT", "DELETE");
  await forDraws(
    {
      numRuns: Math.ceil(size.fuzzRuns / 12),
      endOnFailure: true,
    },
    zone,
    zone,
    method,
    fc.nat(3),
    fc.constantFrom(1, 4),
    holds,
  );
});

async function holds(
  before: readonly Drawn[],
  after: readonly Drawn[],
  method: string,
  spared: number,
  parallelism: number,
): Promise<void> {
  putBack();
  const seeded = before.map((each) => ({
    ...each,
    zone: "example.com",
    ...(hasPriority(each.type) && { priority: 10 }),
  }));
  const { status, body } = await account.byHand("POST", "/_emulator/seed", { dns_record: seeded });
  expect(status, JSON.stringify(body)).toBe(201);
  const asked = questions(held(), modelOf(after));
  const match = { method, path: "/v2026/dns/zones/**" };
  const faults = [{ match, after: spared, count: 1, fault: { status: 422 } }];
  expect((await account.byHand("POST", "/_emulator/faults", { faults })).status).toBe(201);
  const manifest = account.write("m.yaml", `version: 1\nname: refused\n${writtenZones({ "example.com": after })}\n`);
  const consent = [...new Set(before.map(({ name, type }) => `dns_record/example.com/${name}/${type}`))];
  const flags = ["--auto-approve", "--json", "--parallelism", String(parallelism)].concat(
    ["dns_zone/example.com", ...consent].flatMap((address) => ["--allow-delete", address]),
  );
  const apply = () => runInProcess(account, ["apply", "-f", manifest, ...flags]);
  const ran = await apply();
  await account.byHand("DELETE", "/_emulator/faults");
  expect([0, 5], ran.stdout + ran.stderr).toContain(ran.status);
  const told = eventsOf(ran).flatMap((event) => (event["gaps"] ?? []) as Outage[]);
  const missed = asked.filter(
    (question) => !ask(held(), question).answered && !told.some((gap) => isAbout(gap, question.places)),
  );
  expect(missed, ran.stdout).toEqual([]);
  exits(0, await apply());
}
