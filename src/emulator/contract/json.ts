import { isFields, type Fields } from "../fields.ts";
import type { Pointer } from "./contract.ts";

const keysOf = (pointer: Pointer): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));

const isIndex = (key: string | undefined): boolean => key !== undefined && /^(?:0|[1-9]\d*)$/.test(key);

export function getAt(value: unknown, pointer: Pointer): unknown {
  let here = value;
  for (const key of keysOf(pointer)) {
    if (Array.isArray(here)) here = isIndex(key) ? (here as unknown[])[Number(key)] : undefined;
    else if (isFields(here) && Object.hasOwn(here, key)) here = here[key];
    else return undefined;
  }
  return here;
}

/** Returns a copy with a value at a pointer; a number in the pointer makes a list where nothing stands. */
export const putAt = (whole: unknown, pointer: Pointer, value: unknown): unknown => put(whole, keysOf(pointer), value);

function put(whole: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(whole) || (whole === undefined && isIndex(key))) {
    const items: unknown[] = [...((whole ?? []) as unknown[])];
    items[Number(key)] = put(items[Number(key)], rest, value);
    return items;
  }
  const fields = isFields(whole) ? whole : {};
  return { ...fields, [key]: put(Object.hasOwn(fields, key) ? fields[key] : undefined, rest, value) };
}

/** Sets a value in place, along keys that name objects. */
export function assign(fields: Fields, [key = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    fields[key] = value;
    return;
  }
  const inner = fields[key];
  const below: Fields = isFields(inner) ? { ...inner } : {};
  fields[key] = below;
  assign(below, rest, value);
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
