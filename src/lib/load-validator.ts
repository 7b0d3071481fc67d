import { createRequire } from "node:module";
import { builtFile } from "./package-file.ts";

/** The schemas of `schemas/` that `schemas/compile.mjs` has compiled. */
type SchemaName = "contract" | "faults" | "inventory" | "journal" | "manifest" | "plan" | "snapshot";

/** The parts of an error of ajv that most readers need. `instancePath`: the JSON pointer of the wrong value. */
export interface ValidationError {
  readonly instancePath: string;
  readonly message?: string;
}

/** Returns whether a value is as its schema says. `errors` holds the mistakes of the last call. */
export type Validator<T, E = ValidationError> = ((value: unknown) => value is T) & {
  readonly errors?: readonly E[] | null;
};

/** Loads the compiled validator of a schema. */
export function loadValidator<T, E = ValidationError>(name: SchemaName): Validator<T, E> {
  return createRequire(import.meta.url)(builtFile(`${name}.cjs`)) as Validator<T, E>;
}
