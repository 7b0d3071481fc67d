/** Any JSON value. Objects that come from outside are made without a prototype, so `__proto__` is only a key. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** A value as text: a string as it is, everything else as JSON. */
export const jsonText = (value: Json | undefined): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
