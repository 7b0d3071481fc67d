import { describe, expect, test } from "vitest";
import type { Plan } from "../../src/model/plan.ts";
import { plan } from "../../src/plan/plan.ts";
import { leavingOutFlags } from "../../src/render/refusals-text.ts";
import { addresses, buildInput, inZone, ours, record, service, zone } from "../plan/build-input.ts";
import { cron, declareJobs, job, liveJobs, whole } from "../plan/crons.ts";
import type { Lists } from "../plan/build-input.ts";
import type { JsonObject } from "../../src/model/json.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const refused = ({ refusals }: Plan) => refusals.map(({ code, address }) => `${code} ${address}`);
const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
const rrset = (name: string, type = "A") => `dns_record/example.com/${name}/${type}`;
const hosts = (...all: string[]) => all.map((name) => record(name, "A", "192.0.2.1"));

/** A plan in which all live records are ours, with room for `max` deletions. */
async function planZone(records: string, live: JsonObject[], max = 0, consent = {}): Promise<Plan> {
  const held = live.map(({ name, type }) => rrset(name as string, type as string));
  const manifest = `policy: { max_deletes: ${max} }\ndns: { example.com: { records: { ${records} } } }`;
  return plan(await buildInput(manifest, inZone(...live), consent, now, ours(held)));
}

describe("the budget counts what is lost", () => {
  test.each<[string, string, JsonObject[]]>([
    ["its name changes its type", "b: { A: 192.0.2.1 }, a: { CNAME: b.example.com. }", hosts("a", "b")],
    [
      "all types of its name change to another",
      "b: { A: 192.0.2.1 }, a: { CNAME: b.example.com. }",
      [...hosts("a", "b"), record("a", "AAAA", "2001:db8::1")],
    ],
    ["a wildcard goes on answering", '"*": { A: 192.0.2.1 }', hosts("a", "*")],
  ])("not a record of which %s", async (_, records, live) => {
    const made = await planZone(records, live);
    expect(made.steps.map(({ action }) => action)).toContain("delete");
    expect(made.refusals).toEqual([]);
  });

  test.each<[string, string, JsonObject[], string[]]>([
    ["of which another type stays", "a: { TXT: x }", [...hosts("a"), record("a", "TXT", "x")], [rrset("a")]],
    [
      "whose successor is disabled",
      "a: { TXT: { values: [{ value: x, disabled: true }] } }, b: { A: 192.0.2.1 }",
      hosts("a", "b"),
      [rrset("a")],
    ],
    [
      "of which one new type takes the place, beside one that stays",
      "a: { TXT: x, CAA: '0 issue \"ca.test\"' }",
      [...hosts("a"), record("a", "AAAA", "2001:db8::1"), record("a", "TXT", "x")],
      [rrset("a", "AAAA")],
    ],
    [
      "below a name that hides the wildcard",
      '"*": { A: 192.0.2.1 }, x.b: { TXT: x }',
      [...hosts("a.b", "*"), record("x.b", "TXT", "x")],
      [rrset("a.b")],
    ],
    [
      "that a wildcard of another type does not answer",
      '"*": { TXT: x }',
      [...hosts("a"), record("*", "TXT", "x")],
      [rrset("a")],
    ],
    [
      "that the server's own wildcard would answer, were it not deleted too",
      "z: { A: 192.0.2.1 }",
      hosts("a", "*", "z"),
      [rrset("*"), rrset("a")],
    ],
  ])("but a record %s", async (_, records, live, lost) => {
    const made = await planZone(records, live);
    expect(refused(made).sort()).toEqual(lost.map((address) => `over_budget ${address}`).sort());
  });

  test("and a job that another one takes the place of", async () => {
    const manifest = `policy: { max_deletes: 0 }\n${declareJobs(`b: ${whole}`)}`;
    const made = plan(await buildInput(manifest, liveJobs("a"), {}, now, ours([cron("a")])));
    expect(refused(made)).toEqual([`over_budget ${cron("a")}`]);
  });
});

test.each([
  ["{}", "4 of 8 crons would be deleted; the budget is 10 %, at least 3"],
  ["{ max_deletes: 25% }", "4 of 8 crons would be deleted; the budget is 25 %, at least 3"],
  ["{ max_deletes: 2 }", "4 of 8 crons would be deleted; the budget is 2"],
])("says how many of how many, and the budget: %s", async (policy, says) => {
  const manifest = `policy: ${policy}\n${declareJobs(
    names
      .slice(4)
      .map((name) => `${name}: ${whole}`)
      .join(", "),
  )}`;
  const made = plan(await buildInput(manifest, liveJobs(...names), {}, now, ours(names.map(cron))));
  expect(made.refusals).toHaveLength(4);
  for (const { summary } of made.refusals) expect(summary).toContain(`; ${says}`);
});

describe("consent by a scope", () => {
  const other = { ...service, id: "s2", domain: "delta.example" };
  const lists: Lists = {
    ...liveJobs("a"),
    "/services": [service, other],
    "/crons?service_id=s2": [job("a", { service_id: "s2", id: "c1" }), job("b", { service_id: "s2", id: "c2" })],
    "/dns/zones": [zone, { id: "z2", etag: "ez2", name: "delta.example", ttl: 3600 }],
    "/dns/zones/z1/records": hosts("a"),
    "/dns/zones/z2/records": [...hosts("a", "b"), record("c", "TXT", "x")],
  };
  const under = ["cron/delta.example/a", "cron/delta.example/b", "dns_zone/delta.example"].concat(
    ["a/A", "b/A", "c/TXT"].map((name) => `dns_record/delta.example/${name}`),
  );
  const removal = async (removed: readonly string[], consent = {}) => {
    const manifest =
      "policy: { max_deletes: 0, protect: [cron, dns_record] }\nservices: { example.com: , delta.example: }";
    return plan(await buildInput(manifest, lists, consent, now, ours(removed)));
  };
  const counts = (...all: [string, number][]) => ({ deleteCounts: new Map(all) });

  test("covers everything under a service or domain, with the exact number", async () => {
    expect((await removal(under)).refusals).toHaveLength(6);
    expect((await removal(under, counts(["delta.example", 6]))).refusals).toEqual([]);
    for (const wrong of [5, 7]) {
      const { refusals } = await removal(under, counts(["delta.example", wrong]));
      expect(refusals).toHaveLength(6);
      expect(refusals[0]?.summary).toContain(
        `deletes 6 of delta.example, but --allow-delete delta.example=${wrong} allows exactly ${wrong}`,
      );
    }
  });

  test("covers nothing of another name", async () => {
    const made = await removal([...under, cron("a")], counts(["delta.example", 6]));
    expect(refused(made)).toEqual([`protected ${cron("a")}`]);
  });

  test("covers the records of a zone by the zone, and by a pattern with a count", async () => {
    const zoneNamed = { deletes: addresses("dns_zone/delta.example"), ...counts(["cron", 2]) };
    expect((await removal(under, zoneNamed)).refusals).toEqual([]);
    expect((await removal(under, zoneNamed)).diagnostics).toEqual([]);
    const records = under.slice(3);
    expect((await removal(records, counts(["dns_record/delta.example/*", 3]))).refusals).toEqual([]);
    expect((await removal(records, counts(["dns_record/delta.example/*", 2]))).refusals).toHaveLength(3);
    // The number does not reach the zone itself, nor another one.
    const all = [...under, "dns_record/example.com/a/A"];
    const made = await removal(all, counts(["dns_record/delta.example/*", 3], ["cron", 2]));
    expect(refused(made).sort()).toEqual(["protected dns_record/example.com/a/A", "protected dns_zone/delta.example"]);
  });

  test("that matches nothing is said", async () => {
    const { diagnostics } = await removal([], counts(["other.example", 1], ["dns_record/x.example/*", 2]));
    expect(diagnostics.map(({ summary }) => summary)).toEqual([
      "this plan does nothing that needs --allow-delete other.example=1",
      "this plan does nothing that needs --allow-delete dns_record/x.example/*=2",
    ]);
  });

  test("the rest of a refused plan is let go by the --except that it prints", async () => {
    const made = await removal([...under.slice(2), cron("a")], counts(["cron", 1]));
    expect(leavingOutFlags(made)).toEqual(["--except 'dns_record/delta.example/*'", "--except dns_zone/delta.example"]);
    const selection = { only: [], except: ["dns_record/delta.example/*", "dns_zone/delta.example"] };
    const manifest = "policy: { max_deletes: 0, protect: [cron] }\nservices: { example.com: , delta.example: }";
    const held = { ...ours([...under.slice(2), cron("a")]), selection };
    const rest = plan(await buildInput(manifest, lists, counts(["cron", 1]), now, held));
    expect([rest.steps.map(({ id }) => id), rest.refusals]).toEqual([[`delete ${cron("a")}`], []]);
    // Where nothing would be left to apply, there is no such line.
    expect(leavingOutFlags(await removal(under))).toEqual([]);
  });
});

test("without an inventory, the first run of exclusive names the flag that keeps one", async () => {
  const manifest = declareJobs(`a: ${whole}`, "exclusive: true,");
  const made = plan(await buildInput(manifest, liveJobs("a", "b")));
  expect(made.refusals).toMatchObject([
    { code: "first_exclusive", summary: expect.stringContaining("--inventory FILE") },
  ]);
  const kept = plan(await buildInput(manifest, liveJobs("a", "b"), {}, now, ours([])));
  expect(kept.refusals[0]?.summary).not.toContain("--inventory");
});
