import deepDiff from "deep-diff";
import { isUnknown, partsOf } from "../model/body.ts";
import { jsonText, withoutOrder, type Json } from "../model/json.ts";
import { clearValue } from "../model/clear-values.ts";
import type { Remote, Value } from "../model/resource.ts";
import { addTo } from "../lib/collect.ts";

/** Whether a live value is not the desired one, be that secret or not; what only apply will know counts as another. */
export function differs(live: Json | undefined, desired: Value | undefined): boolean {
  const clear = clearValue(desired);
  return clear === undefined || isDifferent(live, clear);
}

/**
 * Whether a live object may have a desired value of which a secret is not known: it has each text that is written around the secret, or a
 * snapshot does not tell.
 */
export function mayBeMadeOf({ fields, redacted = [] }: Remote, field: string, desired: Value | undefined): boolean {
  if (redacted.includes(field)) return true;
  const live = jsonText(fields[field] ?? "");
  return live !== "" && (partsOf(desired) ?? []).every((part) => typeof part !== "string" || live.includes(part));
}

/** Whether two values in normal form are not the same. Scalars need no deep comparison, and they are nearly all there is. */
export function isDifferent(live: Json | undefined, desired: Json | undefined): boolean {
  // A server that leaves a field out holds null or an empty list.
  const a = orNull(live);
  const b = orNull(desired);
  if (a === b) return false;
  return isScalar(a) || isScalar(b) || deepDiff.diff(withoutOrder(a), withoutOrder(b)) !== undefined;
}

const orNull = (value: Json | undefined): Json =>
  value === undefined || (Array.isArray(value) && value.length === 0) ? null : value;

const isScalar = (value: Json | undefined) => typeof value !== "object" || value === null;

/** Whether a live value is known not to be the desired one. */
export const hasMoved = (live: Json | undefined, desired: Value | undefined): boolean =>
  desired !== undefined && !isUnknown(desired) && differs(live, desired);

/** Of so many objects each is looked at, which is sooner done than making an index of them. */
const fewObjects = 8;

/** Finds the live objects that have a desired value in a field. */
export function indexLive(all: readonly Remote[], field: string): (desired: Value | undefined) => readonly Remote[] {
  if (all.length <= fewObjects)
    return (desired) => {
      const clear = clearValue(desired);
      return clear === undefined ? [] : all.filter(({ fields }) => isSame(fields[field] ?? null, clear));
    };
  const byText = new Map<string, Remote[]>();
  for (const remote of all) addTo(byText, JSON.stringify(remote.fields[field] ?? null), remote);
  return (desired) => {
    const clear = clearValue(desired);
    return (clear !== undefined && byText.get(JSON.stringify(clear))) || [];
  };
}

const isSame = (one: Json, other: Json) =>
  one === other || (!isScalar(one) && !isScalar(other) && JSON.stringify(one) === JSON.stringify(other));

/** Returns the unresolved text of an interpolated value, else the value. A changed variable does not count as a change of the manifest. */
export const declaredValue = (value: Value | undefined) => partsOf(value) ?? clearValue(value);

/** Orders values by their text; those of secrets by the text of their source, so that no secret decides about the order of a plan. */
export function compareDesired(one: Value | undefined, other: Value | undefined): number {
  const [a, b] = [one, other].map((value) =>
    JSON.stringify((value?.is === "secret" && value.parts) || (clearValue(value) ?? "")),
  );
  return a === b ? 0 : (a ?? "") < (b ?? "") ? -1 : 1;
}
