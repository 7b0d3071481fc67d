import type { Attempt } from "../model/attempt.ts";
import { printable, type Page } from "./layout.ts";

/** The most characters of a line of `--debug`: there may be hundreds of them. */
const longestLine = 500;

/**
 * One attempt at a request, for `--debug`: the time of day at which it ended (UTC), what came, and why where nothing did. One line.
 * @param now milliseconds since the epoch.
 */
export function renderAttempt(
  { method, path, outcome, why, attempt, milliseconds, requestId = "-" }: Attempt,
  now: number,
  mask: Page["mask"],
): string {
  const time = new Date(now).toISOString().slice("2026-01-01T".length);
  const reason = why === undefined ? "" : `: ${why}`;
  return printable(
    { mask },
    `${time} ${method} ${path} ${outcome}, attempt ${attempt}, ${milliseconds} ms, request ${requestId}${reason}`,
    longestLine,
  );
}
