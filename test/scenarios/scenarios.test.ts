import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { EmulatorOptions } from "../../src/emulator/index.ts";
import { checkEvents } from "../support/check-events.ts";
import { openAccount, type Account } from "../support/account.ts";
import { runInProcess } from "../support/in-process.ts";
import { eventsOf, type Ran } from "../support/run-hostform.ts";

/**
 * One file, one scenario: what is live (a manifest applied before, and requests made by hand), the manifest, and what must come of it:
 * the plan's steps in order, the calls in order, the exit status. Unless it is refused, planning again must find nothing to do.
 */
interface Scenario {
  readonly title: string;
  /** How the service is to behave, such as `namePrefix`. */
  readonly service?: EmulatorOptions;
  readonly live?: string;
  /** Flags of the apply that makes it live. */
  readonly live_flags?: readonly string[];
  readonly by_hand?: readonly { readonly method: string; readonly path: string; readonly body?: unknown }[];
  readonly manifest: string;
  /** Flags of plan and apply; `{folder}` is that of the manifest. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly plan: readonly string[];
  readonly refused?: readonly string[];
  /** What has no answer in between, as `NAME TYPES until STEP`. */
  readonly gaps?: readonly string[];
  /** METHOD and path, ids as `{id}`; the order within one line's list does not matter. */
  readonly calls: readonly string[];
  /** Calls that the service refuses, where that is the point. */
  readonly refused_calls?: number;
  readonly exit: number;
}

const folder = new URL(".", import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith(".yaml"));
const scenarios = files.map((file) => parse(readFileSync(new URL(file, folder), "utf8")) as Scenario);
const head = "version: 1\nname: scenario\n";

describe.each(scenarios.map((scenario) => [scenario.title, scenario] as const))("%s", (_title, scenario) => {
  let account: Account;
  beforeAll(async () => {
    account = await openAccount(scenario.service);
  });
  afterAll(() => account.close());

  test("plans, calls and ends as the file says", async () => {
    await makeLive(account, scenario);
    const live = (await account.operations()).length;
    const manifest = account.write("m.yaml", head + scenario.manifest);
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
    await expectSameOffline(account, args, planned, scenario);
    const read = await account.operations();
    const applied = await runInProcess(account, ["apply", "--auto-approve", "--settle", "2", ...args], scenario.env);
    expect(applied.status, applied.stdout + applied.stderr).toBe(scenario.exit);
    expect(checkEvents([...eventsOf(planned)])).toEqual([]);
    expect(checkEvents(eventsOf(applied))).toEqual([]);
    const done = (await account.operations()).slice(read.length);
    expect(writesIn(done)).toEqual(scenario.calls);
    expect(done.filter(({ method, status }) => method !== "GET" && status >= 400).length).toBe(
      scenario.refused_calls ?? 0,
    );
    if (scenario.refused === undefined)
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
  const taken = await runInProcess(account, ["snapshot", "--out", file], env);
  expect(taken.status, taken.stdout + taken.stderr).toBe(0);
  const again = await runInProcess({ ...account, flags: [], env: {} }, ["plan", "--live", file, ...args], env);
  expect(again.status, again.stdout + again.stderr).toBe(planned.status);
  expect(withoutTarget(again)).toEqual(withoutTarget(planned));
}

const withoutTarget = (ran: Ran) =>
  eventsOf(ran).flatMap((event) => (event["type"] === "target" ? [] : [{ ...event, reads: 0 }]));

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

/** Ids, and the names that stand in a path instead of one. */
const withoutIds = (path: string) =>
  path
    .replaceAll(/\/[a-z]+_[A-Za-z0-9_-]{8,}/gu, "/{id}")
    .replace(/(?<=\/mail\/settings\/).+/u, "{id}")
    .replace("/v2026", "");

async function makeLive(
  account: Account,
  { live, live_flags: flags = [], by_hand: requests = [], env = {} }: Scenario,
): Promise<void> {
  if (live !== undefined) {
    const manifest = account.write("live.yaml", head + live);
    const applied = await runInProcess(
      account,
      ["apply", "--auto-approve", "-f", manifest, ...inFolder(account, flags)],
      env,
    );
    expect(applied.status, applied.stdout + applied.stderr).toBe(0);
  }
  for (const { method, path, body } of requests) {
    const answer = await account.byHand(method, `/v2026${await fillIds(account, path)}`, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  }
}

const inFolder = ({ folder: place }: Account, flags: readonly string[] = []) =>
  flags.map((flag) => flag.replace("{folder}", place));

/** Replaces `{/dns/zones name=example.com}` by the id of the listed object with that field. */
async function fillIds(account: Account, path: string): Promise<string> {
  const place = /\{([^ }]+) (\w+)=([^}]+)\}/u.exec(path);
  if (!place) return path;
  const [whole, list = "", field = "", value] = place;
  const { body } = await account.byHand("GET", `/v2026${list}${list.includes("?") ? "&" : "?"}per_page=100`);
  const found = (body["data"] as Record<string, unknown>[]).find((item) => item[field] === value);
  return fillIds(account, path.replace(whole, String(found?.["id"])));
}
