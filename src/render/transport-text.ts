import type { Attempt, Wait } from "../api/connection.ts";
import { escapeControls } from "./escape.ts";

/** Why nothing happens for a while: how long, which request it holds, and whose wish it is. One line. */
export function renderWait({ milliseconds, asked, status, method, path }: Wait): string {
  const request = `${method} ${path}`;
  const isCut = asked !== undefined && asked > milliseconds;
  if (status === undefined) {
    const waiting = `Waiting ${seconds(milliseconds)} after ${request}`;
    return isCut
      ? `${waiting}: the rate limit is used up, and reset in ${seconds(asked)}; it is tried before that.`
      : `${waiting}, until the rate limit is reset.`;
  }
  const waiting = `Waiting ${seconds(milliseconds)} to send ${request} again`;
  if (asked === undefined) return `${waiting} (${status}; the server does not say how long).`;
  return isCut
    ? `${waiting}: the server asks for ${seconds(asked)} (${status}), and is tried before that.`
    : `${waiting}, as the server asked (${status}).`;
}

const seconds = (milliseconds: number) => `${Math.ceil(milliseconds / 1000)} s`;

/** One attempt at a request, for `--debug`. One line. */
export function renderAttempt({ method, path, outcome, attempt, milliseconds, requestId = "-" }: Attempt): string {
  return escapeControls(`${method} ${path} ${outcome}, attempt ${attempt}, ${milliseconds} ms, request ${requestId}`);
}
