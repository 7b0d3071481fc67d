import deepDiff from "deep-diff";
import type { Fields } from "../model/resource.ts";

/** The names of the fields of `desired` whose value differs from `live`. Both are in normal form, sets as sorted lists. */
export function diffFields(live: Fields, desired: Fields): string[] {
  const relevant = Object.fromEntries(
    Object.keys(desired).flatMap((name) => (live[name] === undefined ? [] : [[name, live[name]]])),
  );
  const differences = deepDiff.diff(relevant, desired) ?? [];
  return [...new Set(differences.map(({ path }) => String(path?.[0])))];
}
