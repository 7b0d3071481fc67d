/** Any JSON value. Objects that come from outside are made without a prototype, so `__proto__` is only a key. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** A value as text: a string as it is, everything else as JSON. */
export const jsonText = (value: Json | undefined): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);

/** Returns a value with the items of each list and the keys of each object sorted: no field has a list whose order means anything. */
export function withoutOrder(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (!isList(value)) {
    const members = Object.keys(value).sort();
    return Object.fromEntries(members.map((name) => [name, withoutOrder(value[name] ?? null)]));
  }
  const items = value.map((item) => withoutOrder(item));
  return items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
