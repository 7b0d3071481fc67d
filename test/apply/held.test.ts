import { expect, test } from "vitest";
import { isSecretField, resolveHeld, withholdSecrets } from "../../src/apply/exchanges/held.ts";
import { isSameObject } from "../../src/apply/object-identity.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import type { Address } from "../../src/model/address.ts";
import type { KindContract } from "../../src/model/contract.ts";
import type { HeldRecord } from "../../src/model/journal.ts";
import { plan } from "../../src/plan/plan.ts";
import { prepare } from "../../src/plan/prepare.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { buildInput, inZone, ours, record, records, service } from "../plan/build-input.ts";

const address = "cron/example.com/nightly" as Address;
const secrecy = { fields: () => new Set(["comment"]), mask: (text: string) => text.replaceAll("hunter2", "***") };

test.each([
  ["command", "curl https://user:pass1234@example.net/", "looks like credentials, in a field that may hold them", true],
  ["schedule", "curl https://user:pass1234@example.net/", "looks like credentials, in a field that holds none", false],
  ["command", "php cron.php", "does not look like credentials", false],
  ["schedule", "x hunter2", "holds a secret of this run", true],
  ["schedule", { deep: ["hunter2"] }, "holds a secret of this run somewhere", true],
  ["comment", "plain", "was taken from a secret at the last apply", true],
  ["password", "plain", "is named like a secret", true],
  ["password", null, "is empty", false],
])("the field %s with %j, which %s, is secret: %s", (name, value, _, isSecret) => {
  expect(isSecretField(secrecy, address, name, value)).toBe(isSecret);
});

test("of a set that holds no secret, no member is left out of the journal", async () => {
  const { contract } = await loadContract("hetzner-cloud");
  if (!contract) throw new Error("The contract is wrong");
  const record = { name: "www", type: "A", records: [{ value: "192.0.2.1" }] };
  const held = {
    address: "dns_record/a.test/www/A" as Address,
    successor: "dns_record/a.test/www/CNAME" as Address,
    id: "1",
    method: "POST",
    path: "/",
    query: {},
    key: "k",
    record,
    withheld: [],
  };
  const none = { ...secrecy, fields: () => new Set<string>() };
  expect(withholdSecrets(contract, held, none)).toEqual(held);
  const comment = withholdSecrets(contract, held, secrecy);
  expect(comment).toEqual({ ...held, record: {}, withheld: ["/name", "/type", "/records"] });
});

const www = "{ www: { A: 192.0.2.1 } }";
const other = "{ other: { A: 192.0.2.9 } }";
const gone = record("www", "A", "192.0.2.1");

/** A deleted A record of www, which a CNAME is to follow. */
const heldRecord = {
  address: "dns_record/example.com/www/A" as Address,
  successor: "dns_record/example.com/www/CNAME" as Address,
  id: "gone",
  method: "POST",
  path: "/",
  query: {},
  key: "k",
  record: gone,
  withheld: [],
};

/** The places of a deleted A record of www: the declared records, the live ones, and the inventory. */
test.each([
  ["was made again", other, [{ ...gone, id: "again" }], true, [], "settled"],
  ["has another in its place", other, [{ ...gone, id: "another", content: "192.0.2.7" }], true, [], "dropped"],
  ["is declared and gone, so that a step makes it", www, [], true, [], "missing"],
  ["was ours, and is forgotten since", other, [], true, [], "dropped"],
  ["was ours, and is so still", other, [], true, ["dns_record/example.com/www/A"], "missing"],
  ["was never ours", other, [], undefined, [], "missing"],
] as const)("a held object that %s is treated so", async (_, declared, live, isOurs, inventory, state) => {
  const lists = inZone(...live);
  const input = await buildInput(records(declared), lists, {}, undefined, ours(inventory));
  const held = { ...heldRecord, ...(isOurs && { ours: isOurs }) };
  const { inventory: kept } = input.ownership;
  expect(resolveHeld(held, prepare(input).live, plan(input), { ...input, inventory: kept })).toBe(state);
});

test.each([
  ["that left the manifest is not put back: its successor may be there", [], { ours: true }, "dropped"],
  ["that was never ours is put back", [], {}, "missing"],
  ["that was not deleted is found under its id", ["j1"], { ours: true }, "settled"],
  ["that is deleted may still show under its id", ["j1"], { deletion: { is: "done", at: "" } }, "lagging"],
] as const)("a task without a name %s", async (_, there, more, state) => {
  const job = (id: string) => ({ id, service_id: "s1", schedule: "5 4 * * *", command: "/bin/a" });
  const held = { ...heldRecord, address, successor: address, id: "j1", record: job("j1"), ...more } as HeldRecord;
  const lists = { "/services": [service], "/crons?service_id=s1": there.map(job) };
  const cron = { ...builtIn.kinds["cron"], named_by: "command" } as KindContract;
  const contract = { ...builtIn, kinds: { ...builtIn.kinds, cron } };
  const owned = { ...ours([address]), contract };
  const input = await buildInput("services: { example.com: {} }", lists, {}, undefined, owned);
  const { inventory } = input.ownership;
  expect(resolveHeld(held, prepare(input).live, plan(input), { ...input, inventory })).toBe(state);
});

test.each([
  ["in what the server alone writes is the same object", { size_mb: 7, host: "db2.host.test" }, true],
  ["in what was written is another", { charset: "utf8mb4" }, false],
])("an object that differs from a deleted one %s", async (_, other, isSame) => {
  const was = { id: "b1", service_id: "s1", name: "shop", engine: "mysql", charset: "latin1", size_mb: 5 };
  const lists = { "/services": [service], "/databases?service_id=s1": [{ ...was, id: "b2", ...other }] };
  const declared = "services: { example.com: {} }\ndatabases: { example.com: { databases: { shop: {} } } }";
  const { contract, live } = await buildInput(declared, lists);
  const at = "database/example.com/shop" as Address;
  const [remote] = live.resources.get(at)?.remotes ?? [];
  if (!remote) throw new Error("Nothing is live");
  const held = { ...heldRecord, address: at, successor: at, record: was };
  expect(isSameObject({ contract }, held, remote)).toBe(isSame);
});

test("a held object that is declared is settled where other steps alone are left", async () => {
  const lists = inZone();
  const input = await buildInput(records("{ www: { A: 192.0.2.1 }, other: { A: 192.0.2.9 } }"), lists);
  const made = plan(input);
  const left = { ...made, steps: made.steps.filter(({ address }) => address !== heldRecord.address) };
  expect(left.steps.length).toBe(1);
  expect(
    resolveHeld(heldRecord, prepare(input).live, left, {
      ...input,
      inventory: undefined,
    }),
  ).toBe("settled");
});
