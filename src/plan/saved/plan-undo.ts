import { offers } from "../../contract/binding.ts";
import { parentsOf } from "../../kinds/derived/parents.ts";
import { kindNamed } from "../../kinds/index.ts";
import { kindOf, type Address } from "../../model/address.ts";
import type { Change, Plan } from "../../model/plan.ts";
import type { Desired, Live, Resource } from "../../model/resource.ts";
import type { CannotUndo, SavedPlan, SavedStep } from "../../model/saved-plan.ts";
import { nothingAllowed, type PlanInput } from "../context.ts";
import { plan } from "../plan.ts";
import { prepare } from "../prepare.ts";
import { byItself } from "./by-itself.ts";
import { sealPlan } from "./plan-hash.ts";
import { savePlan, type Saved, type SaveOptions } from "./save-plan.ts";
import { reasonOf } from "./shown-plan.ts";
import { simulate } from "./simulate.ts";
import { takeBack } from "./take-back.ts";

/**
 * The plan that takes another one back, saved: what is live now is what it desires, planned against what the other will leave. It
 * allows nothing that needs consent, and names what cannot be brought back.
 */
export function planUndo(input: PlanInput, made: Plan, options: SaveOptions): Saved {
  const { desired, live } = prepare(input);
  const after = simulate(live, desired, made);
  const back = takeBack({ ...input, desired, live }, made, options.holdsSecret);
  const wanted: Desired = {
    name: input.desired.name,
    resources: withParents(back.resources, after, input),
    collections: new Map(),
    removed: new Map(back.removals.map((removal) => [removal.address, removal])),
    protect: input.desired.protect,
  };
  const undoing: PlanInput = {
    ...input,
    desired: wanted,
    live: after,
    consent: nothingAllowed,
    ...byItself,
  };
  const undo = plan(undoing);
  const impossible = undo.diagnostics.filter(({ severity }) => severity === "error");
  const { saved, unsaveable } = savePlan(undoing, undo, options);
  const cannot: CannotUndo[] = [
    ...back.cannot,
    ...impossible.flatMap(({ summary }) =>
      addressesIn(summary, undoing).map((address) => ({ address, reason: summary })),
    ),
  ];
  const { hash: _hash, digest: _digest, ...unsealed } = inWordsOfUndo(saved);
  return { saved: sealPlan({ ...unsealed, undo: true, cannot_undo: cannot }), unsaveable };
}

/** No manifest has what an undo desires, so no place of one is named. */
function inWordsOfUndo(saved: SavedPlan): SavedPlan {
  return {
    ...saved,
    resources: saved.resources.map(({ at: _at, ...resource }) => resource),
    removals: saved.removals.map(({ address }) => ({ address })),
    steps: saved.steps.map(({ at: _at, ...step }) => ({
      ...step,
      reason: reasonOf({ undo: true }, step),
      changes: isWrittenOver(step) ? step.changes.map(fromWhatServerGives) : step.changes,
    })),
    refusals: saved.refusals.map(({ at: _at, ...refusal }) => refusal),
  };
}

const isWrittenOver = ({ address, action, replaces }: SavedStep) =>
  (action === "update" || replaces) && kindNamed(kindOf(address)).members === undefined;

/** What the other plan makes has values of the server's own, which are known only then. */
const fromWhatServerGives = (change: Change): Change =>
  change.before.is === "absent" && change.after.is !== "absent"
    ? { ...change, before: { is: "known_after_apply" } }
    : change;

/** The resources that a diagnostic of the planner is about: it names them, or stands for the whole plan (a cycle). */
function addressesIn(summary: string, { desired }: PlanInput): Address[] {
  const all = [...desired.resources.keys(), ...desired.removed.keys()];
  const named = all.filter((address) => summary.includes(address));
  return named.length > 0 ? named : all;
}

/** The resources, and what must be there for them, which is only referred to. */
function withParents(resources: readonly Resource[], after: Live, { contract }: PlanInput): Desired["resources"] {
  const all = new Map(resources.map((resource): [Address, Resource] => [resource.address, resource]));
  for (const { kind, key, fields, at } of resources) {
    for (const address of parentsOf(kindNamed(kind), key, fields).flat()) {
      const parent = after.resources.get(address);
      const parentKind = kindNamed(kindOf(address));
      if (!parent || all.has(address) || !offers(contract, parentKind, "create")) continue;
      all.set(address, { address, kind: parentKind.name, key: parent.key, fields: {}, late: {}, at });
    }
  }
  return all;
}
