import { describe, expect, test } from "vitest";
import type { Plan } from "../../src/model/plan.ts";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput, inZone, ours, record } from "../plan/build-input.ts";
import { cron, declareJobs, job, liveJobs, whole } from "../plan/crons.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const refused = ({ refusals }: Plan) => refusals.map(({ code, address }) => `${code} ${address}`);
const codes = ({ refusals }: Plan) => refusals.map(({ code }) => code);
const names = (count: number) => Array.from({ length: count }, (_, index) => `j${String(index).padStart(2, "0")}`);

/** Of so many jobs, all ours, so many that are not declared any more. */
async function without(gone: number, all: number, consent = {}, policy = "{}"): Promise<Plan> {
  const declared = names(all).slice(gone);
  const manifest = `policy: ${policy}\n${declareJobs(declared.map((name) => `${name}: ${whole}`).join(", "))}`;
  return plan(await buildInput(manifest, liveJobs(...names(all)), consent, now, ours(names(all).map(cron))));
}

describe("the delete budget", () => {
  test.each([
    [3, 20, "three are always allowed", 0],
    [4, 20, "four of twenty are more than 10 %", 4],
    [4, 40, "four of forty are not", 0],
    [1, 2, "one of two", 0],
  ])("%i of %i: %s", async (gone, all, _, expected) => {
    expect(codes(await without(gone, all))).toEqual(Array(expected).fill("over_budget"));
  });

  test.each([
    ["{ max_deletes: 0 }", 1],
    ["{ max_deletes: 1 }", 0],
    ["{ max_deletes: 50% }", 0],
  ])("is what the manifest says: %s", async (policy, expected) => {
    expect(codes(await without(1, 4, {}, policy))).toHaveLength(expected);
  });

  test("does not count what is named, here or under removed:", async () => {
    expect(codes(await without(4, 20, { deletes: addresses(cron("j00")) }))).toEqual([]);
    const manifest = `removed: [${names(5)
      .map((name) => `{ address: ${cron(name)}, action: delete }`)
      .join(", ")}]`;
    expect(codes(plan(await buildInput(manifest, liveJobs(...names(5)))))).toEqual([]);
  });

  test("holds for each collection, where all of them together are within it", async () => {
    const live = {
      ...liveJobs(...names(10)),
      ...inZone(...names(60).map((name) => record(name, "A", "192.0.2.1"))),
    };
    const declared = Object.fromEntries(names(59).map((name) => [name, { A: "192.0.2.1" }]));
    const jobs = names(10).slice(4);
    const manifest = `${declareJobs(jobs.map((name) => `${name}: ${whole}`).join(", "))}
dns: { example.com: { records: ${JSON.stringify(declared)} } }`;
    const held = ours([...names(10).map(cron), ...names(60).map((name) => `dns_record/example.com/${name}/A`)]);
    expect(refused(plan(await buildInput(manifest, live, {}, now, held)))).toEqual(
      names(4).map((name) => `over_budget ${cron(name)}`),
    );
  });

  test("holds over all collections, too", async () => {
    const live = {
      ...liveJobs(...names(15)),
      ...inZone(...names(15).map((name) => record(name, "A", "192.0.2.1"))),
    };
    const rrset = (name: string) => `dns_record/example.com/${name}/A`;
    const manifest = `${declareJobs(
      names(15)
        .slice(2)
        .map((name) => `${name}: ${whole}`)
        .join(", "),
    )}\ndns: { example.com: { records: { ${names(15)
      .slice(2)
      .map((name) => `${name}: { A: 192.0.2.1 }`)
      .join(", ")} } } }`;
    const held = ours([...names(15).map(cron), ...names(15).map(rrset)]);
    expect(codes(plan(await buildInput(manifest, live, {}, now, held)))).toEqual(Array(4).fill("over_budget"));
  });
});

describe("the last of a collection", () => {
  test("goes only by name, whatever the budget", async () => {
    const made = await without(1, 1, {}, "{ max_deletes: 100% }");
    expect(refused(made)).toEqual([`emptied ${cron("j00")}`]);
    expect(made.refusals[0]?.summary).toMatch(/; nothing would be left in cron\/example\.com$/u);
    expect(refused(await without(1, 1, { deletes: addresses(cron("j00")) }))).toEqual([]);
    expect(refused(await without(1, 1, { deleteCounts: new Map([["cron", 1]]) }))).toEqual([]);
  });

  test("may go where another one comes", async () => {
    const made = plan(await buildInput(declareJobs(`new: ${whole}`), liveJobs("old"), {}, now, ours([cron("old")])));
    expect(made.refusals).toEqual([]);
  });
});

describe("the first run of exclusive", () => {
  const manifest = declareJobs(`a: ${whole}`, "exclusive: true,");
  const live = liveJobs("a", "b", "c");

  test.each([
    ["nothing is kept of what is ours", {}],
    ["nothing of this collection is ours yet", ours(["domain/example.com"])],
  ])("needs every name where %s", async (_, more) => {
    expect(refused(plan(await buildInput(manifest, live, {}, now, more)))).toEqual([
      `first_exclusive ${cron("b")}`,
      `first_exclusive ${cron("c")}`,
    ]);
    const consent = { deleteCounts: new Map([["cron", 2]]) };
    expect(plan(await buildInput(manifest, live, consent, now, more)).refusals).toEqual([]);
  });

  test("needs the same consent if something of the collection is in the inventory", async () => {
    expect(codes(plan(await buildInput(manifest, live, {}, now, ours([cron("a")]))))).toContain("first_exclusive");
  });

  test.each(["", "exclusive: false,", "ignore: [x],"])(
    "is over once the collection was applied as exclusive, and begins again after it was applied with: %s",
    async (beside) => {
      const before = plan(await buildInput(manifest, liveJobs("a"), {}, now, ours([])));
      expect(before.owned.exclusive).toEqual(["cron/example.com"]);
      const again = ours([cron("a")], [], before.owned.exclusive);
      expect(plan(await buildInput(manifest, live, {}, now, again)).refusals).toEqual([]);
      const off = plan(await buildInput(declareJobs(`a: ${whole}`, beside), live, {}, now, again));
      expect(off.owned.exclusive).toEqual([]);
    },
  );
});

test.each([
  { only: [], except: [], exclusive: true },
  { only: ["cron/*"], except: [], exclusive: false },
  { only: [], except: ["service/*"], exclusive: false },
  { only: ["cron/*"], except: ["service/*"], exclusive: false },
])("a collection becomes exclusive only by a run that is about all of it: %j", async ({ exclusive, ...selection }) => {
  const manifest = declareJobs(`a: ${whole}`, "exclusive: true,");
  const { owned } = plan(await buildInput(manifest, liveJobs("a"), {}, now, { ...ours([cron("a")]), selection }));
  expect(owned.exclusive).toEqual(exclusive ? ["cron/example.com"] : []);
});

describe("KIND/*=N", () => {
  test("allows exactly that many, replacements included; another number is refused, with the real one", async () => {
    const protectedCrons = "{ protect: [cron] }";
    expect(codes(await without(2, 5, {}, protectedCrons))).toEqual(["protected", "protected"]);
    expect(codes(await without(2, 5, { deleteCounts: new Map([["cron", 2]]) }, protectedCrons))).toEqual([]);
    const wrong = await without(2, 5, { deleteCounts: new Map([["cron", 3]]) });
    expect(wrong.refusals).toMatchObject([
      { address: cron("j00"), summary: expect.stringMatching(/deletes 2 of this kind, but .* cron\/\*=3/u) },
      { address: cron("j01") },
    ]);
  });
});

describe("a flag that allows nothing of the plan", () => {
  test.each([
    ["--allow-delete mailbox/x@example.com", { deletes: addresses("mailbox/x@example.com") }],
    ["--allow-delete mailbox/*=2", { deleteCounts: new Map([["mailbox", 2]]) }],
    ["--allow-purchase domain/x.example", { purchases: addresses("domain/x.example") }],
    ["--retry certificate/x.example/managed", { retries: addresses("certificate/x.example/managed") }],
    ["--rollback", { rollback: true }],
  ])("is told: %s", async (flag, consent) => {
    expect((await without(0, 1, consent)).diagnostics).toMatchObject([
      { severity: "warning", code: "unused_consent", summary: expect.stringContaining(flag) },
    ]);
  });

  test("is reported as a notice if the purchase that it allowed exists now", async () => {
    const purchases = addresses("service/example.com");
    const { diagnostics } = plan(await buildInput("services: { example.com: }", liveJobs(), { purchases }));
    expect(diagnostics).toMatchObject([
      {
        severity: "notice",
        summary: "--allow-purchase service/example.com has no effect: the resource already exists",
      },
    ]);
  });

  test("and so is what removed: names and is not there, but not where the list was cut short", async () => {
    const manifest = `services: { example.com: }\nremoved: [{ address: ${cron("x")}, action: delete }]`;
    const made = plan(await buildInput(manifest, liveJobs("a")));
    expect(made.diagnostics).toMatchObject([{ severity: "notice", code: "already_removed", at: { line: 4 } }]);
    const foreign = { ...liveJobs(), "/crons?service_id=s1": [{ id: "c9", service_id: "s2", name: "z" }] };
    expect(plan(await buildInput(manifest, foreign)).diagnostics).toEqual([]);
  });
});

describe("in a list that was not read whole", () => {
  const foreign = { id: "c9", service_id: "s2", name: "z" };
  const listed = (...names: string[]) => ({
    ...liveJobs(),
    "/crons?service_id=s1": [...names.map((name, index) => job(name, { id: `c${index}` })), foreign],
  });
  const manifest = declareJobs("a: { schedule: '0 4 * * *', command: x }");

  test.each([
    ["one object is updated", ["a"], []],
    ["no object is created", [], ["incomplete_read"]],
    ["of several objects of one name, none is updated", ["a", "a"], ["incomplete_read"]],
  ])("%s", async (_, names, expected) => {
    const made = plan(await buildInput(manifest, listed(...names)));
    expect(made.incomplete).toHaveLength(1);
    expect(codes(made)).toEqual(expected);
  });

  test("nothing is updated that the server makes with a parent, and that was not listed", async () => {
    const input = await buildInput("dns: { example.com: { dnssec: { enabled: true } } }", {});
    const unread = [...input.live.collections].map(([id, each]) => [id, { ...each, incomplete: "403" }] as const);
    const { dnssec } = input.contract.kinds;
    if (!dnssec) throw new Error("The built-in contract is wrong");
    const along = { ...dnssec, operations: { ...dnssec.operations, create: "implicit" as const } };
    const contract = { ...input.contract, kinds: { ...input.contract.kinds, dnssec: along } };
    const live = { ...input.live, collections: new Map(unread) };
    const { steps, refusals } = plan({ ...input, contract, live });
    expect(steps.map(({ action }) => action)).toContain("update");
    expect(refusals.filter(({ code }) => code === "incomplete_read")).toHaveLength(steps.length);
  });
});

test.each([
  [["a"], "1 child resource would stay (cron/example.com/a)"],
  [["a", "b"], "2 child resources would stay (cron/example.com/a, cron/example.com/b)"],
])("a parent is not deleted from above %j, which are named", async (jobs, told) => {
  const manifest = "removed: [{ address: service/example.com, action: delete }]";
  const consent = { deletes: addresses("service/example.com") };
  const { refusals } = plan(await buildInput(manifest, liveJobs(...jobs), consent));
  expect(refusals).toMatchObject([{ code: "has_children", summary: `service/example.com cannot be deleted: ${told}` }]);
});
