import type { Json } from "../../src/model/json.ts";

/** A way to make one value of a document large; `size` is the number of its parts. */
export type Growth = (value: Json, size: number) => Json | undefined;

const many = <T>(size: number, part: (index: number) => T): T[] =>
  Array.from({ length: size }, (_, index) => part(index));

const isMap = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a value with a number in each of its texts, so that no two are the same. */
function numbered(value: Json, index: number): Json {
  if (typeof value === "string") return value.replace(/^[\w*@-]*/u, (start) => `${start}${index}`);
  if (Array.isArray(value)) return value.map((each) => numbered(each, index));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, numbered(each, index)]));
}

/** The ways to grow; each applies to some values only. */
export const growths: Readonly<Record<string, Growth>> = {
  "the same item": (value, size) =>
    Array.isArray(value) && value.length > 0 ? many(size, () => value[0] ?? null) : undefined,
  "other items": (value, size) =>
    Array.isArray(value) && value.length > 0 ? many(size, (index) => numbered(value[0] ?? null, index)) : undefined,
  "empty items": (value, size) => (Array.isArray(value) ? many(size, () => null) : undefined),
  "wrong items": (value, size) =>
    Array.isArray(value) ? [...value, ...many(size, (index) => ({ [`k${index}`]: 1 }))] : undefined,
  "more keys": (value, size) =>
    isMap(value)
      ? Object.fromEntries(
          Object.entries(value).flatMap(([key, each]) => many(size, (index) => [numbered(key, index), each])),
        )
      : undefined,
  "unknown keys": (value, size) =>
    isMap(value) ? { ...value, ...Object.fromEntries(many(size, (index) => [`k${index}`, 1])) } : undefined,
  "keys for an item": (value, size) =>
    isMap(value) ? undefined : Object.fromEntries(many(size, (index) => [`k${index}`, value])),
  "a list for an item": (value, size) => (isMap(value) || Array.isArray(value) ? undefined : many(size, () => value)),
  "a long text": (value, size) => (typeof value === "string" ? `${value}${"x".repeat(20 * size)}` : undefined),
  "a long text of quotes": (value, size) => (typeof value === "string" ? `"${'\\"'.repeat(10 * size)}"` : undefined),
  "a repeated text": (value, size) => (typeof value === "string" ? `${value} `.repeat(size).trim() : undefined),
};

export type Path = readonly (string | number)[];

/** Returns the paths to all values of a document, its root among them. */
export function pathsIn(value: Json, path: Path = []): Path[] {
  const inner = Array.isArray(value)
    ? value.map((each, index) => [index, each] as const)
    : isMap(value)
      ? Object.entries(value)
      : [];
  return [path, ...inner.flatMap(([key, each]) => pathsIn(each, [...path, key]))];
}

/** Returns a document in which one value has grown; undefined where that value does not grow in this way. */
export function enlarge(value: Json, [step, ...rest]: Path, growth: Growth, size: number): Json | undefined {
  if (step === undefined) return growth(value, size);
  const inner = (value as { readonly [key: string | number]: Json })[step];
  const grown = inner === undefined ? undefined : enlarge(inner, rest, growth, size);
  if (grown === undefined) return undefined;
  return Array.isArray(value)
    ? value.map((each, index) => (index === step ? grown : each))
    : { ...(value as object), [step]: grown };
}
