import { isFields, keysOf } from "../fields.ts";
import type { Pointer } from "./contract.ts";

const isIndex = (key: string | undefined): boolean => key !== undefined && /^(?:0|[1-9]\d*)$/.test(key);

export const getAt = (value: unknown, pointer: Pointer): unknown => getBelow(value, keysOf(pointer));

/** Returns the value to which keys lead; undefined if there is none. */
export function getBelow(value: unknown, keys: readonly string[]): unknown {
  let here = value;
  for (const key of keys) {
    if (Array.isArray(here)) here = isIndex(key) ? (here as unknown[])[Number(key)] : undefined;
    else if (isFields(here) && Object.hasOwn(here, key)) here = here[key];
    else return undefined;
  }
  return here;
}

/** Returns a copy with a value at a pointer; a number in the pointer makes a list where nothing stands. */
export const putAt = (whole: unknown, pointer: Pointer, value: unknown): unknown =>
  putBelow(whole, keysOf(pointer), value);

/** Returns a copy with a value at the place to which keys lead. */
export function putBelow(whole: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(whole) || (whole === undefined && isIndex(key))) {
    const items: unknown[] = [...((whole ?? []) as unknown[])];
    items[Number(key)] = putBelow(items[Number(key)], rest, value);
    return items;
  }
  const fields = isFields(whole) ? whole : {};
  return { ...fields, [key]: putBelow(Object.hasOwn(fields, key) ? fields[key] : undefined, rest, value) };
}

/** Returns the pointers of all values that hold no others. */
export function leavesOf(value: unknown, pointer: Pointer = ""): Pointer[] {
  const entries = Array.isArray(value) || isFields(value) ? Object.entries(value) : [];
  if (entries.length === 0) return [pointer];
  return entries.flatMap(([key, inner]) =>
    leavesOf(inner, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`),
  );
}

export const isBelow = (pointer: Pointer, above: Pointer): boolean =>
  pointer === above || pointer.startsWith(`${above}/`);
