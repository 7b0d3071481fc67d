import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { likeness, openReader } from "../proofs/read-account.ts";
import { openAccount, type Account } from "./account.ts";
import { runInProcess } from "./in-process.ts";
import { eventsOf } from "./run-hostform.ts";
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
}

export interface Shaped extends Outcome {
  readonly output: string;
}

/** Runs a scenario on a service that speaks a contract; undefined: the service's own API. */
export async function runShaped(scenario: Scenario, name: string | undefined): Promise<Shaped> {
  const place = mkdtempSync(join(tmpdir(), "hostform-shape-"));
  const own = name !== undefined && name in shapes ? shapes[name as ShapeName] : undefined;
  if (own) writeFileSync(join(place, "contract.yaml"), JSON.stringify(own.contract));
  const contract = own ? join(place, "contract.yaml") : name;
  const account = await openAccount({
    ...scenario.service,
    ...(contract !== undefined && { contract }),
    ...(own && { manner: own.manner }),
  });
  const { HOSTFORM_API_KEY: key } = account.env;
  const env = own?.contract.request.auth.headers ? { HOSTFORM_API_KEY: `me@example.com:${key}` } : account.env;
  try {
    return await runOn({ ...account, env }, scenario);
  } finally {
    await account.close();
    rmSync(place, { recursive: true });
  }
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
  if (faults) await account.byHand("POST", "/_emulator/faults", { faults });
  const applied = await runInProcess(account, ["apply", "--auto-approve", "--settle", "2", ...args], env);
  const again =
    applied.status === 0 ? await runInProcess(account, ["plan", "--detailed-exitcode", ...args], env) : undefined;
  const of = (type: string, word: string) =>
    eventsOf(planned).flatMap((event) =>
      event["type"] === type ? [`${String(event[word])} ${String(event["address"])}`] : [],
    );
  const reader = openReader(account);
  const live = likeness(reader.read());
  reader.close();
  return {
    plan: of("planned", "action"),
    refused: of("refused", "code"),
    exit: applied.status,
    again: again?.status,
    live: Object.fromEntries(Object.entries(live).map(([kind, items]) => [kind, items.map(withoutSerial).toSorted()])),
    output: [planned, applied, again].map((ran) => (ran ? ran.stdout + ran.stderr : "")).join("\n"),
  };
}

/** A zone's serial counts requests, and each service has DKIM keys of its own. */
const withoutSerial = (text: string) =>
  text
    .replaceAll(/"serial":\d+|(?<="content":"ns1\S* \S* )\d+/gu, "N")
    .replaceAll(/p=MII.*?"(?=[,}])/gu, 'p=KEY"')
    .replaceAll(/"digest":"\w+"/gu, "DIGEST");
