import { isFields } from "../fields.ts";
import { invalid } from "../refusal.ts";
import type { FieldEntry, KindEntry, OperationEntry, Pointer } from "./contract.ts";
import { fieldsOf } from "./encode-field.ts";
import { getAt, isBelow, leavesOf } from "./json.ts";

/** Which fields a body may hold, and where. */
export type FieldPointers = readonly (readonly [field: string, pointer: Pointer])[];

/** Returns where fields stand in the body of a request, below its `at`. */
export function placesOf(
  entry: KindEntry,
  { send, at = "" }: Pick<OperationEntry, "send" | "at">,
  placeIn: (field: FieldEntry) => Pointer | undefined = (field) => field.at,
): FieldPointers {
  if (typeof send === "object" && !Array.isArray(send))
    return Object.entries(send).map(([name, place]) => [name, at + place]);
  const names = Array.isArray(send) ? (send as readonly string[]) : undefined;
  return fieldsOf(entry).flatMap(([name, field]): FieldPointers => {
    const place = placeIn(field);
    return place === undefined || names?.includes(name) === false ? [] : [[name, at + place]];
  });
}

/** Returns where the parts of fields stand below `at`. */
export const partPlaces = (entry: KindEntry, at: Pointer): Pointer[] =>
  Object.values(entry.fields).flatMap(({ parts = {} }) =>
    Object.values(parts).flatMap((places) => Object.values(places).map((place) => at + place)),
  );

/** Refuses a body with values that the contract does not describe. */
export function refuseStrangers(body: unknown, known: readonly Pointer[]): void {
  const strange = strangersIn(body, known);
  if (strange.length === 0) return;
  throw invalid(Object.fromEntries(strange.map((leaf) => [leaf, ["is nothing that the contract describes here"]])));
}

/** Returns the places of values in a body that the contract does not describe. */
export const strangersIn = (body: unknown, known: readonly Pointer[]): Pointer[] =>
  body === undefined
    ? []
    : leavesOf(body).filter(
        (leaf) =>
          leaf !== "" &&
          !known.some((place) => isBelow(leaf, place) || (isBelow(place, leaf) && !isFilled(getAt(body, leaf)))),
      );

/** An empty object or list holds no value. */
const isFilled = (value: unknown): boolean =>
  !(isFields(value) || Array.isArray(value)) || Object.keys(value).length > 0;
