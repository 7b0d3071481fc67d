/** A JSON object: a request body, or a stored record. */
export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Lower-cases a field in place where it is a string; wrong types are left for the schema to name. */
export function lowerCase(fields: Fields, name: string): void {
  const value = fields[name];
  if (typeof value === "string") fields[name] = value.toLowerCase();
}

/** Drops repeated members of a set in place, after `canonical` has been applied to the strings in it. */
export function makeSet(fields: Fields, name: string, canonical: (text: string) => string): void {
  const value = fields[name];
  if (!Array.isArray(value)) return;
  fields[name] = [
    ...new Set(value.map((member: unknown) => (typeof member === "string" ? canonical(member) : member))),
  ];
}

/** Returns the keys that a JSON pointer is made of. */
export const keysOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
