import type { Clock } from "../../lib/repeat-until.ts";
import { randomBytes } from "node:crypto";
import { connect, type Connection } from "../../api/connection.ts";
import { executePlan } from "../../apply/execute-plan.ts";
import { loadContract } from "../../contract/load-contract.ts";
import type { LiveSeed } from "./seed-from-live.ts";
import type { ReadSecret } from "../../model/template-parts.ts";
import type { Address } from "../../model/address.ts";
import type { Report } from "../../model/report.ts";
import type { Consent, PlanInput } from "../../model/plan-input.ts";
import type { Host } from "../session/host.ts";
import { refreshAndPlan, type PlanFromLive } from "../session/read-and-plan.ts";
import { withValues } from "./placeholders.ts";
import { rehearsalContract } from "./rehearsal-contract.ts";
import type { Failure } from "../../model/failure.ts";
import type { Live } from "../../model/resource.ts";
import { prepare } from "../../plan/prepare.ts";
import { describeFailure } from "../../api/network-failure.ts";
import { collectionAt, locate } from "../../kinds/derived/collection.ts";
import { parentsOf } from "../../kinds/derived/parents.ts";
import { addressesOf, type Plan } from "../../model/plan.ts";
import { writableObjects } from "../../saved-plans/plan-possible.ts";
import { isReadWrite } from "../../kinds/derived/field-access.ts";

/** An embedded service of its own, in memory, on which one plan is rehearsed. */
export type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

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
export async function openSandbox(options: SandboxOptions, io: SandboxHost) {
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
    /** The whole built-in contract: how the embedded service lists its objects. */
    builtIn,
    input: seeded,
    /** The same after something has run: what the plan makes is ours, and secrets that are not set have the values that were sent. */
    after,
    connection,
    keep: mirror.keep,
    fill: ({ items }: LiveSeed) =>
      mirror.fill(Object.fromEntries([...items].map(([kind, listed]) => [kind, listed.map(({ record }) => record)]))),
    /** Reads the embedded service and plans what the real plan was made for. */
    plan: () => planFrom(seeded),
    /** The same after something has run. */
    planAgain: (consent: Consent) => planFrom({ ...after, consent }),
    run: ({ plan, live }: PlanFromLive, how: Pick<SandboxOptions, "parallelism"> & { connection: Connection }) => {
      // Nothing of a rehearsal is kept in a journal.
      const unkept = { withhold: <T>(held: T): T => held, isSecret: () => false };
      const runDeps = { ...clock, newIdempotencyKey: io.newId };
      const run = { connection: how.connection, contract, live, readSecret, ...waits, deps: runDeps };
      const quiet = { onStart: () => undefined, onEnd: () => undefined };
      return executePlan(plan, { ...run, ...unkept }, { parallelism: how.parallelism, ...quiet });
    },
    close: async () => {
      await connection.close();
      await service.close();
    },
  };
}

/** A clock that jumps ahead instead of waiting: nothing in the sandbox takes time by itself. */
function virtualClock({ now, sleep }: Clock): Clock {
  let ahead = 0;
  return {
    now: () => now() + ahead,
    sleep: async (milliseconds) => {
      ahead += milliseconds;
      await sleep(0);
    },
  };
}

/** Returns the problems after a rehearsed run: failed steps, changes that a second plan would make, and unplanned changes. */
export async function checkEnd(sandbox: Sandbox, first: PlanFromLive, report: Report): Promise<string[]> {
  const failed = report.outcomes.flatMap(({ step, outcome }) =>
    outcome.is === "failed"
      ? [`${step.id} failed: ${[describeFailure(outcome.failure), ...fieldsOf(outcome.failure)].join(" ")}`]
      : [],
  );
  const others = report.mismatches.map(({ address = "no step", sent }) => `${address} sent ${sent.join(", ")}`);
  // A value that was sent again once is not to be sent again for ever.
  const end = await sandbox.planAgain({ ...sandbox.input.consent, rotations: new Set() });
  return [
    ...failed,
    ...others,
    ...end.plan.steps.map(({ id }) => `still planned: ${id}`),
    ...end.plan.refusals.map(({ summary }) => `refused: ${summary}`),
    ...end.plan.incomplete.map(({ collection, reason }) => `not read whole: ${collection}: ${reason}`),
    ...unplannedChanges(first.plan, named(sandbox, first.live), named(sandbox, end.live)).map(
      (address) => `changed, though it is not in the plan: ${address}`,
    ),
  ];
}

/** With the names that the manifest has, where the server has prefixed them. */
const named = ({ after }: Sandbox, live: Live): Live => prepare({ ...after, live }).live;

const fieldsOf = ({ fields }: Failure) =>
  fields === undefined || JSON.stringify(fields) === "{}" ? [] : [JSON.stringify(fields)];

/** Returns the addresses that changed during a plan although it neither contains them nor creates or deletes their parent. */
function unplannedChanges({ steps }: Plan, before: Live, after: Live): Address[] {
  const named = new Set(steps.flatMap(({ address, takesAlong = [] }) => [address, ...takesAlong]));
  const moved = new Set([...addressesOf(steps, "create"), ...addressesOf(steps, "delete")]);
  const known = new Set([...before.resources.keys(), ...after.resources.keys()]);
  return [...known].filter((address) => {
    const collection = collectionAt(address);
    if (named.has(address) || !before.collections.has(collection) || !after.collections.has(collection)) return false;
    return writable(address, before) !== writable(address, after) && !belongsTo(address, moved);
  });
}

function writable(address: Address, live: Live): string {
  const { kind } = locate(address);
  return writableObjects(kind, live.resources.get(address))
    .map(({ fields }) => Object.entries(fields).filter(([name]) => isReadWrite(kind, name)))
    .map((fields) => JSON.stringify(fields.toSorted(([a], [b]) => (a < b ? -1 : 1))))
    .sort()
    .join("\n");
}

function belongsTo(address: Address, parents: ReadonlySet<Address>): boolean {
  const { kind, key } = locate(address);
  return parentsOf(kind, key, {}).some((alternatives) => alternatives.some((parent) => parents.has(parent)));
}
