import type { Ending } from "../engine/session/host.ts";

/** The exit status of each ending. */
export const exitCodes: Readonly<Record<Ending, number>> = {
  done: 0,
  unexpected: 1,
  changes: 2,
  wrong_input: 3,
  api_unavailable: 4,
  failed_in_part: 5,
  refused: 6,
  not_converged: 7,
  pending_elsewhere: 8,
  interrupted: 130,
};
