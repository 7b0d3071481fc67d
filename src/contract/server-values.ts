import { isDeepStrictEqual } from "node:util";
import { normalValue } from "../kinds/derived/normal-value.ts";
import type { Field } from "../kinds/kind.ts";
import type { FieldContract } from "../model/contract.ts";
import { jsonText, type Json } from "../model/json.ts";
import type { Fields } from "../model/resource.ts";
import type { Subject } from "./request.ts";

/** Returns whether a manifest can write a field, and the API returns it. */
export const isComparable = ({ access, needsSecret }: Field): boolean =>
  (access === "mutable" || access === "immutable") && needsSecret !== true;

/** Returns whether a field has the value that the server gives it by itself. */
export function hasServersValue({ kind, key }: Subject, name: string, fields: Fields): boolean {
  const own = serversOwn(kind.entry.fields[name], fields) ?? null;
  return isDeepStrictEqual(fields[name], normalValue(kind, name, own, key));
}

function serversOwn(entry: FieldContract | undefined, fields: Fields): Json | undefined {
  const [by] = Object.entries(entry?.default_by ?? {});
  return entry?.default ?? by?.[1][jsonText(fields[by[0]])];
}
