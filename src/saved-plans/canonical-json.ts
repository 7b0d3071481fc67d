import type { Json } from "../model/json.ts";

/** Returns a value as JSON with the keys of every object sorted: equal values have equal texts. Undefined members are left out. */
export const canonicalJson = (value: unknown): string => JSON.stringify(withKeysInOrder(value));

/** Returns the value itself where the keys of all its objects are sorted, else a copy. */
function withKeysInOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null || isInOrder(value)) return value;
  if (Array.isArray(value)) return value.map(withKeysInOrder);
  const members = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(keysInOrder(value).map((key) => [key, withKeysInOrder(members[key])]));
}

function isInOrder(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isInOrder);
  let last = "";
  for (const key in value) {
    if (key < last || !isInOrder((value as Readonly<Record<string, unknown>>)[key])) return false;
    last = key;
  }
  return true;
}

/** Returns the keys of an object sorted: numbers come first, as they do in every object. */
function keysInOrder(value: object): readonly string[] {
  const keys = Object.keys(value);
  if (keys.every((key, index) => index === 0 || (keys[index - 1] ?? "") < key)) return keys;
  const named = keys.findIndex((key) => !isIndex(key));
  const others = named < 0 ? [] : keys.splice(named).sort();
  return keys.length === 0 ? others : [...keys, ...others];
}

/** Whether an object has a key among its numbers, which come before other keys. */
const isIndex = (key: string) => /^\d/u.test(key) && String(Number(key) >>> 0) === key && key !== "4294967295";

/** Whether two values are the same; a missing value counts as null, as it does for servers. */
export const isSame = (a: Json | undefined, b: Json | undefined): boolean =>
  (a ?? null) === (b ?? null) || canonicalJson(a ?? null) === canonicalJson(b ?? null);

/** The values sorted by their canonical text, for lists whose order means nothing. */
export function sortedCanonically<T>(values: readonly T[]): T[] {
  if (values.length < 2) return [...values];
  const byText = values.map((value) => [canonicalJson(value), value] as const);
  return byText.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, value]) => value);
}

/** Returns each text once, sorted: for lists of texts whose order means nothing. */
export const inOrder = <T extends string>(texts: readonly T[]): readonly T[] =>
  texts.length < 2 ? texts : [...new Set(texts)].sort();
