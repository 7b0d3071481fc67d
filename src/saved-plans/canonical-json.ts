import type { Json } from "../model/json.ts";

/** A value as JSON with the keys of every object sorted: equal values have equal texts. What is undefined is left out. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sortKeys(value));

/** Returns the same canonical JSON of an object in pieces, so that the text of a large plan is never held as a whole. */
export function* canonicalPieces(value: object): Generator<string> {
  let before = "{";
  // Numbers come before other keys in every object, as they do in the one that `sortKeys` makes.
  for (const [key, inner] of Object.entries(inKeyOrder(value))) {
    if (inner === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    before = ",";
    if (isList(inner)) yield* listPieces(inner);
    else yield canonicalJson(inner);
  }
  yield before === "{" ? "{}" : "}";
}

function* listPieces(list: Iterable<unknown>): Generator<string> {
  let before = "[";
  for (const item of list) {
    yield before + canonicalJson(item ?? null);
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

const isList = (value: unknown): value is Iterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.iterator in value;

function sortKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sortKeys);
  const sorted = inKeyOrder(value);
  return Object.fromEntries(Object.entries(sorted).map(([key, inner]) => [key, sortKeys(inner)]));
}

function inKeyOrder(value: object): object {
  const keys = Object.keys(value);
  if (keys.every((key, index) => index === 0 || (keys[index - 1] ?? "") < key)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
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
