import { prepareStatement, type Database } from "./database.ts";
import type { LoggedOperation } from "./operation.ts";

/** An operation as it is logged; `time` in ms since 1970. */
export interface LogEntry extends Omit<LoggedOperation, "seq" | "time"> {
  readonly time: number;
}

export interface Operations {
  readonly append: (entry: LogEntry) => void;
  /** At most `limit` operations after a sequence number, oldest first. */
  readonly after: (seq: number, limit: number) => readonly LoggedOperation[];
}

const columns = "time, key_id, method, path, status, request_id, duration_ms, committed, fault";

export function openOperations(database: Database): Operations {
  const insert = prepareStatement(database, `INSERT INTO operations (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const after = prepareStatement(database, `SELECT seq, ${columns} FROM operations WHERE seq > ? ORDER BY seq LIMIT ?`);
  return {
    append: ({ time, key_id, method, path, status, request_id, duration_ms, committed, fault }) =>
      void insert.run([time, key_id, method, path, status, request_id, duration_ms, Number(committed), fault]),
    after: (seq, limit) => after.all([seq, limit]).map(readOperation),
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
