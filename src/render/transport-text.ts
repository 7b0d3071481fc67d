import type { Attempt, Wait } from "../model/attempt.ts";
import { escapeControls } from "../lib/escape.ts";

/** Why nothing happens for a while: how long, which request it holds, and whose wish it is. One line. */
export function renderWait({ milliseconds, asked, status, method, path }: Wait): string {
  const request = `${method} ${path}`;
  const isCut = asked !== undefined && asked > milliseconds;
  if (status === undefined) {
    const waiting = `Waiting ${seconds(milliseconds)} after ${request}`;
    return isCut
      ? `${waiting}: the rate limit is exhausted and resets in ${seconds(asked)}; Hostform retries earlier.`
      : `${waiting}, until the rate limit is reset.`;
  }
  const waiting = `Waiting ${seconds(milliseconds)} to send ${request} again`;
  if (asked === undefined) return `${waiting} (${status}; the server does not say how long).`;
  return isCut
    ? `${waiting}: the server asks for ${seconds(asked)} (${status}), and is tried before that.`
    : `${waiting}, as the server asked (${status}).`;
}

const seconds = (milliseconds: number) => `${Math.ceil(milliseconds / 1000)} s`;

/**
 * One attempt at a request, for `--debug`: the time of day at which it ended (UTC), what came, and why where nothing did. One line.
 * @param now milliseconds since the epoch.
 */
export function renderAttempt(
  { method, path, outcome, why, attempt, milliseconds, requestId = "-" }: Attempt,
  now: number,
): string {
  const time = new Date(now).toISOString().slice("2026-01-01T".length);
  const reason = why === undefined ? "" : `: ${why}`;
  return escapeControls(
    `${time} ${method} ${path} ${outcome}, attempt ${attempt}, ${milliseconds} ms, request ${requestId}${reason}`,
  );
}
