/** Marks the file as ours (`PRAGMA application_id`, "HfEm"). */
export const applicationId = 0x4866456d;
/** The layout of a file (`PRAGMA user_version`): in a lax one several objects may have the same natural key. */
export const layouts = { strict: 2, lax: 3 } as const;

/** Objects are counted in buckets of 2^10 neighbouring rows, so that a page far down is found without walking there. */
export const bucketBits = 10;

/** So many of the last operations are kept in the log, and up to a thousand more. */
const mostOperations = 1_000_000;

const count = (row: "new" | "old", scope: string, by: 1 | -1): string =>
  `INSERT INTO counts VALUES (${row}.kind, ${scope}, ${row}.seq >> ${bucketBits}, ${by}) ON CONFLICT DO UPDATE SET n = n + ${by};`;

const uniqueKey = "natural_key TEXT UNIQUE,";

/**
 * `objects.record` is the record as it is returned, without its etag; `schedule` holds its later changes, as
 * `[[ms since 1970, changed fields], …]`. `natural_key` is NULL for what may repeat. The scope "*" counts a whole kind.
 */
const schema = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE objects (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  scope TEXT NOT NULL,
  ${uniqueKey}
  record TEXT NOT NULL,
  schedule TEXT
);
CREATE INDEX objects_by_kind ON objects (kind, seq);
CREATE INDEX objects_by_scope ON objects (kind, scope, seq);

CREATE TABLE counts (kind TEXT, scope TEXT, bucket INTEGER, n INTEGER, PRIMARY KEY (kind, scope, bucket)) WITHOUT ROWID;
CREATE TRIGGER count_insert AFTER INSERT ON objects BEGIN
  ${count("new", "'*'", 1)}
  ${count("new", "new.scope", 1)}
END;
CREATE TRIGGER count_delete AFTER DELETE ON objects BEGIN
  ${count("old", "'*'", -1)}
  ${count("old", "old.scope", -1)}
END;
CREATE TRIGGER count_move AFTER UPDATE OF scope ON objects WHEN old.scope <> new.scope BEGIN
  ${count("old", "old.scope", -1)}
  ${count("new", "new.scope", 1)}
END;

CREATE TABLE keys (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, permissions TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE operations (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  time INTEGER NOT NULL,
  key_id TEXT,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  status INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  duration_ms REAL NOT NULL,
  committed INTEGER NOT NULL,
  fault TEXT
);
CREATE TRIGGER bound_log AFTER INSERT ON operations WHEN new.seq % 1000 = 0 BEGIN
  DELETE FROM operations WHERE seq <= new.seq - ${mostOperations};
END;

CREATE TABLE replays (
  key_id TEXT,
  idempotency_key TEXT,
  request_hash TEXT NOT NULL,
  answer TEXT NOT NULL,
  time INTEGER NOT NULL,
  PRIMARY KEY (key_id, idempotency_key)
) WITHOUT ROWID;
`;

/** Returns the statements that lay out a new file. */
export const schemaOf = (layout: keyof typeof layouts): string =>
  layout === "strict"
    ? schema
    : `${schema.replace(uniqueKey, "natural_key TEXT,")}CREATE INDEX objects_by_key ON objects (natural_key, seq);`;

/** Makes the objects those of the table `kept`, and forgets what was asked meanwhile. */
export const putBack = (kept: string): string => `
DELETE FROM objects WHERE NOT EXISTS (
  SELECT 1 FROM ${kept} AS kept WHERE kept.seq = objects.seq AND kept.id = objects.id AND kept.scope = objects.scope
    AND kept.natural_key IS objects.natural_key AND kept.record = objects.record AND kept.schedule IS objects.schedule
);
INSERT INTO objects SELECT * FROM ${kept} WHERE seq NOT IN (SELECT seq FROM objects);
DELETE FROM operations;
DELETE FROM replays;
`;
