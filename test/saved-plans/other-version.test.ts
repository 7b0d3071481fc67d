import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Contract, KindContract } from "../../src/model/contract.ts";
import { plan } from "../../src/plan/plan.ts";
import { fileOf, sealPlan } from "../../src/saved-plans/plan-hash.ts";
import { savePlan } from "../../src/saved-plans/save-plan.ts";
import { buildInput, inZone, record, records } from "../plan/build-input.ts";
import { options } from "../proofs/saved-cases.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForTest } from "../support/temporary-folder.ts";

/** The built-in contract as another version has it. */
async function otherContract(change: (entry: KindContract) => object): Promise<Contract> {
  const entry = builtIn.kinds["dns_record"];
  if (!entry) throw new Error("The built-in contract is wrong");
  return { ...builtIn, kinds: { ...builtIn.kinds, dns_record: { ...entry, ...change(entry) } } };
}

test.each([
  ["another path", ({ operations }: KindContract) => ({ operations: moved(operations) })],
  ["no update", ({ operations }: KindContract) => ({ operations: { ...operations, update: undefined } })],
])("a plan file of a version whose built-in contract has %s is not called altered", async (_what, change) => {
  const contract = await otherContract(change);
  const lists = inZone(record("www", "A", "192.0.2.1"));
  const input = await buildInput(records("{ www: { A: 192.0.2.2 }, new: { A: 192.0.2.1 } }"), lists, {}, undefined, {
    contract,
  });
  const { hash: _hash, digest: _digest, contract: _contract, ...saved } = savePlan(input, plan(input), options).saved;
  const { contractHash: _contractHash, ...target } = saved.target;
  const path = join(folderForTest(), "plan.json");
  writeFileSync(path, JSON.stringify(fileOf(sealPlan({ ...saved, target }))));
  const { status, stdout, stderr } = await runInProcess(noAccount, ["show", path]);
  expect(status).not.toBe(0);
  expect(stdout).toBe("");
  expect(stderr).toContain("another version of Hostform");
  expect(stderr).toContain("built-in contract v2026");
  expect(stderr).not.toContain("altered");
});

/** The operations with the path of each under another place. */
function moved(operations: object): object {
  return JSON.parse(JSON.stringify(operations).replaceAll('/records"', '/rrs"')) as object;
}
