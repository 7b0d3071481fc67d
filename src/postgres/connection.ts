import type { PoolConfig } from "pg";
import { inputError, refusedInput } from "../engine/session/input-error.ts";
import { orElse } from "../lib/or-undefined.ts";

/** One connection, or any of those of a pool. */
export interface Connection {
  /**
   * Runs a statement with its parameters ($1, $2, …) and returns its rows; none for a text of several statements, which takes no parameters.
   * A parameter that is undefined is NULL, and an object is its JSON. Throws a DatabaseError.
   */
  readonly query: <Row = unknown>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;
}

/** A pool of connections to one database. */
export interface Database extends Connection {
  /** The user and the database, without the password: `user@host:port/name`. */
  readonly name: string;
  /**
   * Runs statements on one connection: all of them take effect, or none where `work` throws. Where the connection is lost at the end, it is
   * not known which.
   */
  readonly transaction: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

/** Remedies by SQLSTATE, for a database that takes no writes. */
const remedies: Readonly<Record<string, string>> = {
  "53100": " (make room on its disk)",
  "25006": " (it is a standby, or was set to read-only: use the one that takes writes)",
  "42501": " (give its role the rights that workers need)",
};

/** Errors of a database that is busy: a statement or a wait for a lock took too long, or it was given up in a deadlock. */
const lateCodes: ReadonlySet<string | undefined> = new Set(["57014", "55P03", "40P01"]);

/** A statement that failed, or a database that cannot be reached. */
export class DatabaseError extends Error {
  /** The SQLSTATE; the system's name of the error where the database was not reached. */
  readonly code: string | undefined;
  /** Whether the database was not reached, did not answer in time, or ended the connection: the statement may have taken effect. */
  readonly isLost: boolean;

  constructor(name: string, cause: unknown) {
    const { message, code, severity } = cause as Error & { code?: string; severity?: string };
    const isLate = lateCodes.has(code) || message === "Query read timeout";
    const isLost = isLate || severity === undefined || /^(?:08...|57P0[1-5]|53300)$/u.test(code ?? "");
    const words = isLate ? "did not answer in time" : isLost ? "cannot be reached" : "refused a statement";
    // Several addresses of a host were tried: the error of all of them has no text.
    super(`The database ${name} ${words}: ${message || code}${remedies[code ?? ""] ?? ""}`, { cause });
    this.name = "DatabaseError";
    this.code = code;
    this.isLost = isLost;
  }
}

/** Does what a database may refuse, and returns `refused` of the reason where it does. */
export const orRefused = <T, U>(work: () => Promise<T>, refused: (error: DatabaseError) => U): Promise<T | U> =>
  orElse(work, (error) => {
    if (error instanceof DatabaseError) return refused(error);
    throw error;
  });

/** Milliseconds. A host that is gone without a word answers no keepalive for minutes: then the time of the client ends a statement. */
const limits: PoolConfig = {
  connectionTimeoutMillis: 10_000,
  statement_timeout: 20_000,
  query_timeout: 25_000,
  // A worker that was stopped in a transaction would hold its locks.
  idle_in_transaction_session_timeout: 30_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  application_name: "hostform",
};

/**
 * Makes the pool; nothing is connected before the first statement. Throws an InputError for a text that is not an address.
 * @param addressIn what messages call the place of the address.
 */
export async function connect(config: PoolConfig, addressIn = "HOSTFORM_DATABASE_URL"): Promise<Database> {
  const { Client, Pool } = await import("pg");
  const place = await orElse(
    () => new Client(config),
    (error) => {
      // A file of certificates that it names may not be there.
      throw refusedInput(error) ?? badAddress(addressIn);
    },
  );
  const name = `${place.user}@${place.host}:${place.port}/${place.database}`;
  const pool = new Pool({ ...limits, ...config });
  const fail = (error: unknown): never => {
    throw new DatabaseError(name, error);
  };
  // Without a listener of each client, one that is lost while it is used ends the process.
  pool.on("connect", (client) => client.on("error", () => undefined));
  pool.on("error", () => undefined);
  const on = (client: { query: (text: string, values?: unknown[]) => Promise<unknown> }): Connection => ({
    query: async <Row>(text: string, values?: readonly unknown[]) => {
      const result = (await client.query(text, values && [...values]).catch(fail)) as { rows?: Row[] };
      return result.rows ?? [];
    },
  });
  return {
    name,
    query: on(pool).query,
    transaction: async (work) => {
      const client = await pool.connect().catch(fail);
      const connection = on(client);
      try {
        await connection.query("BEGIN");
        const result = await work(connection);
        await connection.query("COMMIT");
        client.release();
        return result;
      } catch (error) {
        // A connection that does not even answer this is of no more use.
        const ended = await connection.query("ROLLBACK").catch((lost: DatabaseError) => lost);
        client.release(ended instanceof DatabaseError);
        throw error;
      }
    },
    close: () => pool.end(),
  };
}

/** Returns the error for a text that is not the address of a database. The text is not shown: it may hold a password. */
export const badAddress = (addressIn: string) =>
  inputError(
    "bad_database_url",
    `${addressIn} is not the address of a PostgreSQL database; it is not shown, because it may hold a password`,
    "write postgres://USER:PASSWORD@HOST:5432/DATABASE, with % and two hex digits for each special character of the password",
  );
