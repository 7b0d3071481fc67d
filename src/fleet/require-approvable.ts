import { inputError } from "../engine/session/input-error.ts";
import { isHash, shortHash } from "../lib/short-hash.ts";
import type { Run } from "./model.ts";

/** Throws an InputError unless the plans of a run wait for the approval of this hash, or have it. */
export function requireApprovable({ id, kind, state, hash, approved: before }: Run, given: string): void {
  if (kind === "drift")
    throw inputError("other_plan", `Run ${id} looked for drift: it has no plans`, "approve a run of plans");
  if (hash === undefined)
    throw inputError(
      "not_planned",
      `Run ${id} has no hash: ${state === "planning" ? "its accounts are still being planned" : `it is ${state}`}`,
      "hostform fleet status shows the runs that wait for approval",
    );
  if (!isHash(given, hash))
    throw inputError(
      "other_plan",
      `The plans of run ${id} have the hash ${shortHash(hash)}, and not ${given}`,
      "look at the plans of the run again, and take its hash",
    );
  const isStopped = state === "stopped";
  if (kind === "plan" ? state === "cancelled" : isStopped || (state !== "waiting" && before === undefined))
    throw inputError(
      "not_waiting",
      `Run ${id} does not wait for approval: it is ${state}`,
      isStopped ? "to go on with it: hostform fleet apply --continue" : `begin another one: hostform fleet ${kind}`,
    );
}
