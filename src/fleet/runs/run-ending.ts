import type { Ending } from "../../engine/session/ending.ts";
import type { AccountState, RunAccount } from "../model.ts";

/** The worst first. */
const order: readonly Ending[] = [
  "unexpected",
  "failed_in_part",
  "not_converged",
  "interrupted",
  "api_unavailable",
  "wrong_input",
  "refused",
  "pending_elsewhere",
  "changes",
  "done",
];

/** The endings of accounts whose last job ended well, or that had none. */
const endings: Partial<Record<AccountState, Ending>> = {
  failed: "failed_in_part",
  refused: "refused",
  not_converged: "not_converged",
  moved: "refused",
  left_out: "refused",
  blocked: "failed_in_part",
  later: "pending_elsewhere",
  cancelled: "interrupted",
};

/** Returns the ending of a run: the worst of its accounts. An account that was planned well may have been blocked afterwards. */
export function runEnding(accounts: readonly Pick<RunAccount, "state" | "ending">[]): Ending {
  const all = new Set(
    accounts.map(({ state, ending = "done" }) => (ending === "done" ? (endings[state] ?? ending) : ending)),
  );
  return order.find((ending) => all.has(ending)) ?? "done";
}
