import type { Ending } from "../../engine/session/host.ts";
import { countEach } from "../../lib/collect.ts";
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

/** The endings that states have, whatever ended before: an account that was planned well may have been blocked, or be later. */
const endings: Partial<Record<AccountState, Ending>> = {
  failed: "failed_in_part",
  refused: "refused",
  not_converged: "not_converged",
  moved: "refused",
  left_out: "refused",
  blocked: "failed_in_part",
  later: "pending_elsewhere",
  // One account alone is where fleet.yaml does not have it any more.
  cancelled: "done",
};

/** Returns the ending of a run: the worst of its accounts. */
export function runEnding(accounts: readonly Pick<RunAccount, "state" | "ending">[]): Ending {
  const all = new Set(accounts.map(endingOf));
  return order.find((ending) => all.has(ending)) ?? "done";
}

function endingOf({ state, ending = "done" }: Pick<RunAccount, "state" | "ending">): Ending {
  // Its job says how it failed; without one, its plan had ended well.
  if (state === "failed" && order.indexOf(ending) < order.indexOf("refused")) return ending;
  return endings[state] ?? ending;
}

/** Counts things by state. */
export const countStates = <State extends string>(all: readonly { readonly state: State }[]) =>
  Object.fromEntries(countEach(all.map(({ state }) => state))) as Partial<Record<State, number>>;
