import type { EngineEvent } from "../engine/session/events.ts";
import { counted } from "../lib/shorten.ts";

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
