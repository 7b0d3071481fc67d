import type { Emulator, EmulatorDeps, EmulatorOptions } from "./emulator.ts";

export type { Emulator, EmulatorDeps, EmulatorOptions, Mirror } from "./emulator.ts";
export type { SeedProblem } from "./seed/apply-seed.ts";
export { EmulatorError, FaultRulesError } from "./emulator-error.ts";
export type { LoggedOperation } from "./store/operations.ts";
export { namePlace } from "./emulator-error.ts";
export { readSpelling, spellings } from "./spelling/words.ts";
export { readOperations } from "./store/operations.ts";
export { makeServerIdentity } from "./tls/certificate.ts";

/**
 * Starts the embedded service: the whole API over HTTPS, from a SQLite file, on its own reading of
 * `schemas/hosting-api.openapi.yaml`. Throws an `EmulatorError` when libsql is not installed, when the data file or the
 * port cannot be used, or when the seed is refused.
 */
export async function startEmulator(options: EmulatorOptions, deps: EmulatorDeps): Promise<Emulator> {
  // Late, so that reading the log does not pay for parsing the OpenAPI document.
  const { startEmulator: start } = await import("./start-emulator.ts");
  return start(options, deps);
}
