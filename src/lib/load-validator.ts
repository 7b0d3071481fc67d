import type { ErrorObject, ValidateFunction } from "ajv";
import { compileFunction } from "node:vm";
import { getOrMake } from "./collect.ts";
import { builtFile, mostBuilt, readBuilt } from "./package-file.ts";
import { readText } from "./read-file.ts";

/** The schemas of `schemas/` that `scripts/compile-schemas.mjs` has compiled. */
type SchemaName = "contract" | "faults" | "fleet" | "inventory" | "journal" | "manifest" | "plan" | "snapshot";

/** Returns the first mistake as a sentence about `it`, the value. */
export function firstMistake({ errors }: Pick<ValidateFunction, "errors">): string {
  const { instancePath = "", message = "is wrong", params = {} }: Partial<ErrorObject> = errors?.[0] ?? {};
  const place = instancePath === "" ? "it" : instancePath;
  return params.missingProperty === undefined
    ? `${place} ${message}`
    : `"${params.missingProperty}" is missing in ${place}`;
}

// A cache only: a process that plans several times, as the library does, would compile one for each.
const loaded = new Map<SchemaName, unknown>();

/** Loads the compiled validator of a schema. */
export const loadValidator = <T>(name: SchemaName): ValidateFunction<T> =>
  getOrMake(loaded, name, () => {
    const code = readBuilt(`${name}.cjs`);
    const module = { exports: {} };
    const filename = builtFile(`${name}.cjs.br`);
    compileFunction(code, ["module", "exports", "require"], { filename })(module, module.exports, readSchema);
    return module.exports;
  }) as ValidateFunction<T>;

/** Reads a schema, of which a validator quotes. `path` leads to it from the folder of the validators. */
const readSchema = (path: string): unknown => JSON.parse(readText(builtFile(path), mostBuilt));
