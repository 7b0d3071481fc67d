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
  if (Array.isArray(value))
    return value.map(withoutOrder).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutOrder(member)]));
}
