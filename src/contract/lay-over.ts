import type { Json } from "../model/json.ts";
import { isObject } from "../model/json-pointer.ts";

/** Lays a value over another, key by key; null takes an entry away. */
export function layOver(base: Json | undefined, own: Json): Json {
  if (!isObject(base) || !isObject(own)) return own;
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(own)) {
    if (value === null) merged.delete(key);
    else merged.set(key, layOver(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}
