import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { type Account, accountForFile } from "../support/account.ts";
import { checkEvents, eventsOf, exits, type Ran, runInProcess } from "../support/run-hostform.ts";
import {
  inFolder,
  listRecords,
  makeLive,
  manifestHead,
  readScenario,
  withoutIds,
  type Scenario,
} from "../support/scenario.ts";

const files = readdirSync(new URL(".", import.meta.url)).filter((file) => file.endsWith(".yaml"));
const scenarios = files.map((file) => readScenario(file));
/** Planned from a snapshot, too: two commands more for each. */
const offline = new Set(size.every(18, scenarios));

describe.each(scenarios.map((scenario) => [scenario.title, scenario] as const))("%s", (_title, scenario) => {
  const account = accountForFile(scenario.service);

  test("plans, calls and ends as the file says", async () => {
    await makeLive(account, scenario);
    const live = (await account.operations()).length;
    const manifest = account.write("m.yaml", manifestHead + scenario.manifest);
    const args = ["-f", manifest, "--json", ...inFolder(account, scenario.flags)];
    const planned = await runInProcess(account, ["plan", ...args], scenario.env);
    expect(
      eventsOf(planned)
        .filter(({ type }) => type === "planned")
        .map(({ action, address }) => `${String(action)} ${String(address)}`),
      planned.stderr,
    ).toEqual(scenario.plan);
    expect(
      eventsOf(planned)
        .filter(({ type }) => type === "refused")
        .map(({ code, address }) => `${String(code)} ${String(address)}`),
    ).toEqual(scenario.refused ?? []);

    if (scenario.gaps) expect(plannedGaps(planned)).toEqual(scenario.gaps);

    const afterPlan = await account.operations();
    expect(writesIn(afterPlan.slice(live)), "a plan cannot write").toEqual([]);
    const reads = eventsOf(planned).find(({ type }) => type === "plan")?.["reads"];
    expect(afterPlan.length - live, "a plan reads whole lists, and counts them").toBe(reads);
    if (offline.has(scenario)) await expectSameOffline(account, args, planned, scenario);
    const read = await account.operations();
    await addFaults(account, scenario);
    const applied = await runInProcess(account, ["apply", "--auto-approve", "--settle", "2", ...args], scenario.env);
    expect(applied.status, applied.stdout + applied.stderr).toBe(scenario.exit);
    expect(checkEvents([...eventsOf(planned)])).toEqual([]);
    expect(checkEvents(eventsOf(applied))).toEqual([]);
    const done = (await account.operations()).slice(read.length);
    expect(writesIn(done)).toEqual(scenario.calls);
    expect(done.filter(({ method, status }) => method !== "GET" && status >= 400).length).toBe(
      scenario.refused_calls ?? 0,
    );
    if (scenario.ends) expect(endsOf(applied).toSorted()).toEqual(scenario.ends.toSorted());
    if (scenario.blocked !== undefined)
      expect(eventsOf(applied).find(({ type }) => type === "report")?.["blocked"]).toBe(scenario.blocked);
    if (scenario.records) expect((await listRecords(account)).toSorted()).toEqual(scenario.records.toSorted());
    if (scenario.refused === undefined && scenario.faults === undefined)
      expect(writesIn(done).toSorted(), "apply makes exactly the plan's calls").toEqual(
        plannedCalls(planned).toSorted(),
      );
    if (scenario.exit === 0)
      expect((await runInProcess(account, ["plan", "--detailed-exitcode", ...args], scenario.env)).status).toBe(0);
  });
});

/** Against a snapshot, without key and API, the plan is the same. */
async function expectSameOffline(
  account: Account,
  args: readonly string[],
  planned: Ran,
  { env }: Scenario,
): Promise<void> {
  const file = join(account.folder, "live.json");
  exits(0, await runInProcess(account, ["snapshot", "--out", file], env));
  const again = await runInProcess({ ...account, flags: [], env: {} }, ["plan", "--live", file, ...args], env);
  expect(again.status, again.stdout + again.stderr).toBe(planned.status);
  expect(withoutTarget(again)).toEqual(withoutTarget(planned));
}

const withoutTarget = (ran: Ran) =>
  eventsOf(ran).flatMap((event) => (event["type"] === "target" ? [] : [{ ...event, reads: 0 }]));

async function addFaults(account: Account, { faults }: Scenario): Promise<void> {
  if (!faults) return;
  const added = await account.byHand("POST", "/_emulator/faults", { faults });
  expect(added.status, JSON.stringify(added.body)).toBe(201);
}

const endsOf = (ran: Ran) =>
  eventsOf(ran)
    .filter(({ type }) => type === "step_end")
    .map(({ outcome, action, address }) => `${String(outcome)} ${String(action)} ${String(address)}`);

type Operations = Awaited<ReturnType<Account["operations"]>>;
const writesIn = (operations: Operations) =>
  operations.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${withoutIds(path)}`);

function plannedCalls(planned: Ran): string[] {
  const steps = eventsOf(planned).filter(({ type }) => type === "planned") as unknown as {
    calls: { method: string; path: string }[];
  }[];
  return steps.flatMap(({ calls }) =>
    calls.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/gu, "{id}").replace("/v2026", "")}`),
  );
}

function plannedGaps(planned: Ran): string[] {
  const steps = eventsOf(planned).filter(({ type }) => type === "planned") as unknown as {
    gaps?: { name: string; types?: string[]; until: string }[];
  }[];
  return steps.flatMap(({ gaps = [] }) =>
    gaps.map(({ name, types, until }) => `${[name, ...(types ? [types.join(", ")] : [])].join(" ")} until ${until}`),
  );
}
