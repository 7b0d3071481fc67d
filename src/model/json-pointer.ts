import type { Json, JsonObject } from "./json.ts";
import type { Pointer } from "./contract.ts";

// There are few pointers, those of a contract, and each is followed once a record.
const known = new Map<Pointer, readonly string[]>();

function tokens(pointer: Pointer): readonly string[] {
  const split = known.get(pointer) ?? splitPointer(pointer);
  known.set(pointer, split);
  return split;
}

const splitPointer = (pointer: Pointer) =>
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
    if (Array.isArray(here)) here = here[Number(token)];
    else if (isObject(here) && Object.hasOwn(here, token)) here = here[token];
    else return undefined;
  }
  return here;
}

/** The object with the value set at the pointer; objects on the way are made where there are none. The input is not changed. */
export function setPointer(target: JsonObject, pointer: Pointer, value: Json): JsonObject {
  const [first, ...rest] = tokens(pointer);
  if (first === undefined) throw new Error("A pointer to the whole document cannot be set");
  return setTokens(target, first, rest, value);
}

function setTokens(target: JsonObject, first: string, rest: readonly string[], value: Json): JsonObject {
  const [next, ...further] = rest;
  if (next === undefined) return withKey(target, first, value);
  const child = Object.hasOwn(target, first) ? target[first] : undefined;
  return withKey(target, first, setTokens(isObject(child) ? child : {}, next, further, value));
}

/** The object without what stands at the pointer. The input is not changed. */
export function omitPointer(target: JsonObject, pointer: Pointer): JsonObject {
  const [first, ...rest] = tokens(pointer);
  if (first === undefined || !Object.hasOwn(target, first)) return target;
  if (rest.length === 0) return Object.fromEntries(Object.entries(target).filter(([key]) => key !== first));
  const child = target[first];
  return isObject(child) ? withKey(target, first, omitPointer(child, `/${rest.join("/")}`)) : target;
}

// Object.fromEntries defines properties, so that a key `__proto__` stays data; assignment would not.
function withKey(target: JsonObject, key: string, value: Json): JsonObject {
  return Object.fromEntries([...Object.entries(target).filter(([name]) => name !== key), [key, value]]);
}
