import type { Json } from "../model/json.ts";

/** A value as JSON with the keys of every object sorted: equal values have equal texts. What is undefined is left out. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}

/** Whether two values are the same; what is not told counts as null, as servers have it. */
export const isSame = (a: Json | undefined, b: Json | undefined): boolean =>
  (a ?? null) === (b ?? null) || canonicalJson(a ?? null) === canonicalJson(b ?? null);

/** The values sorted by their canonical text, for lists whose order means nothing. */
export function sortedCanonically<T>(values: readonly T[]): T[] {
  const byText = values.map((value) => [canonicalJson(value), value] as const);
  return byText.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, value]) => value);
}

/** Returns each text once, sorted: for lists of texts whose order means nothing. */
export const inOrder = <T extends string>(texts: readonly T[]): readonly T[] => [...new Set(texts)].sort();
