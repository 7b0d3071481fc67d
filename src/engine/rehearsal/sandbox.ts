import { randomBytes } from "node:crypto";
import { connect, type Connection } from "../../api/connection.ts";
import { executePlan } from "../../apply/execute-plan.ts";
import { loadContract } from "../../contract/load-contract.ts";
import type { SeedProblem, Mirror } from "../../emulator/index.ts";
import type { LiveSeed } from "./seed-from-live.ts";
import type { ReadSecret } from "../../manifest/read/secrets.ts";
import type { Address } from "../../model/address.ts";
import type { Contract } from "../../model/contract.ts";
import type { Report } from "../../model/report.ts";
import type { Consent, PlanInput } from "../../model/plan-input.ts";
import type { Host } from "../session/host.ts";
import { refreshAndPlan, type PlanFromLive } from "../session/refresh-and-plan.ts";
import { withValues } from "./placeholders.ts";
import { rehearsalContract } from "./rehearsal-contract.ts";

/** An embedded service of its own, in memory, on which one plan is rehearsed. */
export interface Sandbox {
  /** The whole built-in contract: how the embedded service lists its objects. */
  readonly builtIn: Contract;
  readonly input: Omit<PlanInput, "live">;
  /** The same after something has run: what the plan makes is ours, and secrets that are not set have the values that were sent. */
  readonly after: Omit<PlanInput, "live">;
  readonly connection: Connection;
  readonly keep: Mirror["keep"];
  readonly fill: (seed: LiveSeed) => readonly SeedProblem[];
  /** Reads the embedded service and plans what the real plan was made for. */
  readonly plan: () => Promise<PlanFromLive>;
  /** The same after something has run. */
  readonly planAgain: (consent: Consent) => Promise<PlanFromLive>;
  readonly run: (
    made: PlanFromLive,
    how: { readonly connection: Connection; readonly parallelism: number },
  ) => Promise<Report>;
  readonly close: () => Promise<void>;
}

export interface SandboxOptions {
  /** The input that the real plan was made from. */
  readonly input: PlanInput;
  /** The addresses that are ours once the plan is carried out. */
  readonly owned: readonly Address[];
  readonly readSecret: ReadSecret;
  readonly parallelism: number;
  /** Before the names of databases and FTP accounts; empty: none. */
  readonly namePrefix: string;
}

const attemptTimeout = 30_000;
/** Milliseconds on the sandbox's own clock, where waiting takes no time. */
const waits = { waitTimeout: 600_000, settle: 30_000 };

type SandboxHost = Pick<Host, "now" | "sleep" | "random" | "newId">;

/** Starts an embedded service for the length of a rehearsal. It is empty: fill it. */
export async function openSandbox(options: SandboxOptions, io: SandboxHost): Promise<Sandbox> {
  const { input, owned, readSecret, parallelism, namePrefix } = options;
  const { contract: builtIn } = await loadContract(undefined);
  if (!builtIn) throw new Error("The built-in contract cannot be read");
  const contract = rehearsalContract(builtIn, input.contract);
  const clock = virtualClock(io);
  const { startEmulator } = await import("../../emulator/index.ts");
  const key = randomBytes(24).toString("hex");
  const service = await startEmulator({ inMemory: true, key, namePrefix }, { now: clock.now, random: randomBytes });
  const { baseUrl, caPem: ca, mirror } = service;
  const deps = { ...clock, random: io.random };
  const connection = connect({
    baseUrl: new URL(baseUrl),
    key,
    ca,
    rules: contract,
    parallelism,
    attemptTimeout,
    deps,
  });
  const { live: _real, ...asked } = input;
  const target = { name: asked.target.name, baseUrl, contract: contract.name, emulator: true };
  const seeded = { ...asked, contract, target };
  const planFrom = async (given: typeof seeded) => {
    const made = await refreshAndPlan({ get: connection.get }, given);
    if (made.ok) return made.value;
    throw new Error(`The embedded service cannot be read: ${made.error.message}`, { cause: made.error });
  };
  const { inventory, names } = seeded.ownership;
  const withOwned = (some: ReadonlySet<Address>) => new Set([...some, ...owned]);
  const after = {
    ...seeded,
    desired: withValues(seeded.desired, readSecret),
    ownership: {
      ...seeded.ownership,
      inventory: inventory && { ...inventory, addresses: withOwned(inventory.addresses) },
      ...(names && { names: withOwned(names) }),
    },
  };
  return {
    builtIn,
    input: seeded,
    after,
    connection,
    keep: mirror.keep,
    fill: ({ items }) =>
      mirror.fill(Object.fromEntries([...items].map(([kind, listed]) => [kind, listed.map(({ record }) => record)]))),
    plan: () => planFrom(seeded),
    planAgain: (consent) => planFrom({ ...after, consent }),
    run: ({ plan, live }, how) => {
      const run = {
        connection: how.connection,
        contract,
        live,
        made: new Map(),
        readSecret,
        withhold,
        isSecret,
        ...waits,
      };
      const context = { ...run, deps: { ...clock, newIdempotencyKey: io.newId } };
      const quiet = { onStart: () => undefined, onEnd: () => undefined };
      return executePlan(plan, context, { parallelism: how.parallelism, ...quiet });
    },
    close: async () => {
      await connection.close();
      await service.close();
    },
  };
}

// Nothing of a rehearsal is kept in a journal.
const withhold = <T>(held: T): T => held;
const isSecret = () => false;

/** A clock that jumps ahead instead of waiting: nothing in the sandbox takes time by itself. */
function virtualClock({ now, sleep }: Pick<Host, "now" | "sleep">): Pick<Host, "now" | "sleep"> {
  let ahead = 0;
  return {
    now: () => now() + ahead,
    sleep: async (milliseconds) => {
      ahead += milliseconds;
      await sleep(0);
    },
  };
}
