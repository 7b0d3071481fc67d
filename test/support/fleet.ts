import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { connect, type Database } from "../../src/postgres/connection.ts";
import { openAccount, type Account } from "./account.ts";
import { newDatabaseUrl } from "./postgres.ts";
import { type Ran, runInProcess } from "./run-hostform.ts";

/** A fleet of accounts whose resources lie in one embedded service, and its database. */
export interface TestFleet {
  readonly folder: string;
  readonly api: Account;
  readonly database: Database;
  readonly env: Readonly<Record<string, string>>;
  /** Runs `hostform fleet …` in this process. */
  readonly fleet: (args: readonly string[], world?: Parameters<typeof runInProcess>[3]) => Promise<Ran>;
  /** Writes the manifest of an account, by its name. */
  readonly write: (name: string, text: string) => void;
  readonly close: () => Promise<void>;
}

/** A zone with one record, which belongs to the account alone. */
export const shopManifest = (name: string, address = "192.0.2.1", more = ""): string =>
  `version: 1\nname: ${name}\ndns:\n  ${name}.example:\n    records:\n      www: { A: ${address} }\n${more}`;

export const namesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `shop-${String(index + 1).padStart(3, "0")}`);

/** Workers, and commands that follow a run, look every half second whether anything has happened. Tests would wait for little else. */
const lookSoon = (milliseconds: number, stop?: AbortSignal) =>
  wait(Math.min(50, milliseconds), undefined, { ...(stop && { signal: stop }) }).catch(() => undefined);

/** Opens a fleet with an account of each name, in `accounts/NAME`. `settings`: more lines of fleet.yaml; `key`: another than that of the service; `more`: variables of the workers. */
export async function openFleet(
  names: readonly string[],
  {
    settings = "",
    options = {},
    key,
    more = {},
  }: {
    settings?: string;
    options?: Parameters<typeof openAccount>[0];
    key?: string;
    more?: Readonly<Record<string, string>>;
  } = {},
): Promise<TestFleet> {
  const [api, url] = await Promise.all([openAccount(options), newDatabaseUrl()]);
  const { folder } = api;
  const database = await connect({ connectionString: url, max: 2 });
  const write = (name: string, text: string) => {
    const path = join(folder, "accounts", name, "hosting.yaml");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  for (const name of names) write(name, shopManifest(name));
  writeFileSync(
    join(folder, "fleet.yaml"),
    `version: 1\nname: test\ndefaults: { base_url: "${api.baseUrl}", ca_file: ca.pem, owner: us }\naccounts:\n  - folders: accounts/*\n${settings}`,
  );
  const env = { ...api.env, HOSTFORM_DATABASE_URL: url, ...(key !== undefined && { HOSTFORM_API_KEY: key }), ...more };
  return {
    folder,
    api,
    database,
    env,
    write,
    fleet: ([command = "", ...args], world) =>
      runInProcess(
        { flags: [], env },
        ["fleet", command, ...args, ...(command === "migrate" ? [] : ["-f", folder])],
        {},
        { sleep: lookSoon, ...world },
      ),
    close: async () => {
      await database.close();
      await api.close();
    },
  };
}

/** Opens a fleet that closes when the test has ended. */
export async function fleetForTest(...given: Parameters<typeof openFleet>): Promise<TestFleet> {
  const opened = await openFleet(...given);
  onTestFinished(opened.close);
  return opened;
}

/** Starts a worker in this process; `end` is what a signal does. */
export function startWorker({ fleet }: Pick<TestFleet, "fleet">, ...args: readonly string[]) {
  let interrupt = () => {};
  const done = fleet(["worker", ...args], { onInterrupt: (handler) => void (interrupt = handler) });
  return {
    end: () => {
      interrupt();
      return done;
    },
  };
}

/** A fleet with a worker that runs until the test ends. */
export async function withWorker(...given: Parameters<typeof openFleet>): Promise<TestFleet> {
  const opened = await fleetForTest(...given);
  const worker = startWorker(opened);
  onTestFinished(async () => void (await worker.end()));
  return opened;
}

/** The world of a command that is interrupted at its first wait. */
export function interruptedAtOnce(): Parameters<TestFleet["fleet"]>[1] {
  let end = () => {};
  return { sleep: async () => end(), onInterrupt: (handler) => void (end = handler) };
}

/** The hash of plans, and the run, that a command of a fleet has printed. */
export const hashIn = (text: string) => /(?:--hash|--approve) (sha256:[0-9a-f]{32})/u.exec(text)?.[1] ?? "";
export const runIn = (text: string) => /^Run ([0-9a-f]{8})/mu.exec(text)?.[1] ?? "";
