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
const names = columns.split(", ") as (keyof LogEntry)[];

export function openOperations(database: Database) {
  const insert = prepareStatement(database, `INSERT INTO operations (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const after = prepareStatement(database, `SELECT seq, ${columns} FROM operations WHERE seq > ? ORDER BY seq LIMIT ?`);
  return {
    append(entry: LogEntry): void {
      const values = { ...entry, committed: Number(entry.committed) };
      insert.run(names.map((name) => values[name]));
    },
    /** At most `limit` operations after a sequence number, oldest first. */
    after: (seq: number, limit: number): readonly LoggedOperation[] => after.all([seq, limit]).map(readOperation),
  };
}

function readOperation([seq, ...values]: readonly unknown[]): LoggedOperation {
  const entry = Object.fromEntries(names.map((name, index) => [name, values[index]])) as unknown as LogEntry;
  const time = new Date(entry.time).toISOString();
  return { seq: Number(seq), ...entry, time, committed: Number(entry.committed) === 1 };
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
