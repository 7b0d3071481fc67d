import type { EngineEvent } from "../engine/session/events.ts";
import { counted } from "../lib/shorten.ts";
import type { Attempt } from "../model/attempt.ts";
import { printable, type Page } from "./layout.ts";

type ProgressOf<T extends EngineEvent["type"]> = Omit<Extract<EngineEvent, { type: T }>, "type">;

/** Returns how far the reading of lists is; an empty text if all are read. */
export const renderReading = ({ total, done }: ProgressOf<"reading_lists">): string =>
  done >= total ? "" : `Reading ${counted(total, "list")}: ${done} done`;

/** A rate is not known before. */
const firstMilliseconds = 1000;

/** Returns how far a run is, its rate, and the time that the rest takes at that rate; an empty text if all steps have ended. */
export function renderApplying({ total, done, milliseconds }: ProgressOf<"applying">): string {
  if (done >= total) return "";
  const base = `Applying: ${done} of ${counted(total, "step")} done`;
  if (done === 0 || milliseconds < firstMilliseconds) return base;
  const perSecond = (done * 1000) / milliseconds;
  const rate = perSecond >= 1 ? `${perSecond.toFixed(1)} steps/s` : `${(perSecond * 60).toFixed(1)} steps/min`;
  return `${base}, ${rate}, about ${renderDuration((total - done) / perSecond)} left`;
}

function renderDuration(seconds: number): string {
  if (seconds < 100) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}

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
