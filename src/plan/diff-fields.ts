import deepDiff from "deep-diff";
import type { Json } from "../model/json.ts";
import type { Fields } from "../model/resource.ts";

/** The names of the fields of `desired` whose value differs from `live`. Both are in normal form, sets as sorted lists. */
export function diffFields(live: Fields, desired: Fields): string[] {
  return Object.keys(desired).filter((name) => isDifferent(live[name], desired[name]));
}

/** Whether two values in normal form are not the same. Scalars need no deep comparison, and they are nearly all there is. */
export function isDifferent(live: Json | undefined, desired: Json | undefined): boolean {
  // What a server leaves out, it holds as null, and an empty list as well.
  if (orNull(live) === orNull(desired)) return false;
  return isScalar(live) || isScalar(desired) || deepDiff.diff(live, desired) !== undefined;
}

const orNull = (value: Json | undefined) =>
  value === undefined || (Array.isArray(value) && value.length === 0) ? null : value;

const isScalar = (value: Json | undefined) => typeof value !== "object" || value === null;
