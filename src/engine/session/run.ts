import type { ReadSecret } from "../../manifest/read/secrets.ts";
import type { Address } from "../../model/address.ts";
import type { Result } from "../../model/failure.ts";
import type { HeldLock } from "../../model/inventory.ts";
import type { Leftover } from "../../model/journal.ts";
import type { PlanInput } from "../../model/plan-input.ts";
import type { Emit } from "./events.ts";
import type { Host } from "./host.ts";
import type { OpenTarget } from "./open-target.ts";
import type { OpenOwnership } from "./ownership.ts";
import type { PlanFromLive } from "./refresh-and-plan.ts";
import type { EarlierJournal, TargetJournal } from "./with-journal.ts";

/** Asks for approval of the plan that was shown last. `stop` is aborted when nobody need answer any more. */
export type Confirm = (stop: AbortSignal) => Promise<"approved" | "declined" | "interrupted">;

/** Approves every plan. */
export const alwaysConfirm: Confirm = async () => "approved";

export interface RunOptions {
  readonly confirm: Confirm;
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
  readonly io: Host;
  readonly emit: Emit;
  /** Undefined where none is kept. */
  readonly journal: EarlierJournal | undefined;
  /** Aborted when the lookup shall end; undefined where nothing ends it. */
  readonly stop: AbortSignal | undefined;
  /** Reads, also the lists of the addresses, and plans. */
  readonly readAndPlan: (asked: PlanRequest, lookAt: readonly Address[]) => Promise<Result<PlanFromLive>>;
}

export type PlanRequest = Omit<PlanInput, "live" | "now">;

/** The parts of an apply before it reads anything. */
export interface Opened {
  readonly options: RunOptions;
  readonly io: Host;
  readonly emit: Emit;
  readonly open: OpenTarget;
  readonly readSecret: ReadSecret;
  /** Undefined where none is kept. */
  readonly journal: TargetJournal | undefined;
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
