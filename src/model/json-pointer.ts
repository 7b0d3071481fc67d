import { getOrMake } from "../lib/collect.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Pointer } from "./contract.ts";

// There are few pointers, those of a contract, and each is followed once a record.
const known = new Map<Pointer, readonly string[]>();

const tokens = (pointer: Pointer): readonly string[] => getOrMake(known, pointer, () => splitPointer(pointer));

/** Returns the keys of a JSON pointer. */
export const splitPointer = (pointer: Pointer): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value at a JSON pointer (RFC 6901), or undefined where there is none. Only own properties are seen. */
export function getPointer(value: Json, pointer: Pointer): Json | undefined {
  let here: Json | undefined = value;
  for (const token of tokens(pointer)) {
    if (Array.isArray(here)) here = isIndex(token) ? here[Number(token)] : undefined;
    else if (isObject(here) && Object.hasOwn(here, token)) here = here[token];
    else return undefined;
  }
  return here;
}

/** Returns what follows a pointer in one value after another. */
export function pointerReader(pointer: Pointer): (value: JsonObject) => Json | undefined {
  const [key, ...rest] = tokens(pointer);
  if (key === undefined || rest.length > 0) return (value) => getPointer(value, pointer);
  return (value) => (Object.hasOwn(value, key) ? value[key] : undefined);
}

/** An index into an array: at most 999, so that no pointer makes a larger one. */
const isIndex = (token: string) => /^(?:0|[1-9]\d{0,2})$/u.test(token);

/**
 * Returns the object with the value set at the pointer. What is missing on the way is made: an array before an index, else an object.
 * The input is not changed.
 */
export function setPointer(target: JsonObject, pointer: Pointer, value: Json): JsonObject {
  const path = tokens(pointer);
  // A body begins as an object without members, and may be a list of one set.
  if (path.length > 0) return setTokens(Object.keys(target).length > 0 ? target : undefined, path, value) as JsonObject;
  if (!isObject(value)) throw new Error("Only an object can be laid over a whole document");
  return Object.fromEntries([...Object.entries(target), ...Object.entries(value)]);
}

function setTokens(target: Json | undefined, [first, ...rest]: readonly string[], value: Json): Json {
  if (first === undefined) return value;
  if (isIndex(first) && !isObject(target)) {
    const items: Json[] = Array.isArray(target) ? [...target] : [];
    while (items.length < Number(first)) items.push(null);
    items[Number(first)] = setTokens(items[Number(first)], rest, value);
    return items;
  }
  const object = isObject(target) ? target : {};
  return withKey(object, first, setTokens(Object.hasOwn(object, first) ? object[first] : undefined, rest, value));
}

/** Returns the object with a value laid over what stands at the pointer: of two objects, or two items of lists, it keeps the members of both. */
export function layAt(target: JsonObject, pointer: Pointer, value: Json): JsonObject {
  return setPointer(target, pointer, laidOver(getPointer(target, pointer), value));
}

function laidOver(below: Json | undefined, above: Json): Json {
  if (Array.isArray(above) && Array.isArray(below)) return above.map((item, index) => laidOver(below[index], item));
  if (!isObject(above) || !isObject(below)) return above;
  return Object.entries(above).reduce(
    (whole, [key, value]) => withKey(whole, key, laidOver(Object.hasOwn(below, key) ? below[key] : undefined, value)),
    below,
  );
}

/** Returns the object without what stands at the pointer. An item of an array stays. The input is not changed. */
export const omitPointer = (target: JsonObject, pointer: Pointer): JsonObject =>
  omitTokens(target, tokens(pointer)) as JsonObject;

function omitTokens(target: Json, [first, ...rest]: readonly string[]): Json {
  if (first === undefined) return target;
  if (Array.isArray(target) && isIndex(first) && rest.length > 0)
    return target.map((item, index) => (index === Number(first) ? omitTokens(item, rest) : item));
  const child = isObject(target) && Object.hasOwn(target, first) ? target[first] : undefined;
  if (!isObject(target) || child === undefined) return target;
  return rest.length === 0 ? withoutKey(target, first) : withKey(target, first, omitTokens(child, rest));
}

// A computed key and a spread define properties, so that a key `__proto__` stays data; assignment would not. Object.fromEntries takes several times as long.
function withoutKey(target: JsonObject, key: string): JsonObject {
  const { [key]: _left, ...rest } = target;
  return rest;
}

/** A key that is there goes to the end. */
const withKey = (target: JsonObject, key: string, value: Json): JsonObject => ({
  ...(Object.hasOwn(target, key) ? withoutKey(target, key) : target),
  [key]: value,
});
