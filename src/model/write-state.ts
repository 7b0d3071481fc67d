/**
 * What an answer proves of a write. `done`: the server says that it has done it, or has accepted it. `not_done`: a refusal that comes
 * before anything is done. `unknown`: neither, since a gateway may answer so after the service has done what was asked.
 */
export type WriteState = "done" | "not_done" | "unknown";

/** The statuses that prove something, from the first to the last of each range, with the reason. */
const proofs: readonly (readonly [state: WriteState, first: number, last: number, reason: string])[] = [
  ["done", 200, 205, "success; 202 is followed by its job"],
  ["done", 208, 299, "success: an unregistered status is one like 200 (RFC 9110, 15)"],
  ["not_done", 400, 405, "malformed, no key, no payment, not permitted, nothing there, no such method"],
  ["not_done", 407, 407, "the proxy wants to know the client first"],
  ["not_done", 409, 417, "in conflict, gone, without its length, stale, or in a form that is not taken"],
  ["not_done", 421, 422, "sent to the wrong server, or invalid"],
  ["not_done", 424, 424, "something before it has failed"],
  ["not_done", 426, 426, "only by another protocol"],
  ["not_done", 428, 429, "without a precondition, or too many requests"],
  ["not_done", 431, 431, "headers that are too large"],
  ["not_done", 451, 451, "forbidden by law"],
  ["not_done", 501, 501, "a method that the server does not have"],
  ["not_done", 505, 505, "a version of HTTP that the server does not have"],
];

/**
 * Returns what a status proves of a write; without one, no answer came. Unknown is all that is not listed: redirects (some servers redirect
 * after they have done the work), a part of an answer (206) or of the work (207), 406 (the work is done, and its answer cannot be sent),
 * statuses of gateways that gave up or lost the client (408, 423, 425, 460, 499), failures of the server, and what nobody has registered.
 */
export const writeState = (status: number | undefined): WriteState =>
  proofs.find(([, first, last]) => status !== undefined && status >= first && status <= last)?.[0] ?? "unknown";

/** Whether a status says that the API does not have the operation at all. */
export const isNotOffered = (status: number | undefined): boolean => [405, 410, 501].includes(status ?? 0);
