import type { SavedPlan } from "../model/saved-plan.ts";
import { planHash, shortHash } from "../plan/saved/plan-hash.ts";
import { escapeControls } from "../render/escape.ts";
import type { Output } from "./output.ts";

/** What a saved plan is and how old, what was allowed when it was made, and what it does not bring back. */
export function sayHead(output: Output, path: string, saved: SavedPlan, now: number): void {
  const { created_at: createdAt, undo = false, consent } = saved;
  const what = undo ? "Undo plan" : "Saved plan";
  output.say("saved_plan", `${what} ${path}, ${age(now - Date.parse(createdAt))} old (${createdAt})`, {
    createdAt,
    undo,
  });
  const allowed = [
    ...consent.deletes.map((address) => `--allow-delete ${address}`),
    ...consent.purchases.map((address) => `--allow-purchase ${address}`),
    ...consent.retries.map((address) => `--retry ${address}`),
    ...consent.rotations.map((address) => `--rotate ${address}`),
  ];
  if (allowed.length > 0) output.say("allowed", `Allowed when it was made: ${allowed.join(" ")}`);
  sayCannotUndo(output, saved);
}

/** Where the undo of a plan is, and what it does not bring back. */
export function sayUndo(output: Output, path: string, saved: SavedPlan): void {
  output.say("undo_saved", `Saved in ${path}: how to take it back (${shortHash(saved.hash)})`, { hash: saved.hash });
  sayCannotUndo(output, saved);
}

function sayCannotUndo(output: Output, saved: SavedPlan): void {
  for (const { address, reason } of saved.cannot_undo ?? [])
    // The file may come from anyone: its reason must not look like a line of ours.
    output.say("cannot_undo", escapeControls(`Cannot be undone: ${address}: ${reason}`), { address });
}

/** A file whose steps are not those that its own hash stands for. */
export function sayAltered(output: Output, path: string, saved: SavedPlan): void {
  output.diagnostics([
    {
      severity: "error",
      code: "altered_plan",
      summary: `${path} was altered: its steps are ${shortHash(planHash(saved))}, and it says ${shortHash(saved.hash)}`,
      hint: "make the plan again, or take the file from where it was made",
    },
  ]);
}

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
] as const;

/** A length of time in its largest unit. */
function age(milliseconds: number): string {
  const [unit, length] = units.find(([, size]) => milliseconds >= size) ?? ["s", 1000];
  return `${Math.max(0, Math.floor(milliseconds / length))} ${unit}`;
}
