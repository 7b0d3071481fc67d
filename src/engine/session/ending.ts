/**
 * An operation's outcome. `changes`: it was only asked whether there is something to change, and there is. `pending_elsewhere`: done, but
 * a person or a registry must still act. `unexpected`: a defect of Hostform.
 */
export type Ending =
  | "done"
  | "unexpected"
  | "changes"
  | "wrong_input"
  | "api_unavailable"
  | "failed_in_part"
  | "refused"
  | "not_converged"
  | "pending_elsewhere"
  | "interrupted";
