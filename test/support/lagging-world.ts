import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openAccount, type Account } from "./account.ts";
import { exits, runInProcess } from "./run-hostform.ts";
import { virtualClock, type VirtualClock } from "./virtual-clock.ts";

/** An account whose lists can lag behind, and one manifest of it. The service and Hostform share one clock, and nobody waits. */
export interface World {
  readonly account: Account;
  readonly clock: VirtualClock;
  readonly journal: string;
  readonly inventory: string;
  /** Writes another manifest. */
  readonly declare: (text: string) => void;
  /** Changes the inventory by hand. */
  readonly edit: (...flags: string[]) => ReturnType<typeof runInProcess>;
  readonly unlock: () => ReturnType<typeof runInProcess>;
  /** Answers the next creation with a refusal. */
  readonly fail: (status: number) => Promise<void>;
  readonly apply: (...flags: string[]) => ReturnType<typeof runInProcess>;
  readonly creations: () => Promise<number>;
  /** From now on reads stay behind each creation for so many milliseconds. */
  readonly lag: (milliseconds: number) => Promise<void>;
}

/** A resource that is there after `declared`, and not after `before`. */
export interface Case {
  readonly before: string;
  readonly declared: string;
  /** Below the base URL. */
  readonly path: string;
  readonly flags?: readonly string[];
}

const service = "services: { a.example: { plan: WEB-M, datacenter: MAD1 } }";
const zone = "dns: { a.example: { records: { www: { A: 192.0.2.1 } } } }";
/** Resources of which a second creation costs money, or stands beside the first. */
export const costly: Readonly<Record<string, Case>> = {
  certificate: {
    before: service,
    declared: `${service}\ncertificates: { a.example: [{ domains: [a.example], type: managed }] }`,
    path: "/v2026/ssl/**",
  },
  registration: {
    before: service,
    declared: `${service}\ndomains: { b.example: { register: true } }`,
    path: "/v2026/domains",
    flags: ["--allow-purchase", "domain/b.example"],
  },
};
export const cheap: Readonly<Record<string, Case>> = {
  record: {
    before: zone,
    declared: zone.replace("} } }", "}, api: { A: 192.0.2.2 } } }"),
    path: "/v2026/dns/**",
  },
  cron: {
    before: service,
    declared: `${service}\ncrons: { a.example: { jobs: { nightly: { schedule: "0 3 * * *", command: php a.php } } } }`,
    path: "/v2026/crons/**",
  },
};

/** Applies `before`, and writes `declared` into the manifest. */
export async function openWorld({ before, declared, path, flags = [] }: Case, lax = false): Promise<World> {
  const clock = virtualClock();
  const env = { CODE: "Auth-Code-1234" };
  const account = await openAccount({ lax }, clock.now);
  const journal = join(account.folder, "j.journal");
  const head = "version: 1\nname: lagging\n";
  const file = account.write("m.yaml", head + before);
  const inventory = join(account.folder, "ours.json");
  const apply = (...more: string[]) =>
    runInProcess(
      account,
      [
        "apply",
        "-f",
        file,
        "--auto-approve",
        "--json",
        "--journal",
        journal,
        "--inventory",
        inventory,
        ...flags,
        ...more,
      ],
      env,
      clock,
    );
  const edit = (...more: string[]) =>
    runInProcess(account, ["inventory", "-f", file, "--inventory", inventory, ...more], env, clock);
  const fault = async (rule: object) => {
    const faults = [{ match: { method: "POST", path }, fault: rule }];
    const { status } = await account.byHand("POST", "/_emulator/faults", { faults });
    if (status >= 300) throw new Error(`the faults were refused: ${status}`);
  };
  exits(0, await apply());
  writeFileSync(file, head + declared);
  const operations = await account.operations();
  return {
    account,
    clock,
    journal,
    inventory,
    apply,
    creations: async () =>
      (await account.operations()).slice(operations.length).filter(({ method }) => method === "POST").length,
    declare: (text) => writeFileSync(file, head + text),
    edit,
    unlock: () => edit("--unlock"),
    lag: (milliseconds) => fault({ stale_reads_ms: milliseconds }),
    fail: (status) => fault({ status }),
  };
}
