import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { EmulatorOptions } from "../../src/emulator/index.ts";
import { connect, type Database } from "../../src/postgres/connection.ts";
import { startEmbedded } from "../../src/postgres/embedded.ts";
import { migrate } from "../../src/postgres/migrate.ts";
import { openQueue, type Queue } from "../../src/postgres/queue.ts";
import { openAccount, type Account } from "./account.ts";
import { openFront, type Front } from "./front.ts";
import { runInProcess } from "./in-process.ts";
import { addressOf, quickly } from "./postgres.ts";
import { cli, eventsOf, type Ran } from "./run-hostform.ts";

/** A worker in a process of its own. */
export interface WorkerProcess {
  /** Part of the name that its leases have. */
  readonly name: string;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<unknown>;
  /** Resolves once it has printed a text. */
  readonly says: (text: string) => Promise<void>;
}

/** A fleet over several embedded services, each behind a front, with a PostgreSQL of its own and workers in processes. */
export interface FleetStage {
  readonly services: readonly Account[];
  readonly fronts: readonly Front[];
  readonly database: Database;
  readonly queue: Queue;
  /** Runs `hostform fleet …` in this process, from a checkout of its own. `onLook`: called while it waits. */
  readonly fleet: (
    args: readonly string[],
    onLook?: () => Promise<void>,
    world?: Parameters<typeof runInProcess>[3],
  ) => Promise<Ran>;
  /** Makes the checkout of a machine anew; what was there is lost. */
  readonly checkOut: (machine: string) => void;
  readonly startWorker: (machine: string, flags?: readonly string[]) => WorkerProcess;
  /** Ends the database without a word, and starts it again after `meanwhile`. */
  readonly restartDatabase: (meanwhile?: () => Promise<unknown>) => Promise<void>;
  /** Lets the leases of workers that have ended, or of jobs that nobody renews, run out, and queues their jobs again. */
  readonly passTime: (names: readonly string[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** @param manifests of each service, by the name of the account. */
export async function openFleetStage(
  services: readonly EmulatorOptions[],
  manifests: readonly Readonly<Record<string, string>>[],
): Promise<FleetStage> {
  const place = mkdtempSync(join(tmpdir(), "hostform-stage-"));
  const start = () => startEmbedded(join(place, "postgres"), [...quickly, "max_connections=60"]);
  const accounts = await Promise.all(services.map((options) => openAccount(options)));
  const fronts = await Promise.all(accounts.map(openFront));
  const { config } = await start();
  const database = await connect({ ...config, max: 4 });
  await migrate(database);
  const queue = await openQueue(database);
  const keys = Object.fromEntries(accounts.map(({ env }, nth) => [`KEY_${nth}`, env["HOSTFORM_API_KEY"] ?? ""]));
  const env = { HOSTFORM_DATABASE_URL: addressOf(config, "postgres"), ...keys };
  const checkOut = (machine: string) => {
    const folder = join(place, machine);
    rmSync(folder, { recursive: true, force: true });
    const write = (path: string, text: string) => {
      mkdirSync(join(folder, path, ".."), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    const entries = fronts.map(({ baseUrl }, nth) => {
      write(`ca-${nth}.pem`, readFileSync(join(accounts[nth]?.folder ?? "", "front.pem"), "utf8"));
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
    services: accounts,
    fronts,
    database,
    queue,
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
      const worker = startProcess(["-f", join(place, machine), ...flags], name, { ...env, BUILD_URL: name });
      workers.push(worker);
      return worker;
    },
    restartDatabase: async (meanwhile = async () => undefined) => {
      const postmaster = readFileSync(join(place, "postgres/data/postmaster.pid"), "utf8").split("\n")[0];
      process.kill(Number(postmaster), "SIGQUIT");
      await meanwhile();
      await start();
    },
    passTime: async (names) => {
      await database.query(
        `UPDATE hostform.lease SET until = clock_timestamp() - interval '1 s'
         WHERE job IS NOT NULL AND (until < clock_timestamp() + interval '26 s' OR worker LIKE ANY($1))`,
        [names.map((name) => `%${name}`)],
      );
      // The server has run long enough for all workers that live to have renewed theirs.
      await queue.sweep(0);
      await database.query("UPDATE hostform_queue.job SET start_after = now() WHERE state < 'active'");
    },
    close: async () => {
      for (const worker of workers) worker.signal("SIGKILL");
      await Promise.all(workers.map(({ ended }) => ended));
      await database.close();
      const postmaster = readFileSync(join(place, "postgres/data/postmaster.pid"), "utf8").split("\n")[0];
      process.kill(Number(postmaster), "SIGQUIT");
      await Promise.all(fronts.map((front) => front.close()));
      await Promise.all(accounts.map((account) => account.close()));
      rmSync(place, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

function startProcess(args: readonly string[], name: string, env: Record<string, string>): WorkerProcess {
  const all = [cli, "fleet", "worker", ...args, "--concurrency", "3", "--json"];
  const child = spawn(process.execPath, all, { env: { PATH: process.env["PATH"] ?? "", ...env } });
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
