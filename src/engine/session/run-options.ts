import { refusals, type Refusal } from "../../messages/refusals.ts";
import type { Plan } from "../../model/plan.ts";

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
