import { isFields, type Fields } from "../fields.ts";
import type { Spelling } from "./words.ts";

/** Spells the values in a record for which the type alone decides: numbers, truth values, times, lists, and those that hold nothing. */
export function spellValue(value: unknown, spelling: ReadonlySet<Spelling>): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => spellValue(item, spelling));
    return spelling.has("shuffled") ? items.reverse() : items;
  }
  if (isFields(value)) return spellFields(value, spelling);
  if (typeof value === "number" && spelling.has("numbers-as-strings")) return String(value);
  if (typeof value === "boolean" && spelling.has("booleans-as-strings")) return String(value);
  if (typeof value !== "string") return value;
  if (spelling.has("digits-as-numbers") && isNumeral(value)) return Number(value);
  return spelling.has("times-with-offset") ? withOffset(value) : value;
}

function spellFields(fields: Fields, spelling: ReadonlySet<Spelling>): Fields {
  const kept = Object.entries(fields).filter(([, value]) => !spelling.has("nulls") || !isNothing(value));
  return Object.fromEntries(kept.map(([name, value]) => [name, spellValue(value, spelling)]));
}

/** A number that would not be written as this text is another value. */
const isNumeral = (text: string): boolean => /^-?\d/.test(text) && String(Number(text)) === text;

const isNothing = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

const twoHours = 2 * 60 * 60 * 1000;

function withOffset(text: string): string {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text)) return text;
  return new Date(Date.parse(text) + twoHours).toISOString().replace("Z", "+02:00");
}
