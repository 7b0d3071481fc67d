import { inputError, type InputError } from "../engine/session/input-error.ts";
import { DatabaseError, type Connection, type Database } from "./connection.ts";
import { pgBoss, queueName } from "./pg-boss.ts";
import { versions } from "./tables.ts";

/** Any number that no other program locks: only one process migrates at a time. */
const migrationLock = 7_081_426_001;
const oldestServer = 130_000;

/**
 * Brings the tables to the version of this program in one transaction; several processes may do so at once, and one that was killed is
 * completed by the next. Returns the version before; 0: there were no tables. Throws an InputError where they are newer.
 */
export const migrate = (database: Database): Promise<number> =>
  database.transaction(async (connection) => {
    await connection.query("SELECT pg_advisory_xact_lock($1)", [migrationLock]);
    const before = (await readVersion(connection)) ?? 0;
    if (before > versions.length) throw newer(database, before);
    if (before === versions.length) return before;
    await requireServer(connection);
    for (const statements of versions.slice(before)) await connection.query(statements);
    // On another connection, by its own transaction: where this one is rolled back, the next attempt finds it.
    const boss = await pgBoss(database);
    await boss.start();
    await boss.createQueue(queueName);
    await connection.query("UPDATE hostform.meta SET version = $1", [versions.length]);
    return before;
  });

/** Throws an InputError unless the tables are those of this program. */
export async function checkVersion(database: Database): Promise<void> {
  const version = await readVersion(database).catch((error: unknown) => {
    if (error instanceof DatabaseError && error.code === "42501") throw notGranted(database);
    throw error;
  });
  if (version !== undefined && version > versions.length) throw newer(database, version);
  if (version === versions.length) return;
  throw inputError(
    "not_migrated",
    version === undefined
      ? `The database ${database.name} has no tables of Hostform`
      : `The tables of the database ${database.name} have version ${version}, and this program needs version ${versions.length}`,
    "run hostform fleet migrate with a role that owns the tables",
  );
}

async function readVersion(connection: Connection): Promise<number | undefined> {
  const [found] = await connection.query<{ is: boolean }>("SELECT to_regclass('hostform.meta') IS NOT NULL AS is");
  if (found?.is !== true) return undefined;
  const [meta] = await connection.query<{ version: number }>("SELECT version FROM hostform.meta");
  return meta?.version;
}

async function requireServer(connection: Connection): Promise<void> {
  const [row] = await connection.query<{ number: number; version: string }>(
    "SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version",
  );
  if (row !== undefined && row.number >= oldestServer) return;
  throw inputError("old_server", `PostgreSQL ${row?.version} is too old`, "use PostgreSQL 13 or newer");
}

const newer = (database: Database, version: number): InputError =>
  inputError(
    "newer_database",
    `The tables of the database ${database.name} have version ${version}, and this program knows version ${versions.length}`,
    "update Hostform on this machine; tables never go back to an older version",
  );

const notGranted = (database: Database): InputError =>
  inputError(
    "not_granted",
    `The role of the database ${database.name} may not read the tables of Hostform`,
    "run the statements that hostform fleet migrate --grants ROLE prints, with a role that owns the tables",
  );
