/** Any JSON value. Objects that come from outside are made without a prototype, so `__proto__` is only a key. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}
