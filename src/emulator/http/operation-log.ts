import { isDiskFull } from "../store/database.ts";
import type { LogEntry } from "../store/operations.ts";
import type { Store } from "../store/store.ts";

export type OperationLog = ReturnType<typeof createOperationLog>;

/**
 * Logs operations without a transaction of its own for each: a write is logged in its own transaction, everything else
 * waits for the next one, at the latest for the end of this turn of the event loop.
 */
export function createOperationLog({ operations, transaction }: Store) {
  let waiting: LogEntry[] = [];
  let stopped = false;
  const appendWaiting = (): void => {
    const entries = waiting;
    waiting = [];
    for (const entry of entries) operations.append(entry);
  };
  const flush = (): void => {
    try {
      if (waiting.length > 0) transaction(appendWaiting);
    } catch (error) {
      // The service answers 507 and lives on; what was asked meanwhile is in no log.
      if (!isDiskFull(error)) throw error;
    }
  };
  return {
    /** Within a transaction. */
    append(entry: LogEntry): void {
      appendWaiting();
      operations.append(entry);
    },
    later(entry: LogEntry): void {
      if (!stopped && waiting.push(entry) === 1) setImmediate(flush);
    },
    flush,
    /** Flushes, and logs nothing more: the store is about to be closed. */
    stop(): void {
      flush();
      stopped = true;
    },
  };
}

const secretName = /key|token|password|secret|auth/i;

/** A request's path as it is logged: values of query parameters that sound secret are replaced, and it is cut at 2000 characters. */
export function loggedPath(url: string): string {
  if (!url.includes("?")) return url.slice(0, 2000);
  const [path = "", query = ""] = url.split(/\?(.*)/s);
  const parts = query.split("&").map((part) => {
    const [name = ""] = part.split("=");
    return secretName.test(safeDecode(name)) ? `${name}=…` : part;
  });
  return `${path}?${parts.join("&")}`.slice(0, 2000);
}

function safeDecode(text: string): string {
  return text.replaceAll(/%[0-7][0-9a-f]/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}
