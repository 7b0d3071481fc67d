import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { EmulatorOptions } from "../../src/emulator/index.ts";
import { failJob } from "../../src/fleet/store/job-store.ts";
import { connect, type Database } from "../../src/postgres/connection.ts";
import { startEmbedded } from "../../src/postgres/embedded.ts";
import { migrate } from "../../src/postgres/migrate.ts";
import { openQueue, type Queue } from "../../src/postgres/queue.ts";
import { openAccount, type Account } from "./account.ts";
import { openFront, type Front } from "./front.ts";
import { addressOf, quickly } from "./postgres.ts";
import { cli, eventsOf, type Ran, runInProcess } from "./run-hostform.ts";

/** A worker in a process of its own. */
export interface WorkerProcess {
  /** Part of the name that its leases have. */
  readonly name: string;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<unknown>;
  /** Resolves once it has printed a text. */
  readonly says: (text: string) => Promise<void>;
}

/** A service as fleet.yaml names it. */
export interface NamedService {
  readonly baseUrl: string;
  /** The text of its CA file. */
  readonly ca: string;
  readonly key: string;
}

/** The manifests of the accounts of each service, by the name of the account. */
export type Manifests = readonly Readonly<Record<string, string>>[];

/** A fleet over several services, with a PostgreSQL of its own and workers in processes. */
export interface FleetPlace {
  readonly database: Database;
  /** The variables that lead a process to the database, with the keys of the services. */
  readonly env: Readonly<Record<string, string>>;
  /** The checkout of those who run commands. */
  readonly control: string;
  /** Runs `hostform fleet …` in this process, from a checkout of its own. `onLook`: called while it waits. */
  readonly fleet: (
    args: readonly string[],
    onLook?: () => Promise<void>,
    world?: Parameters<typeof runInProcess>[3],
  ) => Promise<Ran>;
  /** Makes the checkout of a machine anew; what was there is lost. Default: the manifests that the fleet began with. */
  readonly checkOut: (machine: string, manifests?: Manifests) => void;
  readonly startWorker: (machine: string, flags?: readonly string[]) => WorkerProcess;
  /** Ends the database without a word, and starts it again after `meanwhile`. */
  readonly restartDatabase: (meanwhile?: () => Promise<unknown>) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A place whose services are embedded, each behind a front. */
export interface FleetStage extends FleetPlace {
  readonly services: readonly Account[];
  readonly fronts: readonly Front[];
  readonly queue: Queue;
  /** Lets the leases of workers that have ended, or of jobs that nobody renews, run out, and queues their jobs again. */
  readonly passTime: (names: readonly string[]) => Promise<void>;
}

/** Opens a stage with accounts of embedded services that are made for it. */
export async function openFleetStage(services: readonly EmulatorOptions[], manifests: Manifests): Promise<FleetStage> {
  const accounts = await Promise.all(services.map((options) => openAccount(options)));
  const fronts = await Promise.all(accounts.map(openFront));
  const named = fronts.map(({ baseUrl }, nth) => ({
    baseUrl,
    ca: readFileSync(join(accounts[nth]?.folder ?? "", "front.pem"), "utf8"),
    key: accounts[nth]?.env["HOSTFORM_API_KEY"] ?? "",
  }));
  const place = await openFleetPlace(named, manifests, [...quickly, "max_connections=60"]);
  const { database } = place;
  const queue = await openQueue(database);
  return {
    ...place,
    services: accounts,
    fronts,
    queue,
    passTime: async (names) => {
      await database.query(
        `UPDATE hostform.lease SET until = clock_timestamp() - interval '1 s'
         WHERE job IS NOT NULL AND (until < clock_timestamp() + interval '26 s' OR worker LIKE ANY($1))`,
        [names.map((name) => `%${name}`)],
      );
      // The server has run long enough for all workers that live to have renewed theirs.
      await queue.sweep(failJob, 0);
      await database.query("UPDATE hostform_queue.job SET start_after = now() WHERE state < 'active'");
    },
    close: async () => {
      await place.close();
      await Promise.all(fronts.map((front) => front.close()));
      await Promise.all(accounts.map((account) => account.close()));
    },
  };
}

/** @param settings of the PostgreSQL. */
export async function openFleetPlace(
  services: readonly NamedService[],
  firstManifests: Manifests,
  settings: readonly string[] = [],
): Promise<FleetPlace> {
  const place = mkdtempSync(join(tmpdir(), "hostform-stage-"));
  const start = () => startEmbedded(join(place, "postgres"), settings);
  const { config } = await start();
  const database = await connect({ ...config, max: 4 });
  await migrate(database);
  const keys = Object.fromEntries(services.map(({ key }, nth) => [`KEY_${nth}`, key]));
  const env = { HOSTFORM_DATABASE_URL: addressOf(config, "postgres"), ...keys };
  const checkOut = (machine: string, manifests = firstManifests) => {
    const folder = join(place, machine);
    rmSync(folder, { recursive: true, force: true });
    const write = (path: string, text: string) => {
      mkdirSync(join(folder, path, ".."), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    const entries = services.map(({ baseUrl, ca }, nth) => {
      write(`ca-${nth}.pem`, ca);
      for (const [name, text] of Object.entries(manifests[nth] ?? {})) write(`s${nth}/${name}/hosting.yaml`, text);
      return `  - { folders: "s${nth}/*", base_url: "${baseUrl}", ca_file: ca-${nth}.pem, key: "\${env:KEY_${nth}}", owner: us }\n`;
    });
    write("fleet.yaml", `version: 1\nname: test\naccounts:\n${entries.join("")}`);
    return folder;
  };
  const control = checkOut("control");
  const workers: WorkerProcess[] = [];
  const ignoreLoss = () => undefined;
  return {
    database,
    env,
    control,
    fleet: ([command = "", ...args], onLook = async () => undefined, world = {}) =>
      runInProcess(
        { flags: [], env },
        ["fleet", command, ...args, "-f", control],
        {},
        {
          sleep: async (milliseconds, stop) => {
            await onLook().catch(ignoreLoss);
            await wait(Math.min(200, milliseconds), undefined, { ...(stop && { signal: stop }) }).catch(ignoreLoss);
          },
          ...world,
        },
      ),
    checkOut,
    startWorker: (machine, flags = []) => {
      const name = `https://ci.example/worker-${workers.length}`;
      const worker = startWorker(join(place, machine), name, env, flags);
      workers.push(worker);
      return worker;
    },
    restartDatabase: async (meanwhile = async () => undefined) => {
      const postmaster = readFileSync(join(place, "postgres/data/postmaster.pid"), "utf8").split("\n")[0];
      process.kill(Number(postmaster), "SIGQUIT");
      await meanwhile();
      await start();
    },
    close: async () => {
      for (const worker of workers) worker.signal("SIGKILL");
      await Promise.all(workers.map(({ ended }) => ended));
      await database.close();
      const postmaster = readFileSync(join(place, "postgres/data/postmaster.pid"), "utf8").split("\n")[0];
      process.kill(Number(postmaster), "SIGQUIT");
      rmSync(place, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Starts a worker in a checkout. `name`: part of the one that it has. */
export function startWorker(
  checkout: string,
  name: string,
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): WorkerProcess {
  const all = [cli, "fleet", "worker", "-f", checkout, ...flags, "--concurrency", "3", "--json"];
  const child = spawn(process.execPath, all, { env: { PATH: process.env["PATH"] ?? "", ...env, BUILD_URL: name } });
  let printed = "";
  const listeners = new Set<() => void>();
  const onText = (text: string) => {
    printed += text;
    for (const listener of listeners) listener();
  };
  child.stdout.setEncoding("utf8").on("data", onText);
  child.stderr.setEncoding("utf8").on("data", onText);
  child.stdin.end();
  return {
    name,
    signal: (signal) => void child.kill(signal),
    ended: new Promise((resolve) => child.on("close", resolve)),
    says: (text) =>
      new Promise((resolve) => {
        const look = () => {
          if (!printed.includes(text)) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
      }),
  };
}

/** The sums of the last run that a command has followed. */
export const sumsIn = (ran: Ran): unknown => eventsOf(ran).findLast(({ type }) => type === "run_ended")?.["sums"];
