import { existsSync } from "node:fs";
import { EmulatorError } from "../emulator-error.ts";
import { prepareStatement, explainDamage, openDatabase, type Database } from "./database.ts";

/** One logged operation. It never holds a body or a secret. */
export interface LoggedOperation {
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly time: string;
  /** Identifier of the key, never the key; null when there was no valid one. */
  readonly key_id: string | null;
  readonly method: string;
  /** With its query, secrets in it replaced by `…`. */
  readonly path: string;
  /** Of the answer as it was made, before a fault changed it; 0 where a fault kept it from being made. */
  readonly status: number;
  readonly request_id: string;
  readonly duration_ms: number;
  /** Whether it wrote: false for reads, refusals, answers given again, and where a fault came first. */
  readonly committed: boolean;
  /** Name of the fault that befell it, or null. */
  readonly fault: string | null;
}

/** An operation as it is logged; `time` in ms since 1970. */
export interface LogEntry extends Omit<LoggedOperation, "seq" | "time"> {
  readonly time: number;
}

const columns = "time, key_id, method, path, status, request_id, duration_ms, committed, fault";

export function openOperations(database: Database) {
  const insert = prepareStatement(database, `INSERT INTO operations (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const after = prepareStatement(database, `SELECT seq, ${columns} FROM operations WHERE seq > ? ORDER BY seq LIMIT ?`);
  return {
    append: ({ time, key_id, method, path, status, request_id, duration_ms, committed, fault }: LogEntry): void =>
      void insert.run([time, key_id, method, path, status, request_id, duration_ms, Number(committed), fault]),
    /** At most `limit` operations after a sequence number, oldest first. */
    after: (seq: number, limit: number): readonly LoggedOperation[] => after.all([seq, limit]).map(readOperation),
  };
}

function readOperation(row: readonly unknown[]): LoggedOperation {
  const [seq, time, key_id, method, path, status, request_id, duration_ms, committed, fault] = row as [
    number,
    number,
    string | null,
    string,
    string,
    number,
    string,
    number,
    number,
    string | null,
  ];
  const operation = { seq, time: new Date(time).toISOString(), key_id, method, path, status, request_id, duration_ms };
  return { ...operation, committed: committed === 1, fault };
}

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
