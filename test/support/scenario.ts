import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { parse } from "yaml";
import type { EmulatorOptions } from "../../src/emulator/index.ts";
import type { Account } from "./account.ts";
import { runInProcess } from "./run-hostform.ts";

/**
 * One file, one scenario: what is live (a manifest applied before, and requests made by hand), the manifest, and what must come of it:
 * the plan's steps in order, the calls in order, the exit status. Unless it is refused, planning again must find nothing to do.
 */
export interface Scenario {
  readonly title: string;
  /** How the service is to behave, such as `namePrefix`. */
  readonly service?: EmulatorOptions;
  readonly live?: string;
  /** Flags of the apply that makes it live. */
  readonly live_flags?: readonly string[];
  readonly by_hand?: readonly { readonly method: string; readonly path: string; readonly body?: unknown }[];
  /** Fault rules of the service, added after the plan and before the apply (schemas/faults.schema.json). */
  readonly faults?: readonly object[];
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
  /** How each step that the apply begins ends, as `OUTCOME ACTION ADDRESS`, in any order. */
  readonly ends?: readonly string[];
  /** How many steps are blocked by another that failed. */
  readonly blocked?: number;
  /** The records of all zones after the apply, as `NAME TYPE CONTENT`, without those of the platform, in any order. */
  readonly records?: readonly string[];
  readonly exit: number;
}

/** What every manifest of a scenario begins with. */
export const manifestHead = "version: 1\nname: scenario\n";

/** A file of test/scenarios. */
export const readScenario = (file: string): Scenario =>
  parse(readFileSync(new URL(`../scenarios/${file}`, import.meta.url), "utf8")) as Scenario;

/** A path of the log without ids, nor the names that stand in it instead of one. */
export const withoutIds = (path: string): string =>
  path
    .replaceAll(/\/[a-z]+_[A-Za-z0-9_-]{8,}/gu, "/{id}")
    .replace(/(?<=\/mail\/settings\/).+/u, "{id}")
    .replace("/v2026", "");

/** Brings an account to where the scenario begins. */
export async function makeLive(
  account: Account,
  { live, live_flags: flags = [], by_hand: requests = [], env = {} }: Scenario,
): Promise<void> {
  if (live !== undefined) {
    const manifest = account.write("live.yaml", manifestHead + live);
    const applied = await runInProcess(
      account,
      ["apply", "--auto-approve", "-f", manifest, ...inFolder(account, flags)],
      env,
    );
    expect(applied.status, applied.stdout + applied.stderr).toBe(0);
  }
  for (const { method, path, body } of requests) {
    const filled = body === undefined ? body : (JSON.parse(await fillIds(account, JSON.stringify(body))) as unknown);
    const answer = await account.byHand(method, `/v2026${await fillIds(account, path)}`, filled);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  }
}

/** Returns the records of all zones, as `NAME TYPE CONTENT`, without those of the platform. */
export async function listRecords(account: Account): Promise<string[]> {
  const list = async (path: string) => {
    const { body } = await account.byHand("GET", `/v2026${path}?per_page=100`);
    return body["data"] as Record<string, unknown>[];
  };
  const zones = await list("/dns/zones");
  const records = await Promise.all(zones.map(({ id }) => list(`/dns/zones/${String(id)}/records`)));
  return records
    .flat()
    .filter(({ managed }) => managed !== true)
    .map(({ name, type, content }) => `${String(name)} ${String(type)} ${String(content)}`);
}

/** Flags with the folder of the manifest in them. */
export const inFolder = ({ folder: place }: Account, flags: readonly string[] = []) =>
  flags.map((flag) => flag.replace("{folder}", place));

/** Replaces `{/dns/zones name=example.com}` by the id of the listed object with that field. */
async function fillIds(account: Account, path: string): Promise<string> {
  const place = /\{([^ {}]+) (\w+)=([^}]+)\}/u.exec(path);
  if (!place) return path;
  const [whole, list = "", field = "", value] = place;
  const { body } = await account.byHand("GET", `/v2026${list}${list.includes("?") ? "&" : "?"}per_page=100`);
  const found = (body["data"] as Record<string, unknown>[]).find((item) => item[field] === value);
  return fillIds(account, path.replace(whole, String(found?.["id"])));
}
