import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, request } from "undici";
import { beforeAll, beforeEach } from "vitest";
import { startEmulator, type EmulatorOptions, type Mirror, type LoggedOperation } from "../../src/emulator/index.ts";
import { targetKey } from "../../src/state/inventory/target-key.ts";
import { openedForFile } from "./opened-for-file.ts";
import { runHostform, type Ran } from "./run-hostform.ts";

type Json = Record<string, unknown>;

type Operation = Pick<LoggedOperation, "time" | "method" | "path" | "status" | "committed" | "fault">;

/** An account on an embedded service of its own, with a folder for manifests: what an end-to-end test works on. */
export interface Account {
  readonly folder: string;
  /** Of the service's store, for those who look into it past its API. */
  readonly dataFile: string;
  readonly baseUrl: string;
  /** Flags that point hostform to this account. */
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Runs hostform against this account. */
  readonly hostform: (args: readonly string[], env?: Record<string, string>) => Promise<Ran>;
  readonly mirror: Mirror;
  readonly write: (name: string, text: string) => string;
  /** Sends a request by hand, as someone else would, with a key that is not hostform's. */
  readonly byHand: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: Json }>;
  /** Makes an object by hand, and returns it. Throws where the service refuses it. */
  readonly create: (path: string, object: object) => Promise<Json & { readonly id: string }>;
  /** Makes a key that may do only this, by the groups of the API. */
  readonly keyFor: (permissions: Readonly<Record<string, string>>) => Promise<string>;
  /** Injects faults, as `hostform emulator --fault` takes them. */
  readonly inject: (...faults: readonly object[]) => Promise<void>;
  readonly endFaults: () => Promise<unknown>;
  /** What hostform has asked of the service so far, as `METHOD /path`, in order. */
  readonly operations: () => Promise<Operation[]>;
  /** Those of them that are not reads. */
  readonly writes: () => Promise<Operation[]>;
  readonly close: () => Promise<void>;
}

/** `now` is the clock of the service, in ms since 1970; default: the real one. */
export async function openAccount(options: EmulatorOptions = {}, now: () => number = Date.now): Promise<Account> {
  const place = mkdtempSync(join(tmpdir(), "hostform-test-"));
  const folder = join(place, "work");
  const { dataFile = join(place, "service.db") } = options;
  mkdirSync(folder);
  const key = randomBytes(24).toString("hex");
  const emulator = await startEmulator({ ...options, dataFile, key }, { now, random: randomBytes });
  const agent = new Agent({ connect: { ca: emulator.caPem } });
  const sendAs = async (bearer: string, method: string, path: string, body?: unknown) => {
    // Beside the API of a contract, the service's own stands below the switches.
    const own = options.contract !== undefined && path.startsWith("/v2026/") ? `/_emulator${path}` : path;
    const answer = await request(emulator.baseUrl + own, {
      method: method as "GET",
      dispatcher: agent,
      headers: {
        authorization: `Bearer ${bearer}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, body: (text === "" ? {} : JSON.parse(text)) as Json };
  };
  const permissions = Object.fromEntries(
    ["services", "mail", "ftp", "database", "dns", "dnssec", "crons", "domains", "ssl"].map((group) => [
      group,
      "write",
    ]),
  );
  const addKey = async (given: object) => {
    const { body } = await sendAs(key, "POST", "/_emulator/keys", { permissions, ...given });
    return body["data"] as { key: string; id: string };
  };
  // A connection takes as long as all else here, and many tests send nothing by hand.
  const openHand = async () => ({ id: (await addKey({ key })).id, handKey: (await addKey({})).key });
  let hand: ReturnType<typeof openHand> | undefined;
  const byHand = async (method: string, path: string, body?: unknown) =>
    sendAs((await (hand ??= openHand())).handKey, method, path, body);
  const make = async (path: string, object: object) => {
    const { status, body } = await byHand("POST", path, object);
    if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body["data"];
  };
  const operations = async () => {
    const all: unknown[] = [];
    for (let page: { seq: number }[] = [{ seq: 0 }]; page.length > 0; all.push(...page)) {
      const { body: log } = await byHand("GET", `/_emulator/operations?limit=1000&after=${page.at(-1)?.seq}`);
      page = log["data"] as { seq: number }[];
    }
    const { id } = await (hand ??= openHand());
    return (all as LoggedOperation[]).filter((operation) => operation.key_id === id);
  };
  const caFile = join(folder, "ca.pem");
  writeFileSync(caFile, emulator.caPem);
  const spoken = options.contract === undefined ? [] : ["--contract", options.contract];
  const flags = ["--base-url", emulator.baseUrl, "--ca-file", caFile, ...spoken];
  const env = { HOSTFORM_API_KEY: key };
  return {
    folder,
    dataFile,
    baseUrl: emulator.baseUrl,
    flags,
    env,
    hostform: (args, more = {}) => runHostform([...args, ...flags], { env: { ...env, ...more }, cwd: folder }),
    mirror: emulator.mirror,
    write: (name, text) => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
    byHand,
    create: (path, object) => make(`/v2026${path}`, object) as Promise<Json & { id: string }>,
    keyFor: async (only) => (await addKey({ permissions: only })).key,
    inject: async (...faults) => void (await make("/_emulator/faults", { faults })),
    endFaults: () => byHand("DELETE", "/_emulator/faults"),
    operations,
    writes: async () => (await operations()).filter(({ method }) => method !== "GET"),
    close: async () => {
      await agent.close();
      await emulator.close();
      rmSync(place, { recursive: true });
      dropJournals(emulator.baseUrl);
    },
  };
}

/** Returns an account that all tests of a file share; it is empty until they begin. */
export const accountForFile = (...given: Parameters<typeof openAccount>): Account =>
  openedForFile(() => openAccount(...given));

/** Returns an account that all tests of a file share, and that each of them finds as it was opened. */
export function accountAsNew(...given: Parameters<typeof openAccount>): Account & { readonly putBack: () => void } {
  let putBack: () => void;
  const account = Object.assign(accountForFile(...given), { putBack: () => putBack() });
  beforeAll(() => {
    putBack = account.mirror.keep();
  });
  beforeEach(account.putBack);
  return account;
}

/** Removes what unended applies in this process have left in the repository: a later service may get the same port, and be taken for this one. */
function dropJournals(baseUrl: string): void {
  for (const file of existsSync(".hostform") ? readdirSync(".hostform") : []) {
    const [, key = "", name = ""] = /^((.*)-[0-9a-f]{12})\.journal/u.exec(file) ?? [];
    if (key === targetKey({ name, place: `${baseUrl}/`, contract: "v2026" }))
      rmSync(join(".hostform", file), { recursive: true });
  }
}
