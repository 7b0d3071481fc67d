import { jsonText, type Json, type JsonObject } from "../../model/json.ts";
import { getPointer } from "../../model/json-pointer.ts";
import type { Pointer } from "../../model/contract.ts";
import type { PartPointers } from "./content-parts.ts";

/** The parts of the name of an SRV record (RFC 2782), each by two names: with its underscore, and without. */
export const labelsOfName: readonly (readonly [withUnderscore: string, bare: string])[] = [
  ["_service", "service"],
  ["_protocol", "protocol"],
];

/** The types whose names begin with these parts. */
export const typesWithLabels: readonly string[] = ["SRV"];

const apex = "@";

/** Returns a name with the labels that stand at other places of its record. */
export function joinName(pointers: PartPointers, raw: JsonObject, rest: Json | undefined): Json | undefined {
  const labels = labelsOfName.map(([withUnderscore, bare]) => {
    const value = textAt(raw, pointers[withUnderscore]) ?? textAt(raw, pointers[bare]);
    return value === undefined || value.startsWith("_") ? value : `_${value}`;
  });
  if (labels.includes(undefined) || (typeof rest === "object" && rest !== null)) return rest;
  const below = jsonText(rest ?? "");
  return [...labels, ...(below === "" || below === apex ? [] : [below])].join(".");
}

function textAt(raw: JsonObject, pointer: Pointer | undefined): string | undefined {
  const value = pointer === undefined ? undefined : getPointer(raw, pointer);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns the rest of a name without its first labels, and these with their places; undefined for a name that has none. */
export function splitName(
  pointers: PartPointers,
  name: Json,
): { readonly rest: string; readonly labels: readonly (readonly [Pointer, string])[] } | undefined {
  const [, service, protocol, rest = apex] =
    (typeof name === "string" && /^_([^._][^.]*)\._([^._][^.]*)(?:\.(.+))?$/u.exec(name)) || [];
  if (service === undefined || protocol === undefined) return undefined;
  const labels = labelsOfName.flatMap(([withUnderscore, bare], index): (readonly [Pointer, string])[] => {
    const text = [service, protocol][index] ?? "";
    const [marked, plain] = [pointers[withUnderscore], pointers[bare]];
    return [
      ...(marked === undefined ? [] : [[marked, `_${text}`] as const]),
      ...(plain === undefined ? [] : [[plain, text] as const]),
    ];
  });
  return { rest, labels };
}
