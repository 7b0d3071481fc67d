import type { BoardState } from "../../fleet/board.ts";
import type { Style } from "../layout.ts";
import type { Tone } from "../page/page-items.ts";

/** Each state as people read it, the worst first. */
export const states: Readonly<Record<BoardState, { readonly word: string; readonly tone: Tone }>> = {
  failed: { word: "failed", tone: "bad" },
  not_converged: { word: "not converged", tone: "bad" },
  refused: { word: "refused", tone: "bad" },
  blocked: { word: "blocked", tone: "warn" },
  moved: { word: "moved", tone: "warn" },
  left_out: { word: "left out", tone: "warn" },
  drifted: { word: "drifted", tone: "warn" },
  waiting: { word: "waiting for approval", tone: "update" },
  changed: { word: "changed", tone: "update" },
  later: { word: "later", tone: "update" },
  cancelled: { word: "cancelled", tone: "warn" },
  never: { word: "never applied", tone: "update" },
  running: { word: "running", tone: "good" },
  queued: { word: "queued", tone: "good" },
  applied: { word: "applied", tone: "create" },
  clean: { word: "clean", tone: "create" },
};

const stateNames = Object.keys(states) as readonly BoardState[];

export const rankOf = (state: BoardState): number => stateNames.indexOf(state);

export const stateStyles: Readonly<Partial<Record<Tone, Style>>> = { bad: "red", warn: "yellow", update: "cyan" };

/** Returns the states that occur with their numbers, the worst first. */
export const sumsIn = (sums: Readonly<Partial<Record<BoardState, number>>>): (readonly [BoardState, number])[] =>
  stateNames.flatMap((state) => ((sums[state] ?? 0) > 0 ? [[state, sums[state] ?? 0] as const] : []));

export const sumsText = (sums: Readonly<Partial<Record<BoardState, number>>>): string =>
  sumsIn(sums)
    .map(([state, count]) => `${count} ${states[state].word}`)
    .join(", ");

/** Returns a time in UTC to the minute: `2026-11-27 08:00`; an empty text for none. */
export const timeText = (time: string | undefined): string => (time ?? "").slice(0, 16).replace("T", " ");
