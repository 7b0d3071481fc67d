import { isSecretField, withholdSecrets } from "../../apply/exchanges/held.ts";
import type { RunInput } from "../../apply/run-context.ts";
import type { ReadSecret } from "../../model/template-parts.ts";
import type { ListSource } from "../../live/read-live.ts";
import type { HeldLock } from "../../model/inventory.ts";
import type { Leftover } from "../../model/journal.ts";
import { refusals, type Refusal } from "../../messages/refusals.ts";
import type { Address } from "../../model/address.ts";
import { secretFields } from "../../model/body.ts";
import type { Plan } from "../../model/plan.ts";
import type { Ownership, PlanInput } from "../../model/plan-input.ts";
import type { Live } from "../../model/resource.ts";
import type { Session } from "./host.ts";
import type { OpenTarget } from "./open-target.ts";
import type { OpenOwnership } from "./ownership.ts";
import type { EarlierJournal, TargetJournal } from "./with-journal.ts";

/** Asks for approval of the plan that was shown last. `stop` is aborted when nobody need answer any more. */
export type Confirm = (stop: AbortSignal) => Promise<"approved" | "declined" | "interrupted">;

/** Approves every plan. */
export const alwaysConfirm: Confirm = async () => "approved";

/** Returns a line for each thing that refuses a plan beside the rules of Hostform; one about a step begins with its address and `: `. */
export type Judge = (plan: Plan) => readonly string[] | Promise<readonly string[]>;

/** Returns a plan with what a judge refuses; it has no hash then, because it cannot be approved. */
export async function judged(plan: Plan, judge: Judge | undefined): Promise<Plan> {
  const lines = (await judge?.(plan)) ?? [];
  if (lines.length === 0) return plan;
  const found = lines.map((line): Refusal => {
    const step = plan.steps.find(({ address }) => line.startsWith(`${address}: `));
    return refusals.byPolicy(step ?? {}, step ? line.slice(step.address.length + 2) : line);
  });
  const { hash: _none, ...others } = plan;
  return { ...others, refusals: [...plan.refusals, ...found] };
}

export interface RunOptions {
  readonly confirm: Confirm;
  /** Asked about the plan before it is shown. Default: nobody. */
  readonly judge?: Judge | undefined;
  /** Whether the plan must hold on the embedded service first. */
  readonly rehearse: boolean;
  readonly parallelism: number;
  /** Seconds that the live state may take to match after the last write. */
  readonly settle: number;
  /** Seconds to wait for one object to become usable. */
  readonly waitTimeout: number;
  /** Seconds to wait for another apply to end. */
  readonly lockTimeout: number;
}

/** The means of looking up the writes of an earlier apply. Nothing in them can write to the API. */
export interface Lookup {
  readonly options: Pick<RunOptions, "settle">;
  readonly io: Session;
  /** Undefined where none is kept. */
  readonly journal: EarlierJournal | undefined;
  /** Aborted when the lookup shall end; undefined where nothing ends it. */
  readonly stop: AbortSignal | undefined;
  readonly source: ListSource;
}

export type PlanRequest = Omit<PlanInput, "live" | "now">;

/** The parts of an apply before it reads anything. */
export interface Opened {
  readonly options: RunOptions;
  readonly io: Session;
  readonly open: OpenTarget;
  readonly readSecret: ReadSecret;
  /** Undefined where none is kept. */
  readonly journal: TargetJournal | undefined;
}

/** All that running calls needs beside the plan. */
export function runInput(
  { options, io, open, readSecret }: Opened,
  { desired, ownership, inventory }: Pick<PlanInput, "desired" | "ownership"> & Partial<Pick<Ownership, "inventory">>,
  live: Live,
): RunInput {
  const { contract, connection } = open;
  const fields = (address: Address) =>
    secretFields(desired.resources.get(address), ownership.declaredThen?.resources.get(address));
  return {
    connection,
    contract,
    live,
    made: new Map(),
    readSecret,
    withhold: (held) => ({
      ...withholdSecrets(contract, held, { fields, mask: io.mask }),
      ...(inventory?.addresses.has(held.address) === true && { ours: true }),
    }),
    isSecret: (address, field, value) => isSecretField({ fields, mask: io.mask }, address, field, value),
    waitTimeout: options.waitTimeout * 1000,
    settle: options.settle * 1000,
    deps: { now: io.now, sleep: io.sleep, newIdempotencyKey: io.newId },
  };
}

export interface Run extends Opened {
  readonly lock: HeldLock;
  readonly owned: OpenOwnership;
  readonly asked: PlanRequest;
  /** The unfinished work of the last apply. */
  readonly leftover: Leftover;
  /** Called when the plan begins to run: from then on it takes care of the leftover. */
  readonly onBegin: () => void;
  /** False where only what a saved plan touches is known: what else there is may be declared as well, so it is not called unmanaged. */
  readonly knowsAllDeclared: boolean;
}
