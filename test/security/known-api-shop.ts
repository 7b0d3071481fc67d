import { appendFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { openWorkshop } from "../state/repositories.ts";
import { openAccount } from "../support/account.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";

export interface Provider {
  readonly name?: string;
  readonly baseUrl?: string | undefined;
  readonly contract?: string;
  /** Adds the certificate of another authority to the CA file. */
  readonly otherCa?: boolean;
}

const contracts = {
  "header.yaml": "contract: 1\nname: v2026\nextends: v2026\nrequest: { auth: { header: X-Key } }\n",
  "path.yaml": "contract: 1\nname: v2026\nextends: v2026\nbase_path: /other\n",
  "name.yaml": "contract: 1\nname: other\nextends: v2026\n",
};

const commands = {
  plan: (file: string) => ["plan", "-f", file],
  apply: (file: string) => ["apply", "-f", file, "--auto-approve", "--settle", "0"],
  status: (file: string) => ["status", "-f", file],
  why: (file: string) => ["why", "dns_zone/a.example", "-f", file],
  snapshot: (file: string) => ["snapshot", "-f", file, "--out", `${file}.json`],
  rehearse: (file: string) => ["rehearse", "-f", file],
  import: (file: string) => ["import", "--into", file],
};
export type Command = keyof typeof commands;
export const allCommands = Object.keys(commands) as Command[];

/**
 * Opens a workshop of repositories with two accounts, `account` and `staging`, and a host that must get no request. A pull request may
 * change where a manifest sends the key: the inventories of the repository know for which API it is.
 */
export async function openShop() {
  const shop = openWorkshop();
  const seed = { dns_zone: [{ name: "a.example" }] };
  const [account, staging] = await Promise.all([openAccount({ seed }), openAccount({ seed })]);
  let connections = 0;
  const stranger = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
  const strangeUrl = () => `https://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
  const manifestOf = ({ name = "shop", baseUrl = account.baseUrl, contract }: Provider) => `version: 1
name: ${name}
provider: { base_url: "${baseUrl}", ca_file: ca.pem${contract === undefined ? "" : `, contract: ./${contract}`} }
dns: { a.example: { records: { www: { TXT: here } } } }
`;

  let commits = 0;
  const commit = (clone: string, provider: Provider, branch = "main"): void => {
    cpSync(join(account.folder, "ca.pem"), join(clone, "ca.pem"));
    if (provider.otherCa === true) appendFileSync(join(clone, "ca.pem"), readFileSync(join(staging.folder, "ca.pem")));
    for (const [name, text] of Object.entries(contracts)) writeFileSync(join(clone, name), text);
    shop.commit(clone, "manifest.yaml", `${manifestOf(provider)}# ${(commits += 1)}\n`);
    shop.git(clone, "push", "--quiet", "origin", `HEAD:${branch}`);
  };
  /** @param first a manifest that is named before that of the clone. */
  const run = (
    clone: string,
    command: Command,
    flags: readonly string[] = [],
    env: Record<string, string> = {},
    first?: string,
  ) => {
    const args = commands[command](join(clone, "manifest.yaml"));
    const before = first === undefined ? [] : ["-f", first];
    const all = args.flatMap((each) => (each === "-f" ? [...before, each] : [each]));
    const { now, sleep } = virtualClock();
    return runInProcess({ flags, env: account.env }, all, { ...shop.env, ...env }, { now, sleep, elapsed: now });
  };
  return {
    shop,
    account,
    staging,
    strangeUrl,
    manifestOf,
    /** Writes and pushes a manifest with the files that it names. */
    commit,
    run,
    /** A remote and a clone of it from which a manifest of the account was applied. */
    applied: () =>
      shop.copyOf("applied", async () => {
        const remote = shop.makeRemote();
        const clone = shop.clone(remote);
        commit(clone, {});
        exits(0, await run(clone, "apply"));
        return { remote, clone };
      }),
    /** Returns what a command prints, and how many requests it sent to either host. */
    watch: async (...args: Parameters<typeof run>) => {
      const [before, met] = [(await account.operations()).length, connections];
      const ran = await run(...args);
      return { ...ran, requests: (await account.operations()).length - before + connections - met };
    },
    close: async () => {
      stranger.close();
      await Promise.all([account.close(), staging.close(), shop.close()]);
    },
  };
}
