import type { Carry } from "../model/journal.ts";
import { locate } from "../kinds/derived/locate.ts";
import type { Address } from "../model/address.ts";
import type { Json } from "../model/json.ts";
import type { Change, Plan, Step, StepId } from "../model/plan.ts";

/** Finds the values that each step takes away and a later step of the same plan writes again. */
export function findCarries({ steps }: Pick<Plan, "steps">): ReadonlyMap<StepId, readonly Carry[]> {
  return new Map(steps.map((step) => [step.id, takenBy(step, steps)] as const).filter(([, all]) => all.length > 0));
}

function takenBy(step: Step, steps: readonly Step[]): Carry[] {
  const { address, action, replaces, detaches } = step;
  if (detaches === true) return carry(step, step.changes, undefined);
  if (action !== "delete" || !replaces) return [];
  const creation = `create ${address}`;
  const id = step.calls[0]?.params["id"];
  const of = typeof id === "string" ? { address, id } : undefined;
  return steps
    .filter((other) => other.id === creation || isWrittenAfter(other, creation))
    .flatMap((other) => carry(other, other.changes.filter(staysAsItWas), of));
}

const isWrittenAfter = ({ action, after }: Step, creation: StepId) => action === "update" && after.includes(creation);

const staysAsItWas = ({ before, after, carried }: Change) =>
  carried === true || (after.is === "value" && JSON.stringify(before) === JSON.stringify(after));

function carry({ address, changes }: Step, taken: readonly Change[], of: Carry["of"]): Carry[] {
  if (taken.length === 0) return [];
  const { kind } = locate(address);
  const followed = taken.flatMap(({ path }) => kind.fields[path]?.dependsOn ?? []);
  const beside = changes.flatMap(({ path, after }): [string, Json][] =>
    followed.includes(path) && after.is === "value" ? [[path, after.value]] : [],
  );
  const values = taken.flatMap(({ path, before }): [string, Json][] =>
    before.is === "value" ? [[path, before.value]] : [],
  );
  const withheld = taken.flatMap(({ path, before }) => (before.is === "sensitive" ? [path] : []));
  if (values.length + withheld.length === 0) return [];
  const fields = Object.fromEntries(values);
  return [{ address, fields, withheld, beside: Object.fromEntries(beside), ...(of && { of }) }];
}

/** The carried values without those that are or look secret. */
export function withholdCarried(
  each: Carry,
  isSecret: (address: Address, field: string, value: Json) => boolean,
): Carry {
  const { address, fields, withheld } = each;
  const [secret, open] = [true, false].map((wanted) =>
    Object.entries(fields).filter(([name, value]) => isSecret(address, name, value) === wanted),
  );
  return {
    ...each,
    fields: Object.fromEntries(open ?? []),
    withheld: [...withheld, ...(secret ?? []).map(([name]) => name)],
  };
}
