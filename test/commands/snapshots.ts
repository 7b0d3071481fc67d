import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll } from "vitest";
import { accountForFile } from "../support/account.ts";
import { eventsOf, exits, type Ran, runInProcess } from "../support/run-hostform.ts";

/** The secret TOKEN with which the account was filled. */
export const secret = "correct-horse-battery";

/** A snapshot, as far as tests look into it. */
export interface File {
  snapshot: unknown;
  taken_at: string;
  target: Record<string, unknown>;
  collections: { kind: string; scope: Record<string, string>; incomplete?: string; objects: Stored[] }[];
}
interface Stored {
  address: string;
  record: Record<string, unknown>;
  redacted?: string[];
}

/** Snapshots of an account with a service, a zone, mail and crons, which all tests of a file share. */
export function snapshots() {
  const account = accountForFile();
  const live = () => join(account.folder, "live.json");
  beforeAll(() =>
    applied(
      `
services: { shop.example: { plan: WEB-M, datacenter: MAD1 } }
domains: { shop.example: { service: shop.example } }
dns: { shop.example: { records: { www: { A: 192.0.2.1 }, verify: { TXT: "\${env:TOKEN}" } } } }
mail: { shop.example: { mailboxes: { info: { password: "\${env:TOKEN}", quota: 1 GiB } } } }
crons:
  shop.example:
    jobs:
      backup: { schedule: "0 3 * * *", command: php bin/backup.php }
      ping: { schedule: "0 4 * * *", command: "curl https://ping.example/?token=t0ps3cret" }
`,
      { TOKEN: secret },
    ),
  );

  let written = 0;
  function manifest(text: string): string {
    written += 1;
    return account.write(`m${written}.yaml`, `version: 1\nname: offline\n${text}`);
  }

  async function applied(text: string, env: Record<string, string> = {}): Promise<void> {
    exits(0, await runInProcess(account, ["apply", "--auto-approve", "-f", manifest(text)], env));
  }

  const take = (...args: string[]) => runInProcess(account, ["snapshot", "--out", live(), ...args], { TOKEN: secret });
  /** Without key, base URL and authority, as a job of a fork has it. */
  const plan = (text: string, ...args: string[]) =>
    runInProcess({ ...account, flags: [], env: {} }, ["plan", "--live", live(), "-f", manifest(text), ...args]);
  const read = () => JSON.parse(readFileSync(live(), "utf8")) as File;
  const edit = (change: (file: File) => void) => {
    const file = read();
    change(file);
    account.write("live.json", JSON.stringify(file));
  };

  return { account, live, manifest, applied, take, plan, read, edit };
}

/** Sections of a manifest that change one cron. */
export const pinged = `services: { shop.example: {} }
crons: { shop.example: { jobs: { ping: { schedule: "0 5 * * *", command: curl https://ping.example/?token=another } } } }`;

/** Returns the planned steps as `ACTION ADDRESS`. */
export const planned = (ran: Ran) =>
  eventsOf(ran).flatMap(({ type, action, address }) =>
    type === "planned" ? [`${String(action)} ${String(address)}`] : [],
  );
