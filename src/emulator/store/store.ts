import { prepareStatement, openDatabase, type Database } from "./database.ts";
import { openKeys, type Keys } from "./keys.ts";
import { openObjects, type Objects } from "./objects.ts";
import { openOperations, type Operations } from "./operations.ts";
import { putBackKept } from "./schema.ts";

/** Everything the service keeps, in one SQLite file. */
export interface Store {
  readonly objects: Objects;
  readonly operations: Operations;
  readonly replays: Replays;
  readonly keys: Keys;
  /** A random text of this store, under which keys and bodies are hashed. */
  readonly salt: string;
  /** Whether several objects may have the same natural key. */
  readonly lax: boolean;
  /** Runs the work in one write transaction: all of it is kept, or, when it throws, nothing. */
  readonly transaction: <Result>(work: () => Result) => Result;
  /** Holds the objects as they are now, beside those that go on. */
  readonly pin: () => ReadView;
  /** Remembers all objects; what it returns puts them back, and drops the log and the kept answers. The next call forgets them. */
  readonly keep: () => () => void;
  /** Moves the write-ahead log into the file and closes it. */
  readonly close: () => void;
}

export interface StoreDeps {
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly lax?: boolean;
}

/** Opens the store of a data file, making it when there is none. Throws an `EmulatorError` when the file cannot be used. */
export function openStore(file: string, deps: StoreDeps): Store {
  const database = openDatabase(file, deps.lax === true ? "lax" : "strict");
  try {
    return storeOf(database, file, deps);
  } catch (error) {
    database.close();
    throw error;
  }
}

function storeOf(database: Database, file: string, { now, random, lax = false }: StoreDeps): Store {
  const transaction = transactions(database);
  const salt = transaction(() => readSalt(database, random));
  return {
    objects: openObjects(database, now),
    operations: openOperations(database),
    replays: openReplays(database, now()),
    keys: openKeys(database, salt),
    salt,
    lax,
    transaction,
    pin: () => openReadView(file, now),
    keep: keeper(database, transaction),
    close: () => {
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      database.close();
    },
  };
}

function transactions(database: Database): Store["transaction"] {
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
function keeper(database: Database, transaction: Store["transaction"]): Store["keep"] {
  return () => {
    database.exec("CREATE TEMP TABLE IF NOT EXISTS kept AS SELECT * FROM objects WHERE false");
    database.exec("CREATE UNIQUE INDEX IF NOT EXISTS temp.kept_by_seq ON kept (seq)");
    transaction(() => database.exec("DELETE FROM kept; INSERT INTO kept SELECT * FROM objects"));
    return () => transaction(() => database.exec(putBackKept));
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

interface Replay {
  readonly requestHash: string;
  /** The stored answer, as JSON. */
  readonly answer: string;
}

/** Answers kept by API key and `Idempotency-Key`. */
interface Replays {
  readonly find: (keyId: string, idempotencyKey: string, now: number) => Replay | undefined;
  readonly keep: (keyId: string, idempotencyKey: string, replay: Replay, now: number) => void;
}

/** Opens the kept answers, and drops those that have become too old; `now` in ms since 1970. */
function openReplays(database: Database, now: number): Replays {
  prepareStatement(database, "DELETE FROM replays WHERE time <= ?").run([now - replayMs]);
  const find = prepareStatement(
    database,
    "SELECT request_hash, answer FROM replays WHERE key_id = ? AND idempotency_key = ? AND time > ?",
  );
  const keep = prepareStatement(database, "INSERT OR REPLACE INTO replays VALUES (?, ?, ?, ?, ?)");
  return {
    find: (keyId, idempotencyKey, now) => {
      const row = find.get([keyId, idempotencyKey, now - replayMs]);
      return row === undefined ? undefined : { requestHash: String(row[0]), answer: String(row[1]) };
    },
    keep: (keyId, idempotencyKey, { requestHash, answer }, now) =>
      void keep.run([keyId, idempotencyKey, requestHash, answer, now]),
  };
}

/** The objects as they were at a moment, whatever is written after it. */
export interface ReadView {
  readonly objects: Objects;
  readonly release: () => void;
}

/** Opens a consistent view of the data file in a read transaction of its own. `now` is in ms since the epoch. */
export function openReadView(file: string, now: () => number): ReadView {
  const database = openDatabase(file);
  prepareStatement(database, "BEGIN").run();
  // A transaction sees the state of its first read.
  prepareStatement(database, "SELECT 1 FROM objects LIMIT 1").get();
  return {
    objects: openObjects(database, now),
    release() {
      prepareStatement(database, "ROLLBACK").run();
      database.close();
    },
  };
}
