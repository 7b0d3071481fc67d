import { holdsKnownSecret } from "../../model/credentials.ts";
import { relative, resolve } from "node:path";
import type { Plan } from "../../model/plan.ts";
import type { SavedPlan } from "../../model/saved-plan.ts";
import type { PlanInput } from "../../model/plan-input.ts";
import { planUndo } from "../../saved-plans/plan-undo.ts";
import { savePlan, type Saved, type SaveOptions } from "../../saved-plans/save-plan.ts";
import { InputError } from "../session/input-error.ts";
import type { Host } from "../session/host.ts";

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
  const outside = outsideFiles(saved);
  if (plain.length + outside.length > 0) throw new InputError({ type: "unsaveable", plain, outside });
  if (!follows) throw new InputError({ type: "depends_on_more" });
  return saved;
}

const outsideFiles = (saved: SavedPlan) =>
  outsideParts(saved).flatMap(({ address, part }) =>
    "file" in part && /^(\.\.|\/)/u.test(part.file) ? { address, file: part.file } : [],
  );

/** Returns the parts of the values of a saved plan that do not stand in it. */
export const outsideParts = ({ resources }: Pick<SavedPlan, "resources">) =>
  resources.flatMap(({ address, late, members = [] }) =>
    [{ late }, ...members]
      .flatMap((body) => Object.values(body.late).flatMap(({ parts }) => parts))
      .flatMap((part) => (typeof part === "object" ? { address, part } : [])),
  );
