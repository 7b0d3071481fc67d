import { expect, test } from "vitest";
import type { Contract } from "../../src/model/contract.ts";
import type { HttpCall } from "../../src/model/http-call.ts";
import type { Reader } from "../../src/api/connection.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { plan } from "../../src/plan/plan.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { buildInput, inZone, record, records } from "./build-input.ts";
import { cron, declareJobs, job, liveJobs, whole } from "./crons.ts";

test("what is not there and the API does not create is a mistake", async () => {
  const input = await buildInput(declareJobs(`x: ${whole}`), liveJobs());
  const { cron } = input.contract.kinds;
  const { create: _, ...operations } = cron?.operations ?? {};
  const kinds = { ...input.contract.kinds, cron: { ...cron, operations } as Contract["kinds"][string] };
  const made = plan({ ...input, contract: { ...input.contract, kinds } });
  expect(made.steps).toEqual([]);
  expect(made.diagnostics).toMatchObject([
    {
      code: "not_offered",
      summary: "cron/example.com/x does not exist, and the API offers no creation of a cron",
    },
  ]);
});

/** The built-in contract without an update of a kind, whose creation does not take a field. */
function withoutUpdate(name: "cron" | "dns_record", notCreated: string): Contract {
  const entry = builtIn.kinds[name];
  const field = entry?.fields[notCreated];
  if (!field) throw new Error("The built-in contract is wrong");
  const { update: _, ...operations } = entry.operations;
  const fields = { ...entry.fields, [notCreated]: { ...field, create: false } };
  return { ...builtIn, kinds: { ...builtIn.kinds, [name]: { ...entry, fields, operations } } };
}

test("a field that no creation takes is a mistake where the API offers no update", async () => {
  const contract = withoutUpdate("cron", "command");
  const made = plan(await buildInput(declareJobs(`x: ${whole}`), liveJobs(), {}, undefined, { contract }));
  expect(made.steps).toEqual([]);
  expect(made.diagnostics).toMatchObject([
    {
      code: "not_offered",
      summary:
        "cron/example.com/x does not exist, a creation does not take its command, and the API offers no update of a cron",
    },
  ]);
});

test("of what is created again because the API offers no update, only a field that the creation does not take is lost", async () => {
  const contract = withoutUpdate("cron", "email");
  const live = job("x", { schedule: "0 9 * * *", email: "a@b.test", timeout_s: 60 });
  const lists = { ...liveJobs(), "/crons?service_id=s1": [live] };
  const { steps } = plan(await buildInput(declareJobs(`x: ${whole}`), lists, {}, undefined, { contract }));
  expect(steps.map(({ action }) => action)).toEqual(["delete", "create"]);
  expect(steps[1]?.changes.filter(({ path }) => ["email", "timeout_s"].includes(path))).toMatchObject([
    { path: "timeout_s", carried: true },
    { path: "email", notCarried: "the API takes it at no creation" },
  ]);
});

test("each value of a set that the API does not update comes again before the next goes, and a double goes first", async () => {
  const contract = withoutUpdate("dns_record", "comment");
  const [first, second] = ["192.0.2.1", "192.0.2.2"];
  const lists = inZone(...[first, first, second].map((value, index) => record("www", "A", value, { id: `r${index}` })));
  const manifest = records(`{ www: { A: { ttl: 300, values: [${first}, ${second}] } } }`);
  const [step] = plan(await buildInput(manifest, lists, {}, undefined, { contract })).steps;
  const valueIn = (call: HttpCall) =>
    call.operation === "create" && call.values.flatMap((each) => (each.field === "content" ? [each] : []));
  expect(step?.calls.map((call) => valueIn(call) || call.params["id"])).toMatchObject([
    "r1",
    "r0",
    [{ value: first }],
    "r2",
    [{ value: second }],
  ]);
});

test("an account with two servers has no single one for a new project", async () => {
  const { contract } = await loadContract("mittwald");
  if (!contract) throw new Error("The contract mittwald is wrong");
  const onServers = async (...servers: string[]) => {
    const projects = servers.map((serverId, index) => ({ id: `p${index}`, description: `${index}.example`, serverId }));
    const answered = { status: 200, location: undefined, requestId: undefined, attempts: 1 };
    const get: Reader["get"] = async () => ({
      ok: true,
      value: { ...answered, total: String(projects.length), body: projects },
    });
    const { steps, diagnostics } = plan(
      await buildInput("services: { new.example: {} }", { get }, {}, undefined, { contract }),
    );
    return [steps.map(({ action }) => action), diagnostics.map(({ summary }) => summary)];
  };
  expect(await onServers("s1", "s1")).toEqual([["create"], []]);
  expect(await onServers("s1", "s2")).toEqual([[], [expect.stringContaining("the API has no single server for it")]]);
});

test("everything that was looked up for a creation and not found is named in one mistake", async () => {
  const input = await buildInput(declareJobs(`x: ${whole}`), liveJobs());
  const { cron } = input.contract.kinds;
  if (typeof cron?.operations.create !== "object") throw new Error("The built-in contract is wrong");
  const lookup = { path: "/orders", at: "/id" };
  const operations = {
    ...cron.operations,
    create: { ...cron.operations.create, path: "/orders/{order}/machines/{machine}/crons" },
  };
  const params = { ...cron.params, order: { lookup }, machine: { lookup } };
  const kinds = { ...input.contract.kinds, cron: { ...cron, params, operations } } as Contract["kinds"];
  const collections = new Map(
    [...input.live.collections].map(([id, collection]) => [id, { ...collection, lookups: {} }]),
  );
  const live = { ...input.live, collections };
  const made = plan({ ...input, live, contract: { ...input.contract, kinds } });
  expect(made.steps).toEqual([]);
  expect(made.diagnostics).toMatchObject([
    {
      code: "not_offered",
      summary:
        "cron/example.com/x takes a request below what is looked up, and the API has no single order and no single machine for it",
    },
  ]);
});

/** What is planned where nothing was found for a parameter of each request but the list. */
async function planUnfound(manifest: string, ids: readonly string[], method: "PUT" | "PATCH", isWhole: boolean) {
  const input = await buildInput(manifest, liveJobs(...ids));
  const { cron: entry } = input.contract.kinds;
  if (!entry) throw new Error("The built-in contract is wrong");
  const path = "/orders/{order}/crons/{id}";
  const operations = {
    list: entry.operations.list,
    create: { method: "POST", path: "/crons", body: { "/order": "{order}" } },
    update: { method, path },
    delete: { method: "DELETE", path: "/crons/{id}", query: { order: "{order}" } },
  } as const;
  const params = { ...entry.params, order: { lookup: { path: "/orders", at: "/id" } } };
  const kinds = { ...input.contract.kinds, cron: { ...entry, params, operations } };
  const collections = new Map(
    [...input.live.collections].map(([id, each]) => [
      id,
      { ...each, lookups: {}, ...(!isWhole && { incomplete: "half of it" }) },
    ]),
  );
  return plan({ ...input, live: { ...input.live, collections }, contract: { ...input.contract, kinds } });
}

const cases = [
  ["creation", declareJobs(`a: ${whole}`), []],
  ["change", declareJobs(`a: { schedule: "0 9 * * *" }`), ["a"]],
  ["deletion", `removed: [{ address: ${cron("b")}, action: delete }]`, ["b"]],
] as const;

test.each(cases)(
  "a %s below what was looked up and not found is a mistake, in whichever part of its request it stands",
  async (_, manifest, ids) => {
    for (const method of ["PUT", "PATCH"] as const) {
      const made = await planUnfound(manifest, ids, method, true);
      expect([made.steps, made.refusals]).toEqual([[], []]);
      expect(made.diagnostics).toMatchObject([
        { code: "not_offered", severity: "error", summary: expect.stringContaining("the API has no single order") },
      ]);
    }
  },
);

test.each(cases)(
  "a %s below what was not found in a list that was not read whole is refused",
  async (_, manifest, ids) => {
    const made = await planUnfound(manifest, ids, "PUT", false);
    expect(made.refusals).toMatchObject([{ code: "incomplete_read" }]);
    expect(made.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  },
);

test.each(["set", "zone"] as const)(
  "a record whose %s is written below what was looked up and not found is a mistake",
  async (written) => {
    const input = await buildInput(records("{ www: { A: 192.0.2.1 } }"), inZone());
    const { dns_record: entry } = input.contract.kinds;
    if (!entry) throw new Error("The built-in contract is wrong");
    const write = { method: "PUT", path: "/orders/{order}/records" } as const;
    const { list } = entry.operations;
    const set = { create: write, update: [write], delete: write };
    const operations = { list, ...(written === "set" ? { set } : { zone: write }) };
    const params = { ...entry.params, order: { lookup: { path: "/orders", at: "/id" } } };
    const kinds = { ...input.contract.kinds, dns_record: { ...entry, params, operations } };
    const collections = new Map([...input.live.collections].map(([id, each]) => [id, { ...each, lookups: {} }]));
    const made = plan({
      ...input,
      live: { ...input.live, collections },
      contract: { ...input.contract, kinds },
    });
    expect(made.steps).toEqual([]);
    expect(made.diagnostics).toMatchObject([
      { code: "not_offered", summary: expect.stringContaining("the API has no single order for it") },
    ]);
  },
);

test("the members of a set that differ are made anew where the API offers no update, each old one before that of its identity", async () => {
  const mx = (priority: number, value: string) => record("@", "MX", `${value}.example.com.`, { priority });
  const [old, same] = [mx(10, "mx1"), mx(20, "mx2")];
  const wanted = `MX: [{ priority: 30, value: mx1.example.com. }, { priority: 20, value: mx2.example.com. }]`;
  const live = inZone(record("mx1", "A", "192.0.2.1"), old, same);
  const input = await buildInput(records(`{ "@": { ${wanted} } }`), live);
  const { dns_record: entry } = input.contract.kinds;
  const { update: _, ...operations } = entry?.operations ?? {};
  const kinds = { ...input.contract.kinds, dns_record: { ...entry, operations } as Contract["kinds"][string] };
  const made = plan({ ...input, contract: { ...input.contract, kinds } });
  expect(made.steps.flatMap(({ calls }) => calls)).toMatchObject([
    { operation: "delete", params: { id: old["id"] } },
    { operation: "create", values: expect.arrayContaining([{ pointer: "/priority", field: "priority", value: 30 }]) },
  ]);
});
