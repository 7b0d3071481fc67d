import type { Attempt } from "../model/attempt.ts";
import { escapeControls } from "../lib/escape.ts";

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
