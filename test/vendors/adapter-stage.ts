import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect } from "vitest";
import { openFront, type Front, type Interfere } from "../support/front.ts";
import { runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { openAdapter, type VendorAdapter } from "./adapter.ts";
import { vendors } from "./pairs.ts";
import { startStandIn, type StandIn } from "./stand-in.ts";

/** A request at which the adapter is killed: before it is passed on, or after it was carried out and before its answer. */
export interface Cut {
  readonly side: "hostform" | "vendor";
  /** The number of the write on that side. */
  readonly write: number;
  readonly when: "before" | "after";
}

/** An adapter between two fronts: one for the requests of hostform, one for those of the adapter. */
export interface AdapterStage {
  readonly standIn: StandIn;
  readonly adapter: VendorAdapter;
  readonly behind: Front;
  readonly hostform: (args: readonly string[]) => Promise<{ readonly status: number | null; readonly text: string }>;
  readonly cutAt: (cut: Cut) => void;
  /** The file of the adapter's notes. */
  readonly notes: () => string;
  readonly close: () => Promise<void>;
}

export const password = "Secret-of-shop-1";
const head = "version: 1\nname: staged\npolicy: { max_deletes: 100% }\n";

export async function openStage(name: string): Promise<AdapterStage> {
  const vendor = vendors.find((each) => each.name === name);
  if (!vendor) throw new Error(`There is no vendor ${name}`);
  const standIn = await startStandIn(name, vendor);
  const behind = await openFront(standIn);
  const ca = join(standIn.folder, "front.pem");
  const adapter = await openAdapter(name, standIn, { vendorUrl: behind.baseUrl, ca });
  const before = await openFront(adapter);
  const flags = [...before.flags, "--contract", resolve(`examples/adapter/${name}.yaml`)];
  const inventory = join(standIn.folder, "inventory.json");
  let restarted = Promise.resolve();
  return {
    standIn,
    adapter,
    behind,
    hostform: async (args) => {
      // By the virtual clock, several runs may end before a process has started.
      await restarted;
      const { now, sleep, every } = virtualClock();
      const ran = await runInProcess(
        { flags, env: adapter.env },
        [...args, "--inventory", inventory],
        { DATABASE_PASSWORD: password },
        { now, awake: now, elapsed: now, sleep, every },
      );
      return { status: ran.status, text: `${args.join(" ")}\n${ran.stdout}${ran.stderr}` };
    },
    cutAt: ({ side, write, when }) => {
      const restart = () => (restarted = adapter.restart());
      ({ hostform: before, vendor: behind })[side].interfere(cutOnce(write, when, restart));
    },
    notes: () => {
      const file = join(adapter.folder, ".adapter/halves.json");
      return existsSync(file) ? readFileSync(file, "utf8") : "{}";
    },
    close: async () => {
      await before.close();
      await behind.close();
      await adapter.close();
      await standIn.close();
    },
  };
}

/** Kills the adapter at a write, and starts it again. */
function cutOnce(write: number, when: Cut["when"], restart: () => Promise<void>): Interfere {
  let seen = 0;
  return async ({ method }, response, pass) => {
    if (method === "GET" || seen++ !== write) return false;
    if (when === "after") await pass();
    await restart();
    response.destroy();
    return true;
  };
}

/** Applies a manifest until it is done: an apply whose request got lost says so, and the next goes on. Then nothing is left to do. */
export async function converge(stage: AdapterStage, manifest: string, consent: readonly string[] = []): Promise<void> {
  const file = stage.standIn.write("site.yaml", head + manifest);
  const texts = [];
  for (let run = 0; run < 3; run += 1) {
    const flags = consent.flatMap((each) => ["--allow-delete", each]);
    const { status, text } = await stage.hostform(["apply", "-f", file, "--auto-approve", ...flags]);
    texts.push(text, stage.notes());
    expect(stage.notes()).not.toContain(password);
    if (status === 0) break;
  }
  const { status, text } = await stage.hostform(["plan", "-f", file, "--detailed-exitcode"]);
  expect(status, [...texts, text].join("\n")).toBe(0);
}
