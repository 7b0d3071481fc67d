import { lstatSync } from "node:fs";
import { readText } from "../lib/read-file.ts";
import { writeFile } from "../lib/write-file.ts";
import type { SavedPlan } from "../model/saved-plan.ts";
import { parseSavedPlan } from "../saved-plans/parse-saved-plan.ts";
import { inputError } from "./input-error.ts";

const maxBytes = 256 * 1024 * 1024;

/** Reads a saved plan. Throws an InputError for a file that is none: it may come from anyone. */
export function readSavedPlan(path: string): SavedPlan {
  const parsed = parseSavedPlan(readPlanText(path));
  if ("plan" in parsed) return parsed.plan;
  throw inputError(
    "no_plan",
    `${path} is no saved plan: ${parsed.wrong}`,
    `make one with hostform plan --out FILE; a manifest is given as -f ${path}`,
  );
}

function readPlanText(path: string): string {
  try {
    return readText(path, maxBytes);
  } catch (error) {
    throw inputError(
      "no_plan",
      `The saved plan ${path} cannot be read: ${(error as Error).message}`,
      `check the path; a manifest is given as -f ${path}`,
    );
  }
}

/** Throws an InputError where a plan may not be written to the path: what is there is something else, or no file is meant. */
export function checkPlanPath(path: string): void {
  if (path === "-")
    throw inputError(
      "bad_arguments",
      "A plan is not saved to standard output",
      "name a file; for a script, use --json",
    );
  if (!mayStandIn(path))
    throw inputError("would_overwrite", `${path} exists, and is no saved plan`, "name another file, or remove it");
}

/** Whether there is nothing at the path, or a saved plan. */
function mayStandIn(path: string): boolean {
  try {
    const there = lstatSync(path, { throwIfNoEntry: false });
    return !there || (there.isFile() && "plan" in parseSavedPlan(readText(path, maxBytes)));
  } catch {
    return false;
  }
}

/** Writes a saved plan, readable by its owner alone, whole or not at all. Throws an InputError where that is not possible. */
export function writeSavedPlan(path: string, plan: SavedPlan): void {
  checkPlanPath(path);
  try {
    writeFile(path, `${JSON.stringify(plan, undefined, 1)}\n`, 0o600);
  } catch (error) {
    throw inputError("cannot_write", `No plan can be saved in ${path}: ${(error as Error).message}`, "check the path");
  }
}
