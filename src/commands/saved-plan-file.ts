import { randomUUID } from "node:crypto";
import { lstatSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { SavedPlan } from "../model/saved-plan.ts";
import { parseSavedPlan } from "../plan/saved/parse-saved-plan.ts";
import { inputError } from "./input-error.ts";

const maxBytes = 256 * 1024 * 1024;

/** Reads a saved plan. Throws an InputError for a file that is none: it may come from anyone. */
export function readSavedPlan(path: string): SavedPlan {
  const parsed = parseSavedPlan(readText(path));
  if ("plan" in parsed) return parsed.plan;
  throw inputError("no_plan", `${path} is no saved plan: ${parsed.wrong}`, "make one with hostform plan --out FILE");
}

function readText(path: string): string {
  try {
    const stats = statSync(path);
    if (stats.isFile() && stats.size <= maxBytes) return readFileSync(path, "utf8");
  } catch (error) {
    throw inputError("no_plan", `The saved plan ${path} cannot be read: ${(error as Error).message}`, "check the path");
  }
  throw inputError("no_plan", `${path} is no saved plan: no regular file of at most 256 MiB`, "check the path");
}

/** Throws an InputError where a plan may not be written to the path: what is there is something else, or no file is meant. */
export function checkPlanPath(path: string): void {
  if (path === "-")
    throw inputError(
      "bad_arguments",
      "A plan is not saved to standard output",
      "name a file; for a script, use --json",
    );
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (!there) return;
  if (there.isFile() && there.size <= maxBytes && "plan" in parseSavedPlan(readFileSync(path, "utf8"))) return;
  throw inputError("would_overwrite", `${path} exists, and is no saved plan`, "name another file, or remove it");
}

/** Writes a saved plan, readable by its owner alone, whole or not at all. Throws an InputError where that is not possible. */
export function writeSavedPlan(path: string, plan: SavedPlan): void {
  checkPlanPath(path);
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, `${JSON.stringify(plan, undefined, 1)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw inputError("cannot_write", `No plan can be saved in ${path}: ${(error as Error).message}`, "check the path");
  }
}
