import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Plan } from "../../src/model/plan.ts";
import { plan } from "../../src/plan/plan.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { addresses, buildInput, inZone, type Lists, ours, record } from "./build-input.ts";
import { cron, declareJobs, liveJobs, whole } from "./crons.ts";
import { forDraws } from "../support/for-draws.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const ids = ({ steps }: Plan) => steps.map(({ id }) => id);
const selecting = (only: readonly string[], except: readonly string[] = []) => ({ selection: { only, except } });
const planOf = async (manifest: string, lists: Lists, selection: object, consent = {}) =>
  plan(await buildInput(manifest, lists, consent, now, selection));

const account = `
services: { a.example: { plan: P, datacenter: D }, b.example: { plan: P, datacenter: D } }
domains: { a.example: { service: a.example } }
databases: { a.example: { databases: { shop: { engine: mariadb } } } }
crons:
  a.example: { jobs: { dump: { schedule: "@daily", command: "dump \${ref:database/a.example/shop.host}" } } }
  b.example: { jobs: { x: { schedule: "@daily", command: x } } }`;

describe("--only", () => {
  test("takes along what the named one needs, and lists what is left out", async () => {
    const made = await planOf(account, {}, selecting(["cron/a.example/dump"]));
    expect(ids(made)).toEqual([
      "create service/a.example",
      "create database/a.example/shop",
      "create cron/a.example/dump",
    ]);
    expect(made.leftOut).toEqual(["cron/b.example/x", "domain/a.example", "service/b.example"]);
  });

  test("takes along the deletion that frees a name", async () => {
    const manifest = "dns: { example.com: { records: { www: { CNAME: example.net. }, new: { A: 192.0.2.1 } } } }";
    const lists = inZone(record("www", "A", "192.0.2.1"));
    const held = ours(["dns_record/example.com/www/A"]);
    const made = await planOf(manifest, lists, { ...held, ...selecting(["dns_record/example.com/www/CNAME"]) });
    expect(ids(made)).toEqual(["delete dns_record/example.com/www/A", "create dns_record/example.com/www/CNAME"]);
    expect(made.owned.addresses).toEqual(["dns_record/example.com/www/CNAME"]);
  });

  test("plans a selected resource despite errors elsewhere, but not despite errors in what it needs", async () => {
    const manifest =
      "services: { a.example: { plan: P } }\ndns: { b.example: }\ncrons: { a.example: { jobs: { x: { schedule: '@daily', command: x } } } }";
    expect((await planOf(manifest, {}, selecting(["dns_zone/*"]))).diagnostics).toEqual([]);
    expect((await planOf(manifest, {}, selecting(["cron/*"]))).diagnostics).toMatchObject([
      { code: "missing_to_create", summary: expect.stringContaining("service/a.example") },
    ]);
  });

  test("nor despite an error in a parent that is there and stays", async () => {
    const { service } = builtIn.kinds;
    if (!service) throw new Error("The built-in contract is wrong");
    const { update: _, ...operations } = service.operations;
    const contract = { ...builtIn, kinds: { ...builtIn.kinds, service: { ...service, operations } } };
    const jobs = "crons: { example.com: { jobs: { x: { schedule: '@daily', command: x } } } }";
    const manifest = `services: { example.com: { settings: { php_version: "8.1" } } }\ndns: { b.example: }\n${jobs}`;
    const codes = async (only: string) =>
      (await planOf(manifest, liveJobs("x"), { contract, ...selecting([only]) })).diagnostics.map(({ code }) => code);
    expect(await codes("dns_zone/*")).toEqual([]);
    expect(await codes("cron/*")).toEqual(["not_offered"]);
  });

  test("counts and refuses only what is selected", async () => {
    const held = ours(["a", "b", "c", "d", "e"].map(cron));
    const live = liveJobs("a", "b", "c", "d", "e");
    const manifest = declareJobs(`a: ${whole}`);
    expect((await planOf(manifest, live, held)).refusals).toHaveLength(4);
    const made = await planOf(manifest, live, { ...held, ...selecting([cron("b"), cron("c")]) });
    expect(made.refusals).toEqual([]);
    expect(made.owned.addresses).toEqual(["a", "d", "e"].map(cron));
  });

  test("leaves a list that was not read whole out of it where it is not concerned", async () => {
    const foreign = { ...liveJobs(), "/crons?service_id=s1": [{ id: "c9", service_id: "s2", name: "z" }] };
    const manifest = `${declareJobs("x: {}")}\ndns: { example.com: }`;
    expect((await planOf(manifest, foreign, selecting(["dns_zone/*"]))).incomplete).toEqual([]);
    expect((await planOf(manifest, foreign, selecting(["cron/*"]))).incomplete).toHaveLength(1);
    const empty = declareJobs("", "exclusive: true,");
    const nameless = { ...liveJobs(), "/crons?service_id=s1": [{ id: "c9", service_id: "s1" }] };
    expect((await planOf(empty, nameless, selecting(["service/*"]))).incomplete).toEqual([]);
    expect((await planOf(empty, nameless, {})).incomplete).toHaveLength(1);
  });

  test("keeps both halves of a replace, and all that is replaced with it, together", async () => {
    const manifest = `services: { example.com: { plan: WEB-M, datacenter: BCN1 } }\ncrons: { example.com: { jobs: { a: ${whole}, b: ${whole} } } }`;
    const consent = { deletes: addresses("service/example.com") };
    const made = await planOf(manifest, liveJobs("a", "b"), selecting([cron("a")]), consent);
    expect(ids(made)).toHaveLength(6);
    expect(made.refusals).toEqual([]);
  });
});

describe("--except", () => {
  test("leaves out what it names and all that waits for it, and says so", async () => {
    const made = await planOf(account, {}, selecting([], ["database/*"]));
    expect(made.leftOut).toEqual(["cron/a.example/dump", "database/a.example/shop"]);
    expect(made.diagnostics).toMatchObject([
      { severity: "notice", code: "left_out_too", summary: expect.stringContaining("cron/a.example/dump") },
    ]);
  });

  test("says how many more it leaves out, after the first ten", async () => {
    const jobs = (count: number) =>
      Array.from({ length: count }, (_, index) => {
        const command = "dump ${ref:database/a.example/shop.host}";
        return `j${String(index).padStart(2, "0")}: { schedule: "@daily", command: "${command}" }`;
      }).join(", ");
    const manifest = (count: number) =>
      `services: { a.example: { plan: P, datacenter: D } }
databases: { a.example: { databases: { shop: { engine: mariadb } } } }
crons: { a.example: { jobs: { ${jobs(count)} } } }`;
    const told = async (count: number) =>
      (await planOf(manifest(count), {}, selecting([], ["database/*"]))).diagnostics.map(({ summary }) => summary);
    expect(await told(10)).toEqual([expect.stringMatching(/j00, .*j09$/u)]);
    expect(await told(12)).toEqual([expect.stringMatching(/j00, .*j09, and 2 more$/u)]);
  });

  test("goes before --only", async () => {
    const made = await planOf(account, {}, selecting(["*.example*"], ["service/b*", "cron/*"]));
    expect(made.leftOut).toEqual(["cron/a.example/dump", "cron/b.example/x", "service/b.example"]);
  });
});

test.each([
  ["an address that is near one that is there", "service/b.exmple", "did you mean service/b.example?"],
  ["a name that addresses have", "b.example", "write '*b.example*' for all that has this name"],
  ["one that is near such a name", "b.exmple", "write '*b.example*' for all that has this name"],
])("%s suggests it", async (_name, glob, hint) => {
  const made = await planOf(account, {}, selecting([glob]));
  expect(made.diagnostics).toMatchObject([{ code: "unknown_selection", hint }]);
});

test.each([
  ["--only", selecting(["mailbox/nobody@example.com"])],
  ["--except", selecting([], ["mailbox/*"])],
])("%s with a pattern that names nothing is a mistake", async (flag, selection) => {
  expect((await planOf(declareJobs(`a: ${whole}`), liveJobs(), selection)).diagnostics).toMatchObject([
    { severity: "error", code: "unknown_selection", summary: expect.stringContaining(flag) },
  ]);
});

test("whatever is selected, no step waits for one that is left out, and the order is that of the whole plan", async () => {
  const all = ids(await planOf(account, {}, {}));
  const globs = fc.subarray([...all.map((id) => id.replace("create ", "")), "cron/*", "*a.example*", "service/*"], {
    maxLength: 3,
  });
  await forDraws(100, globs, globs, async (only, except) => {
    const made = await planOf(account, {}, selecting(only, except));
    const taken = ids(made);
    for (const { after } of made.steps) for (const id of after) expect(taken).toContain(id);
    expect(taken).toEqual(all.filter((id) => taken.includes(id)));
    expect(taken.length + made.leftOut.length).toBe(all.length);
  });
});
