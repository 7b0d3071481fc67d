import { existsSync } from "node:fs";
import { EmulatorError } from "../emulator-error.ts";
import { explainDamage, openDatabase } from "./database.ts";
import type { LoggedOperation } from "./operation.ts";
import { openOperations } from "./operations.ts";

const batch = 1000;

/**
 * The logged operations of a data file, oldest first; a service may be writing to it meanwhile.
 * Throws an `EmulatorError` if the file does not exist or is not a store.
 */
export function* readOperations(dataFile: string): Generator<LoggedOperation> {
  if (!existsSync(dataFile)) {
    throw new EmulatorError(`There is no data file ${dataFile}.`, "Name the file that the service was started with.");
  }
  const database = openDatabase(dataFile, undefined, false);
  try {
    const operations = openOperations(database);
    let page = operations.after(0, batch);
    while (page.length > 0) {
      yield* page;
      page = operations.after(page.at(-1)?.seq ?? 0, batch);
    }
  } catch (error) {
    throw explainDamage(dataFile, error);
  } finally {
    database.close();
  }
}
