import { afterEach, expect, test } from "vitest";
import { InputError } from "../../src/engine/session/input-error.ts";
import { connect, type Database } from "../../src/postgres/connection.ts";
import { checkVersion, migrate } from "../../src/postgres/migrate.ts";
import { versions } from "../../src/postgres/tables.ts";
import { newDatabaseUrl } from "../support/postgres.ts";

const open: Database[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function opened(url?: string): Promise<Database> {
  const database = await connect({ connectionString: url ?? (await newDatabaseUrl("empty")) });
  open.push(database);
  return database;
}

const latest = versions.length;
const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => "none",
    (error: unknown) =>
      error instanceof InputError && error.mistake.type === "diagnostics" ? error.mistake.diagnostics[0]?.code : error,
  );
const tablesOf = async (database: Database) =>
  (
    await database.query<{ name: string }>(
      "SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname LIKE 'hostform%' ORDER BY 1",
    )
  ).map(({ name }) => name);

test("a database without tables gets them once, and a second time changes nothing", async () => {
  const database = await opened();
  expect(await codeOf(checkVersion(database))).toBe("not_migrated");
  expect(await migrate(database)).toBe(0);
  const tables = await tablesOf(database);
  expect(tables).toEqual(expect.arrayContaining(["hostform.lease", "hostform.run_account", "hostform_queue.job"]));
  await checkVersion(database);
  expect(await migrate(database)).toBe(latest);
  expect(await tablesOf(database)).toEqual(tables);
});

test("of several processes that migrate at once, each finds the tables when it is done", async () => {
  const url = await newDatabaseUrl("empty");
  const all = await Promise.all([opened(url), opened(url), opened(url)]);
  const before = await Promise.all(all.map((database) => migrate(database)));
  expect(before.toSorted((a, b) => a - b)).toEqual([0, latest, latest]);
  for (const database of all) await checkVersion(database);
});

test("a migration that is killed at any statement changes no table of ours, and the next one completes it", async () => {
  const url = await newDatabaseUrl("empty");
  const watcher = await opened(url);
  let kept = 0;
  for (; ; kept += 1) {
    const killed = await opened(url);
    let left = kept;
    const dying: Database = {
      ...killed,
      transaction: (work) =>
        killed.transaction(({ query }) =>
          work({
            query: async (text, values) => {
              if (left === 0)
                // Its connection ends as that of a process does that is killed.
                await watcher.query(
                  "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks JOIN pg_database d ON d.oid = database WHERE locktype = 'advisory' AND datname = current_database() AND pid <> pg_backend_pid()",
                );
              left -= 1;
              return query(text, values);
            },
          }),
        ),
    };
    const isKilled = await migrate(dying).then(
      () => false,
      () => true,
    );
    // The first statement takes the lock: before it there is none to end.
    if (!isKilled && kept > 0) break;
    if (isKilled) expect((await tablesOf(watcher)).filter((name) => name.startsWith("hostform."))).toEqual([]);
    await watcher.query("DROP SCHEMA IF EXISTS hostform CASCADE");
  }
  // The lock, the version, the server, the tables, and the new version.
  expect(kept).toBeGreaterThan(4);
  await migrate(watcher);
  await checkVersion(watcher);
});

test("tables that are newer than the program are refused, and stay as they are", async () => {
  const database = await opened();
  await migrate(database);
  await database.query("UPDATE hostform.meta SET version = $1", [latest + 1]);
  const tables = await tablesOf(database);
  expect(await codeOf(migrate(database))).toBe("newer_database");
  expect(await codeOf(checkVersion(database))).toBe("newer_database");
  expect(await tablesOf(database)).toEqual(tables);
});

test("tables that are older than the program are refused until they are migrated", async () => {
  const database = await opened();
  await database.query(
    "CREATE SCHEMA hostform; CREATE TABLE hostform.meta (version int); INSERT INTO hostform.meta VALUES (0)",
  );
  expect(await codeOf(checkVersion(database))).toBe("not_migrated");
});
