import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { likeness, openReader } from "../proofs/read-account.ts";
import { size } from "../proofs/size.ts";
import { openAccount, type Account } from "./account.ts";
import { eventsOf, exits, type Ran, runInProcess } from "./run-hostform.ts";
import { inFolder, makeLive, manifestHead, type Scenario } from "./scenario.ts";
import { shapes, type ShapeName } from "./shapes.ts";

/** How a scenario comes out: the steps of its plan, its refusals, the exit status, and what is live then. */
export interface Outcome {
  readonly plan: readonly string[];
  readonly refused: readonly string[];
  readonly exit: number | null;
  /** Whether a plan afterwards finds nothing to do; undefined where the apply did not succeed. */
  readonly again: number | null | undefined;
  readonly live: Readonly<Record<string, readonly string[]>>;
  /** The exit status of a rehearsal, and the steps of a plan from a snapshot; only in the soak. */
  readonly rehearsed?: number | null;
  readonly offline?: readonly string[];
}

export interface Shaped extends Outcome {
  readonly output: string;
}

/** Runs a scenario on a service that speaks a contract; undefined: the service's own API. */
export async function runShaped(scenario: Scenario, name: string | undefined): Promise<Shaped> {
  const account = await openShape(name, scenario.service);
  try {
    return await runOn(account, scenario);
  } finally {
    await account.close();
  }
}

/** Opens an account on a service that speaks a contract of shapes.ts, or one that is built in; undefined: the service's own API. */
export async function openShape(name: string | undefined, service: Scenario["service"] = {}): Promise<Account> {
  const place = mkdtempSync(join(tmpdir(), "hostform-shape-"));
  const own = name !== undefined && name in shapes ? shapes[name as ShapeName] : undefined;
  if (own) writeFileSync(join(place, "contract.yaml"), JSON.stringify(own.contract));
  const contract = own ? join(place, "contract.yaml") : name;
  const account = await openAccount({
    ...service,
    ...(contract !== undefined && { contract }),
    ...(own && { manner: own.manner }),
  });
  const { HOSTFORM_API_KEY: key } = account.env;
  return {
    ...account,
    env: own?.contract.request.auth.headers ? { HOSTFORM_API_KEY: `me@example.com:${key}` } : account.env,
    close: async () => {
      await account.close();
      rmSync(place, { recursive: true });
    },
  };
}

/** Opens such an account until the test ends. */
export async function shapeForTest(...given: Parameters<typeof openShape>): Promise<Account> {
  const account = await openShape(...given);
  onTestFinished(account.close);
  return account;
}

async function runOn(account: Account, scenario: Scenario): Promise<Shaped> {
  const refusal = await makeLive(account, scenario).then(
    () => undefined,
    (error: unknown) => String(error),
  );
  if (refusal !== undefined) return { plan: [], refused: [], exit: null, again: null, live: {}, output: refusal };
  const { env, faults } = scenario;
  const args = ["-f", account.write("m.yaml", manifestHead + scenario.manifest), "--json"].concat(
    inFolder(account, scenario.flags),
  );
  const planned = await runInProcess(account, ["plan", ...args], env);
  const before = size.rehearsesShapes ? await lookBefore(account, args, env) : undefined;
  if (faults) await account.byHand("POST", "/_emulator/faults", { faults });
  const applied = await runInProcess(account, ["apply", "--auto-approve", "--settle", "2", ...args], env);
  const again =
    applied.status === 0 ? await runInProcess(account, ["plan", "--detailed-exitcode", ...args], env) : undefined;
  const of = (ran: Ran, type: string, word: string) =>
    eventsOf(ran).flatMap((event) =>
      event["type"] === type ? [`${String(event[word])} ${String(event["address"])}`] : [],
    );
  const reader = openReader(account);
  const live = likeness(reader.read());
  reader.close();
  return {
    plan: of(planned, "planned", "action"),
    refused: of(planned, "refused", "code"),
    ...(before && { rehearsed: before.rehearsed.status, offline: of(before.offline, "planned", "action") }),
    exit: applied.status,
    again: again?.status,
    live: Object.fromEntries(Object.entries(live).map(([kind, items]) => [kind, items.map(withoutSerial).toSorted()])),
    output: [planned, before?.rehearsed, before?.offline, applied, again]
      .map((ran) => (ran ? ran.stdout + ran.stderr : ""))
      .join("\n"),
  };
}

/** Rehearses a plan, and makes it from a snapshot, without key and API. */
async function lookBefore(account: Account, args: readonly string[], env: Record<string, string> = {}) {
  const file = join(account.folder, "live.json");
  const place = account.flags.indexOf("--contract");
  const flags = place < 0 ? [] : account.flags.slice(place, place + 2);
  const rehearsed = await runInProcess(account, ["rehearse", ...args], env);
  exits(0, await runInProcess(account, ["snapshot", "--out", file], env));
  const offline = await runInProcess({ flags, env: {} }, ["plan", "--live", file, ...args], env);
  return { rehearsed, offline };
}

/** A zone's serial counts requests, and each service has DKIM keys of its own. */
const withoutSerial = (text: string) =>
  text
    .replaceAll(/"serial":\d+|(?<="content":"ns1\S* \S* )\d+/gu, "N")
    .replaceAll(/p=MII.*?"(?=[,}])/gu, 'p=KEY"')
    .replaceAll(/"digest":"\w+"/gu, "DIGEST");
