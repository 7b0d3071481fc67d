import { compileFunction } from "node:vm";
import { getOrMake } from "./collect.ts";
import { builtFile, mostBuilt, readBuilt } from "./package-file.ts";
import { readText } from "./read-file.ts";

/** The schemas of `schemas/` that `scripts/compile-schemas.mjs` has compiled. */
type SchemaName = "contract" | "faults" | "fleet" | "inventory" | "journal" | "manifest" | "plan" | "snapshot";

/** The parts of an error of ajv that most readers need. `instancePath`: the JSON pointer of the wrong value. */
export interface ValidationError {
  readonly instancePath: string;
  readonly message?: string;
  readonly params?: { readonly missingProperty?: string };
}

/** Returns whether a value is as its schema says. `errors` holds the mistakes of the last call. */
export type Validator<T, E = ValidationError> = ((value: unknown) => value is T) & {
  readonly errors?: readonly E[] | null;
};

/** Returns the first mistake as a sentence about `it`, the value. */
export function firstMistake({ errors }: Pick<Validator<unknown>, "errors">): string {
  const [{ instancePath, message = "is wrong", params = {} } = { instancePath: "" }] = errors ?? [];
  const place = instancePath === "" ? "it" : instancePath;
  return params.missingProperty === undefined
    ? `${place} ${message}`
    : `"${params.missingProperty}" is missing in ${place}`;
}

// A cache only: a process that plans several times, as the library does, would compile one for each.
const loaded = new Map<SchemaName, unknown>();

/** Loads the compiled validator of a schema. */
export const loadValidator = <T, E = ValidationError>(name: SchemaName): Validator<T, E> =>
  getOrMake(loaded, name, () => {
    const code = readBuilt(`${name}.cjs`);
    const module = { exports: {} };
    const filename = builtFile(`${name}.cjs.br`);
    compileFunction(code, ["module", "exports", "require"], { filename })(module, module.exports, readSchema);
    return module.exports;
  }) as Validator<T, E>;

/** Reads a schema, of which a validator quotes. `path` leads to it from the folder of the validators. */
const readSchema = (path: string): unknown => JSON.parse(readText(builtFile(path), mostBuilt));
