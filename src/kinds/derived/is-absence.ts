import { isDeepStrictEqual } from "node:util";
import { clearValue } from "../../model/clear-values.ts";
import type { Resource } from "../../model/resource.ts";
import { kindNamed } from "../index.ts";

/** Whether a resource declares what a server has that does not list it. */
export function isAbsence({ kind, fields }: Resource): boolean {
  const { absent } = kindNamed(kind).serverMade ?? {};
  return (
    absent !== undefined &&
    Object.entries(fields).every(([name, value]) => isDeepStrictEqual(clearValue(value), absent[name]))
  );
}
