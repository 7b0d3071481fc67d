import type { Condition } from "./contract.ts";
import type { Json } from "./json.ts";
import { getPointer } from "./json-pointer.ts";

/**
 * Returns whether a condition holds for a record or an answer. A number equals its text, because an id may be a number there and a text
 * in a parameter; a value that is not there counts as null.
 * @param fill puts parameters into a text.
 */
export function holds({ pointer, equals }: Condition, value: Json, fill = (text: string) => text): boolean {
  const found = getPointer(value, pointer) ?? null;
  return equals.some((each) => {
    const wanted = typeof each === "string" ? fill(each) : each;
    return wanted === found || (isTextual(wanted) && isTextual(found) && String(wanted) === String(found));
  });
}

const isTextual = (value: Json) => typeof value === "string" || typeof value === "number";
