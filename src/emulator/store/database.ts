import { chmodSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import type Libsql from "libsql";
import { requireRegularOrAbsent } from "../../lib/read-file.ts";
import { requireOwnPlace, writeFile } from "../../lib/write-file.ts";
import { EmulatorError } from "../emulator-error.ts";
import { applicationId, layouts, schemaOf } from "./schema.ts";

export type Database = InstanceType<typeof Libsql>;
export type StoreLayout = keyof typeof layouts;

/** A prepared statement whose rows are arrays of columns. Its values come as one array, since libsql copies any others into one. */
export interface Statement {
  readonly run: (values?: readonly unknown[]) => { readonly changes: number };
  readonly get: (values?: readonly unknown[]) => readonly unknown[] | undefined;
  readonly all: (values?: readonly unknown[]) => readonly (readonly unknown[])[];
}

/** Prepares a statement; its rows come as arrays, which is cheaper than objects and leaves nothing extra in them. */
export function prepareStatement(database: Database, sql: string): Statement {
  const statement = database.prepare(sql) as unknown as Statement & { readonly reader: boolean; raw(): Statement };
  return statement.reader ? statement.raw() : statement;
}

/**
 * Opens a store, and lays it out when the file is new. A write is in the operating system's hands when it is answered:
 * it survives the death of the process, not a power cut (WAL with `synchronous = NORMAL`).
 * Throws an `EmulatorError` when libsql is not installed or the file cannot be used, or has another layout than the given `layout`.
 * @param mayMake whether a file that is new or empty becomes a store.
 */
export function openDatabase(file: string, layout?: StoreLayout, mayMake = true): Database {
  const database = connect(file, mayMake);
  try {
    database.exec("PRAGMA busy_timeout = 5000;");
    const isNew = checkLayout(file, database, layout);
    if (isNew && !mayMake)
      throw new EmulatorError(`The data file ${file} is empty.`, "Name the file that the service was started with.");
    // Only a store: a file of another program keeps its own mode.
    if (!isNew && file !== ":memory:") makePrivate(file);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    if (isNew) layOut(database, layout ?? "strict");
    return database;
  } catch (error) {
    database.close();
    throw error instanceof EmulatorError ? error : unusable(file, error);
  }
}

/** It may hold passwords. A file of another user, who lets this one write, stays as it is. */
const makePrivate = (file: string): void =>
  [file, `${file}-wal`, `${file}-shm`]
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.uid === (process.getuid?.() ?? 0))
    .forEach((path) => chmodSync(path, 0o600));

function connect(file: string, mayMake: boolean): Database {
  const Constructor = loadLibsql();
  try {
    // SQLite opens what it is given, and what stands beside it: a pipe would never answer.
    for (const path of file === ":memory:" ? [] : [file, `${file}-wal`, `${file}-shm`, `${file}-journal`]) {
      requireRegularOrAbsent(path);
      requireOwnPlace(path);
    }
    // SQLite would make it for all to read, and gives its mode to the files beside it.
    const isNew = file !== ":memory:" && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;
    if (mayMake && isNew) writeFile(file, "", 0o600);
    return new Constructor(file);
  } catch (error) {
    throw unusable(file, error);
  }
}

/** Not imported at the top, because it is an optional dependency. */
function loadLibsql(): typeof Libsql {
  try {
    return createRequire(import.meta.url)("libsql") as typeof Libsql;
  } catch (error) {
    throw new EmulatorError(
      "The embedded service needs the package libsql, and it cannot be loaded.",
      "It is an optional dependency: install it with `npm install libsql@0.5.29`.",
      error,
    );
  }
}

function unusable(file: string, error: unknown): EmulatorError {
  const reason = error instanceof Error ? error.message : String(error);
  const hint = hints.find(([pattern]) => pattern.test(reason))?.[1];
  return new EmulatorError(
    `Opening the data file ${file} failed: ${reason}.`,
    hint ?? "Name a file whose folder exists and is writable.",
    error,
  );
}

const hints: readonly (readonly [RegExp, string])[] = [
  [/not a database/iu, "It is not an SQLite file. Name another file, or a new one to be made."],
  [/malformed|corrupt/iu, "It is damaged. Put a copy of it back, or name a new one to be made."],
];

/** Tells whether an error says that no more can be written: the disk is full, or the file may not grow. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  /^SQLITE_(FULL|IOERR_WRITE|IOERR_FSYNC|IOERR_SHMSIZE)$/u.test(String(error.code));

/** Turns an error from reading a damaged file into an `EmulatorError`; returns other errors as they are. */
export function explainDamage(file: string, error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code.startsWith("SQLITE_") ? unusable(file, error) : error;
}

/** Returns whether a file holds nothing yet. Throws an `EmulatorError` for one that is not a store. */
function checkLayout(file: string, database: Database, layout: StoreLayout | undefined): boolean {
  const read = (pragma: string): unknown => prepareStatement(database, `PRAGMA ${pragma}`).get()?.[0];
  const empty = prepareStatement(database, "SELECT count(*) FROM sqlite_schema").get()?.[0] === 0;
  if (empty) return true;
  if (read("application_id") !== applicationId)
    throw new EmulatorError(
      `The data file ${file} is an SQLite file of another program.`,
      "Name another file, or a new one to be made.",
    );
  checkVersion(file, read("user_version"), layout);
  return false;
}

const layOut = (database: Database, layout: StoreLayout) =>
  database.exec(
    `BEGIN; ${schemaOf(layout)} PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${layouts[layout]}; COMMIT;`,
  );

function checkVersion(file: string, version: unknown, layout: StoreLayout | undefined): void {
  if (layout !== undefined && version === layouts[layout === "lax" ? "strict" : "lax"]) {
    const [was, now] = layout === "lax" ? ["without", "with"] : ["with", "without"];
    throw new EmulatorError(
      `The data file ${file} was made ${was} --lax, and cannot be served ${now} it: names are unique in it or not from its beginning.`,
      `Serve it with \`hostform emulator\` ${was} --lax, or name a new file.`,
    );
  }
  if (version !== layouts.strict && version !== layouts.lax) {
    throw new EmulatorError(
      `The data file ${file} has layout ${String(version)}; this release reads layouts ${layouts.strict} and ${layouts.lax}.`,
      "Start it with the release that made it, or name a new file.",
    );
  }
}
