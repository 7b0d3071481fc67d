import type { KindContract, Pointer } from "../../model/contract.ts";
import type { JsonObject } from "../../model/json.ts";
import { lastToken, likelihood, valuesByPointer } from "./pointers.ts";

const idNames = /^_?(?:id|uuid|guid|identifier|key|[a-z]+_?id)$/iu;

/** Returns places that hold another value in each record and are named like ids, the likeliest first. */
export function idPlaces({ id = "", fields }: KindContract, records: readonly JsonObject[]): Pointer[] {
  const isField = new Set(Object.values(fields).map(({ at }) => at));
  const rank = (pointer: Pointer) =>
    (idNames.test(lastToken(pointer)) ? 100 : 0) +
    likelihood(pointer, { pointer: id, name: "id" }) -
    (isField.has(pointer) ? 60 : 0);
  return uniquePlaces(records)
    .filter((pointer) => pointer !== id && rank(pointer) > 50)
    .toSorted((a, b) => rank(b) - rank(a));
}

/** Names of an id that are not its own word, and names that an API may use for one. */
const unusualNames: readonly RegExp[] = [
  /(?:ref|reference|number|no|handle|slug|code|token|key|href)$/iu,
  /^(?:name|domain|host|hostname|address|email|username|login)$/iu,
];

/** Returns places that may hold an id under another name: no field's, or the name of the object itself. */
export function unusualIdPlaces({ id = "", fields }: KindContract, records: readonly JsonObject[]): Pointer[] {
  const isField = new Set(Object.values(fields).map(({ at }) => at));
  const rank = (pointer: Pointer) => {
    const named = unusualNames.findIndex((each) => each.test(lastToken(pointer)));
    if (named === 0 && !isField.has(pointer)) return 3;
    // A single object has a value of its own everywhere.
    if (named < 0) return records.length > 1 && !isField.has(pointer) ? 1 : 0;
    return 2;
  };
  return uniquePlaces(records)
    .filter((pointer) => pointer !== id && rank(pointer) > 0)
    .toSorted((a, b) => rank(b) - rank(a));
}

/** Returns the places that hold a text or a number in each record, and another in each. */
function uniquePlaces(records: readonly JsonObject[]): Pointer[] {
  return [...valuesByPointer(records)].flatMap(([pointer, values]) => {
    const texts = values.filter((value) => ["string", "number"].includes(typeof value)).map(String);
    const isWhole = texts.length === Math.min(records.length, 100) && new Set(texts).size === texts.length;
    return isWhole ? [pointer] : [];
  });
}
