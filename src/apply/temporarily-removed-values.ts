import type { RemovedValues } from "../model/journal.ts";
import { kindNamed } from "../kinds/index.ts";
import { addTo } from "../lib/collect.ts";
import { kindOf, type Address } from "../model/address.ts";
import { pickValues } from "../model/body.ts";
import type { Json } from "../model/json.ts";
import type { Change, Plan, Step, StepId } from "../model/plan.ts";
import type { Fields } from "../model/resource.ts";

/** Finds the values that each step removes and a later step of the same plan writes again. */
export function findTemporarilyRemovedValues({
  steps,
}: Pick<Plan, "steps">): ReadonlyMap<StepId, readonly RemovedValues[]> {
  const writes = indexWrites(steps);
  return new Map(steps.map((step) => [step.id, removedBy(step, writes)] as const).filter(([, all]) => all.length > 0));
}

/** Maps each creation of a successor to itself and to the updates that come after it, in the plan's order. */
function indexWrites(steps: readonly Step[]): ReadonlyMap<StepId, readonly Step[]> {
  const successors = new Set(steps.flatMap((step) => (isMadeAnew(step) ? [creationOf(step)] : [])));
  const writes = new Map<StepId, Step[]>();
  for (const step of successors.size > 0 ? steps : []) {
    const creations = new Set(step.action === "update" ? [step.id, ...step.after] : [step.id]);
    for (const creation of creations) if (successors.has(creation)) addTo(writes, creation, step);
  }
  return writes;
}

const isMadeAnew = ({ action, replaces }: Step) => action === "delete" && replaces;
const creationOf = ({ address }: Step): StepId => `create ${address}`;

function removedBy(step: Step, writes: ReadonlyMap<StepId, readonly Step[]>): RemovedValues[] {
  const { address, detaches } = step;
  if (detaches === true) return removedFrom(step, step.changes, undefined);
  if (!isMadeAnew(step)) return [];
  const id = step.calls[0]?.params["id"];
  const of = typeof id === "string" ? { address, id } : undefined;
  return (writes.get(creationOf(step)) ?? []).flatMap((other) =>
    removedFrom(other, other.changes.filter(staysAsItWas), of),
  );
}

const staysAsItWas = ({ before, after, carried }: Change) =>
  carried === true || (after.is === "value" && JSON.stringify(before) === JSON.stringify(after));

function removedFrom({ address, changes }: Step, removed: readonly Change[], of: RemovedValues["of"]): RemovedValues[] {
  if (removed.length === 0) return [];
  const kind = kindNamed(kindOf(address));
  const followed = removed.flatMap(({ path }) => kind.fields[path]?.dependsOn ?? []);
  const beside = shownValues(
    changes.filter(({ path }) => followed.includes(path)),
    "after",
  );
  const fields = shownValues(removed, "before");
  const withheld = removed.flatMap(({ path, before }) => (before.is === "sensitive" ? [path] : []));
  if (withheld.length === 0 && Object.keys(fields).length === 0) return [];
  return [{ address, fields, withheld, beside, ...(of && { of }) }];
}

const shownValues = (changes: readonly Change[], side: "before" | "after"): Fields =>
  Object.fromEntries(changes.flatMap(({ path, [side]: shown }) => (shown.is === "value" ? [[path, shown.value]] : [])));

/** Returns the removed values without those that are or look secret. */
export function withholdSecretValues(
  each: RemovedValues,
  isSecret: (address: Address, field: string, value: Json) => boolean,
): RemovedValues {
  const { address, fields, withheld } = each;
  const open = pickValues(fields, (name, value) => !isSecret(address, name, value));
  const secret = Object.keys(fields).filter((name) => !Object.hasOwn(open, name));
  return { ...each, fields: open, withheld: [...withheld, ...secret] };
}
