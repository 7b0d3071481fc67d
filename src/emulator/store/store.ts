import { prepareStatement, openDatabase, type Database } from "./database.ts";
import { openKeys } from "./keys.ts";
import { openObjects } from "./objects.ts";
import { openOperations } from "./operations.ts";
import { putBack } from "./schema.ts";

/** Everything the service keeps, in one SQLite file. */
export type Store = ReturnType<typeof openStore>;

export interface StoreDeps {
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly lax?: boolean;
}

/** Opens the store of a data file, making it when there is none. Throws an `EmulatorError` when the file cannot be used. */
export function openStore(file: string, deps: StoreDeps) {
  const database = openDatabase(file, deps.lax === true ? "lax" : "strict");
  try {
    return storeOf(database, file, deps);
  } catch (error) {
    database.close();
    throw error;
  }
}

function storeOf(database: Database, file: string, { now, random, lax = false }: StoreDeps) {
  const transaction = transactions(database);
  const salt = transaction(() => readSalt(database, random));
  return {
    objects: openObjects(database, now),
    operations: openOperations(database),
    replays: openReplays(database, now()),
    keys: openKeys(database, salt),
    /** A random text of this store, under which keys and bodies are hashed. */
    salt,
    /** Whether several objects may have the same natural key. */
    lax,
    transaction,
    /** Holds the objects as they are now, beside those that go on. */
    pin: () => openReadView(file, now),
    /** Remembers all objects; what it returns puts them back, and drops the log and the kept answers. */
    keep: keeper(database, transaction),
    /** Moves the write-ahead log into the file and closes it. */
    close: (): void => {
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      database.close();
    },
  };
}

type Transaction = <Result>(work: () => Result) => Result;

/** Returns what runs work in one write transaction: all of it is kept, or, when it throws, nothing. */
function transactions(database: Database): Transaction {
  const begin = prepareStatement(database, "BEGIN IMMEDIATE");
  const commit = prepareStatement(database, "COMMIT");
  const rollback = prepareStatement(database, "ROLLBACK");
  return (work) => {
    begin.run();
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      // SQLite itself has rolled back where the disk is full.
      if (database.inTransaction) rollback.run();
      throw error;
    }
  };
}

/** Only what differs is written, so that it costs little after a few changes. */
function keeper(database: Database, transaction: Transaction): () => () => void {
  let count = 0;
  return () => {
    const kept = `kept_${++count}`;
    database.exec(`CREATE TEMP TABLE ${kept} AS SELECT * FROM objects; CREATE INDEX temp.${kept}_seq ON ${kept} (seq)`);
    return () => void transaction(() => database.exec(putBack(kept)));
  };
}

function readSalt(database: Database, random: StoreDeps["random"]): string {
  const stored = prepareStatement(database, "SELECT value FROM meta WHERE name = 'salt'").get()?.[0];
  if (typeof stored === "string") return stored;
  const salt = Buffer.from(random(32)).toString("hex");
  prepareStatement(database, "INSERT INTO meta VALUES ('salt', ?)").run([salt]);
  return salt;
}

/** Answers are given again for a day. */
const replayMs = 24 * 60 * 60 * 1000;

/** Opens the answers kept by API key and `Idempotency-Key`, and drops those that have become too old; `now` in ms since 1970. An answer is JSON. */
function openReplays(database: Database, now: number) {
  prepareStatement(database, "DELETE FROM replays WHERE time <= ?").run([now - replayMs]);
  const find = prepareStatement(
    database,
    "SELECT request_hash, answer FROM replays WHERE key_id = ? AND idempotency_key = ? AND time > ?",
  );
  const keep = prepareStatement(database, "INSERT OR REPLACE INTO replays VALUES (?, ?, ?, ?, ?)");
  return {
    find(keyId: string, idempotencyKey: string, now: number) {
      const row = find.get([keyId, idempotencyKey, now - replayMs]);
      return row === undefined ? undefined : { requestHash: String(row[0]), answer: String(row[1]) };
    },
    keep: (keyId: string, idempotencyKey: string, requestHash: string, answer: string, now: number): void =>
      void keep.run([keyId, idempotencyKey, requestHash, answer, now]),
  };
}

export type ReadView = ReturnType<typeof openReadView>;

/** Opens a consistent view of the data file in a read transaction of its own, whatever is written after it. `now` is in ms since the epoch. */
function openReadView(file: string, now: () => number) {
  const database = openDatabase(file);
  prepareStatement(database, "BEGIN").run();
  // A transaction sees the state of its first read.
  prepareStatement(database, "SELECT 1 FROM objects LIMIT 1").get();
  return {
    objects: openObjects(database, now),
    release(): void {
      prepareStatement(database, "ROLLBACK").run();
      database.close();
    },
  };
}
