import { expect, test } from "vitest";
import { loadContract } from "../../src/contract/load-contract.ts";
import type { Contract, KindContract } from "../../src/model/contract.ts";
import { plan } from "../../src/plan/plan.ts";
import { planUndo } from "../../src/saved-plans/plan-undo.ts";
import { buildInput, service } from "./build-input.ts";

/** The built-in contract, by which the API tells the crons of a service apart by their command. */
async function namelessCrons(): Promise<Contract> {
  const { contract } = await loadContract(undefined);
  const cron = contract?.kinds["cron"];
  if (!contract || !cron) throw new Error("The built-in contract is wrong");
  const { name: _, ...fields } = cron.fields;
  const nameless: KindContract = { ...cron, named_by: "command", fields };
  return { ...contract, kinds: { ...contract.kinds, cron: nameless } };
}

const cron = (id: string, command: string) => ({
  id,
  etag: `e${id}`,
  service_id: "s1",
  command,
  schedule: "0 3 * * *",
});
const declared = (domain: string, more = "") =>
  `services: { example.com: { plan: WEB-M }, other.example: { plan: WEB-M } }
crons: { ${domain}: { jobs: { nightly: { command: run a, schedule: "0 3 * * *" } } } }
${more}`;
const lists = {
  "/services": [service, { ...service, id: "s2", domain: "other.example" }],
  "/crons?service_id=s1": [cron("c1", "run b"), cron("c2", "run a")],
};
const stepsOf = async (manifest: string) =>
  plan(await buildInput(manifest, lists, {}, undefined, { contract: await namelessCrons() })).steps.map(({ id }) => id);

test("a declared object is the live one of its service with the same command", async () => {
  expect(await stepsOf(declared("example.com"))).toEqual([]);
});

test.each([
  [1, 2],
  [2, 1],
  [2, 2],
  [3, 1],
  [4, 3],
])("of %i objects that are declared alike, %i live ones are some", async (wanted, there) => {
  const names = ["a", "b", "c", "d"].slice(0, wanted);
  const jobs = names.map((name) => `${name}: { command: run a, schedule: "0 3 * * *" }`).join(", ");
  const manifest = `services: { example.com: { plan: WEB-M } }\ncrons: { example.com: { jobs: { ${jobs} } } }`;
  const crons = ["c1", "c2", "c3"].slice(0, there).map((id) => cron(id, "run a"));
  const input = await buildInput(manifest, { ...lists, "/crons?service_id=s1": crons }, {}, undefined, {
    contract: await namelessCrons(),
  });
  expect(plan(input).steps.map(({ id }) => id)).toEqual(
    names.slice(there).map((name) => `create cron/example.com/${name}`),
  );
});

test("a live object of another service, or with another command, is not it", async () => {
  expect(await stepsOf(declared("other.example"))).toEqual(["create cron/other.example/nightly"]);
  expect(await stepsOf(declared("example.com").replace("run a", "run c"))).toEqual(["create cron/example.com/nightly"]);
});

test("an undo says of what a plan makes that it stays, since nothing tells it from others", async () => {
  const contract = await namelessCrons();
  const input = await buildInput(declared("other.example"), lists, {}, undefined, { contract });
  const { saved } = planUndo(input, plan(input), { now: 0, holdsSecret: () => false, filePath: (path) => path });
  expect(saved).toMatchObject({ steps: [], cannot_undo: [{ address: "cron/other.example/nightly" }] });
});

test("a live object that is to be removed is not it", async () => {
  const removed = "removed: [{ address: cron/example.com/c2, action: delete }]";
  expect(await stepsOf(declared("example.com", removed))).toEqual([
    "create cron/example.com/nightly",
    "delete cron/example.com/c2",
  ]);
});

test("objects that belong to the whole account are told apart in the same way", async () => {
  const { contract } = await loadContract(undefined);
  const own = contract?.kinds["service"];
  if (!contract || !own) throw new Error("The built-in contract is wrong");
  const { domain: _, ...fields } = own.fields;
  const entry: KindContract = { ...own, named_by: "datacenter", fields };
  const nameless = { ...contract, kinds: { ...contract.kinds, service: entry } };
  const manifest = "services: { other.example: { plan: WEB-M, datacenter: MAD1 } }";
  const input = await buildInput(manifest, { "/services": [service] }, {}, undefined, { contract: nameless });
  expect(plan(input).steps).toEqual([]);
});
