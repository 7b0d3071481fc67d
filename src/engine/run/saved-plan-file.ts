import { lstatSync } from "node:fs";
import { escapeJson } from "../../lib/escape.ts";
import { nameOfSource, readNamedText, readText, type TextSource } from "../../lib/read-file.ts";
import type { Json } from "../../model/json.ts";
import { isObject } from "../../model/json-pointer.ts";
import { orUndefined } from "../../lib/or-undefined.ts";
import { requireFilePlace, writeFile } from "../../lib/write-file.ts";
import type { SavedPlan } from "../../model/saved-plan.ts";
import { fileOf, approvedHead, isIntact, isSealed, planHash } from "../../saved-plans/plan-hash.ts";
import { parseSavedPlan } from "../../saved-plans/parse-saved-plan.ts";
import { InputError, orMistake } from "../session/input-error.ts";
import type { Emit } from "../session/events.ts";
import { shortHash } from "../../lib/short-hash.ts";
import { holdsKnownSecret } from "../../model/credentials.ts";
import { relative, resolve } from "node:path";
import type { Plan } from "../../model/plan.ts";
import type { PlanInput } from "../../model/plan-input.ts";
import { planUndo } from "../../saved-plans/plan-undo.ts";
import { savePlan, type Saved, type SaveOptions } from "../../saved-plans/save-plan.ts";
import type { Host } from "../session/host.ts";

const maxBytes = 256 * 1024 * 1024;

/** Reads a saved plan. Throws an InputError for a text that is none: it may come from anyone. */
export function readSavedPlan(source: TextSource): SavedPlan {
  const path = nameOfSource(source);
  const text = orMistake(
    () => readNamedText(source, maxBytes),
    (reason) => ({ type: "unreadable", file: "plan", path, reason }),
  );
  const parsed = parseSavedPlan(text);
  if ("plan" in parsed) return parsed.plan;
  throw new InputError({ type: "bad_plan", path, fault: parsed.wrong });
}

/** Reads a saved plan as it was sealed. Undefined for one that was altered, which is said: nobody has approved its content. */
export function readSealedPlan(source: TextSource, emit: Emit): SavedPlan | undefined {
  const saved = readSavedPlan(source);
  if (isSealed(saved)) return saved;
  const path = nameOfSource(source);
  emit(
    isIntact(fileOf(saved))
      ? { type: "plan_of_other_version", path, contract: saved.target.contract }
      : { type: "altered_plan", path, hash: planHash(saved), stated: saved.hash },
  );
  return undefined;
}

/** Throws an InputError where a plan may not be written to the path: what is there is something else. */
export function checkPlanPath(path: string): void {
  requireReplaceable("plan", path, (text) => {
    const json = JSON.parse(text) as Json;
    return isObject(json) && ["format", "hash", "target"].every((name) => Object.hasOwn(json, name));
  });
}

/**
 * Throws an InputError where no file can be written to a path, or where a link or a file with another content stands: a mistyped name must not
 * cost a manifest. `isOlder`: whether a text is an older file of the same sort; it may throw for what is none.
 */
export function requireReplaceable(file: "plan" | "snapshot", path: string, isOlder: (text: string) => boolean): void {
  requireFilePlace(path);
  const there = lstatSync(path, { throwIfNoEntry: false });
  const text = there?.isFile() ? orUndefined(() => readText(path, maxBytes)) : undefined;
  if (!there || text === "" || (text !== undefined && orUndefined(() => isOlder(text)) === true)) return;
  throw new InputError({ type: "would_overwrite", file, path });
}

/** The path of the file that a plan is saved in, or a function that keeps its text elsewhere. */
export type PlanPlace = string | ((plan: { readonly text: string; readonly hash: string }) => void);

/** Writes a saved plan, readable by its owner alone, whole or not at all. Throws an InputError where that is not possible. */
export function writeSavedPlan(path: PlanPlace, plan: SavedPlan): void {
  const text = `${escapeJson(JSON.stringify(fileOf(plan), undefined, 1))}\n`;
  if (typeof path !== "string") return path({ text, hash: plan.hash });
  checkPlanPath(path);
  orMistake(
    () => writeFile(path, text, 0o600),
    (reason) => ({ type: "unwritable", file: "plan", path, reason }),
  );
}

/** Prints the sort of a saved plan, the consent that it carries, and the changes that it does not bring back. */
export function emitHeader(emit: Emit, path: string, saved: SavedPlan): void {
  const { undo, consent, cannotUndo } = approvedHead(saved);
  emit({ type: "saved_plan", path, undo });
  if (Object.values(consent).some((each) => each.length > 0)) emit({ type: "allowed", consent });
  for (const each of cannotUndo) emit({ type: "cannot_undo", ...each });
}

/** Tells the path of a plan's undo, and everything that it does not bring back. */
export function emitUndoSaved(emit: Emit, path: PlanPlace, saved: SavedPlan): void {
  if (typeof path === "string") emit({ type: "undo_saved", path, hash: shortHash(saved.hash) });
  for (const each of saved.cannot_undo ?? []) emit({ type: "cannot_undo", ...each });
}

/** The origin of a plan. */
interface Origin {
  /** The manifest's: what files of secrets are relative to. Saved, they are relative to the checkout. */
  readonly folder: string;
  /** Default: the working folder. */
  readonly checkout?: string | undefined;
  /** The manifest, where it is kept in git. */
  readonly source?: SavedPlan["source"];
}

/** A plan as it would be saved, and so its hash. */
export const planToSave = (input: PlanInput, made: Plan, origin: Origin, io: Host): Saved =>
  savePlan(input, made, saveOptions(origin, io));

/** Returns the undo of a plan, as it would be saved. */
export function undoToSave(input: PlanInput, made: Plan, origin: Origin, io: Host): Saved {
  const { source, ...options } = saveOptions(origin, io);
  return planUndo(input, made, { ...options, source: source && { ...source, manifests: [] } });
}

const saveOptions = ({ folder, checkout = ".", source }: Origin, { mask }: Host): SaveOptions => ({
  source,
  holdsSecret: (value) => holdsKnownSecret(value, mask),
  filePath: (path) => relative(checkout, resolve(folder, path)),
});

/** The plan with its hash, where there is something that may be approved. */
export const withHash = (made: Plan, { hash }: Pick<Saved, "hash">): Plan =>
  made.steps.length === 0 || made.refusals.length > 0 ? made : { ...made, hash };

/** The plan, where a file may hold it. Throws an InputError where it would need a secret that cannot be found again. */
export function saveable({ saved, follows, unsaveable }: Saved): SavedPlan {
  const plain = unsaveable.map(({ resource: { address, at }, field }) => ({ address, field, at }));
  const outside = outsideParts(saved).flatMap(({ address, part }) =>
    "file" in part && /^(\.\.|\/)/u.test(part.file) ? { address, file: part.file } : [],
  );
  if (plain.length + outside.length > 0) throw new InputError({ type: "unsaveable", plain, outside });
  if (!follows) throw new InputError({ type: "depends_on_more" });
  return saved;
}

/** Returns the parts of the values of a saved plan that do not stand in it. */
export const outsideParts = ({ resources }: Pick<SavedPlan, "resources">) =>
  resources.flatMap(({ address, late, members = [] }) =>
    [{ late }, ...members]
      .flatMap((body) => Object.values(body.late).flatMap(({ parts }) => parts))
      .flatMap((part) => (typeof part === "object" ? { address, part } : [])),
  );
