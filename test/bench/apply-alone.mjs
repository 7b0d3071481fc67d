// Applies a manifest as `hostform apply` does, but keeps no journal: loads, reads, plans, runs the plan, and reads back. `rows/applies.mjs`
// bundles it, and runs it with BASE_URL, CA_FILE and API_KEY in the environment:
//   apply-alone.js FOLDER [OWNED]
// OWNED: a file that lists as JSON the addresses that are owned, and may be deleted.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect } from "../../dist/api/connection.js";
import { executePlan } from "../../dist/apply/execute-plan.js";
import { loadContract } from "../../dist/contract/load-contract.js";
import { loadManifestFiles } from "../../dist/engine/session/load-manifest.js";
import { refreshAndPlan } from "../../dist/engine/session/read-and-plan.js";
import { runInput } from "../../dist/engine/run/run.js";
import { everything, nothingAllowed, nothingOwned } from "../../dist/model/plan-input.js";

const parallelism = 10;
const [folder, owned] = process.argv.slice(2);
const { BASE_URL: baseUrl, CA_FILE: caFile, API_KEY: key } = process.env;
const sleep = (milliseconds) =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
const io = {
  env: {},
  keepSecret: () => undefined,
  keepPublic: () => undefined,
  mask: (text) => text,
  now: Date.now,
  newId: randomUUID,
  sleep,
};
const { contract } = await loadContract(undefined);
const connection = connect({
  baseUrl: new URL(baseUrl),
  key,
  ca: readFileSync(caFile, "utf8"),
  rules: contract,
  parallelism,
  attemptTimeout: 30_000,
  deps: { now: Date.now, random: Math.random, sleep },
});
const { desired } = (await loadManifestFiles([folder], { allowFile: [] }, io)).result;
const asked = {
  ...permissions(),
  target: targetOf(),
  desired,
  contract,
  selection: everything,
  now: Date.now(),
};
const { plan, live } = valueOf(await refreshAndPlan(connection, asked));
if (plan.refusals.length > 0) throw new Error(`Refused: ${JSON.stringify(plan.refusals[0])}`);
const input = runInput(
  { options: { waitTimeout: 0, settle: 0 }, io, open: { contract, connection }, readSecret: () => undefined },
  asked,
  live,
);
const report = await executePlan(plan, input, {
  parallelism,
  journal: undefined,
  onStart: () => undefined,
  onEnd: () => undefined,
});
const failed = report.outcomes.find(({ outcome }) => outcome.is !== "done");
if (failed !== undefined) throw new Error(`Failed: ${JSON.stringify(failed)}`);
const left = valueOf(await refreshAndPlan(connection, asked)).plan.steps.length;
if (left > 0) throw new Error(`${left} steps are left.`);
await connection.close();

function permissions() {
  if (owned === undefined) return { consent: nothingAllowed, ownership: nothingOwned };
  const addresses = new Set(JSON.parse(readFileSync(owned, "utf8")));
  const inventory = { addresses, preventDestroy: new Set() };
  return { consent: { ...nothingAllowed, deletes: addresses }, ownership: { ...nothingOwned, inventory } };
}

function targetOf() {
  return { name: "bench", baseUrl, contract: contract.name, emulator: false };
}

function valueOf(result) {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}
