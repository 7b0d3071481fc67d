import type { Fields } from "../fields.ts";
import { kindNames, type KindName } from "../kinds/kind-name.ts";
import { prepareStatement, type Database, type Statement } from "./database.ts";
import { bucketBits } from "./schema.ts";

/** A later change of an object: its time in ms since 1970, and the fields that change then. */
export type ScheduledChange = readonly [time: number, change: Fields];

/** An object as it is at the time of reading: `record` has the scheduled changes whose time has come, `schedule` holds the others. */
export interface StoredObject {
  readonly id: string;
  readonly kind: KindName;
  /** Identifier or name of what it belongs to, or "". */
  readonly scope: string;
  readonly record: Fields;
  readonly schedule: readonly ScheduledChange[];
}

/** An object as it is written. `naturalKey` is null for objects that may repeat. */
export interface Writing extends StoredObject {
  readonly naturalKey: string | null;
}

export interface ObjectPage {
  /** Records as JSON texts, in the order of their creation. */
  readonly records: readonly string[];
  readonly total: number;
}

/** All objects of the account, of every kind. */
export type Objects = ReturnType<typeof openObjects>;

const columns = "id, kind, scope, record, schedule";

/** Reads and writes objects; `now` (ms since 1970) decides which scheduled steps have happened. */
export function openObjects(database: Database, now: () => number) {
  const sql = (text: string): Statement => prepareStatement(database, text);
  const insert = sql("INSERT INTO objects (id, kind, scope, natural_key, record, schedule) VALUES (?, ?, ?, ?, ?, ?)");
  const update = sql("UPDATE objects SET scope = ?, natural_key = ?, record = ?, schedule = ? WHERE id = ?");
  const updateInPlace = sql(
    "UPDATE objects SET record = ?, schedule = ? WHERE id = ? AND scope = ? AND natural_key IS ?",
  );
  const setField = sql("UPDATE objects SET record = json_set(record, ?, ?) WHERE natural_key = ?");
  const remove = sql("DELETE FROM objects WHERE id = ?");
  const byId = sql(`SELECT ${columns} FROM objects WHERE id = ?`);
  const ofKey = `SELECT ${columns} FROM objects WHERE natural_key = ? ORDER BY seq`;
  const byKey = sql(`${ofKey} LIMIT 1`);
  // A statement of its own: in libsql a `get` after an `all` answers for the key of the `all`.
  const allByKey = sql(ofKey);
  // One row in place of several: in libsql an `all` takes several times as long as a `get`, and each write of a DNS record asks this.
  const byKeyPrefix = sql(
    `SELECT json_group_array(json_array(${columns})) FROM objects WHERE natural_key >= ? AND natural_key < ?`,
  );
  const inScope = sql(`SELECT ${columns} FROM objects WHERE kind = ? AND scope = ? ORDER BY seq`);
  const ofKind = sql(`SELECT ${columns} FROM objects WHERE kind = ? ORDER BY seq`);
  const count = sql("SELECT coalesce(sum(n), 0) FROM counts WHERE kind = ? AND scope = ?");
  const one = (row: Row | undefined): StoredObject | undefined => (row === undefined ? undefined : readRow(row, now()));
  return {
    insert: (object: Writing): void =>
      void insert.run([object.id, object.kind, object.scope, object.naturalKey, ...textsOf(object)]),
    update: (object: Writing): void =>
      void update.run([object.scope, object.naturalKey, ...textsOf(object), object.id]),
    /** Writes an object whose scope and natural key are as they were; false, and nothing is done, when one of them moved. */
    updateInPlace: (object: Writing): boolean =>
      updateInPlace.run([...textsOf(object), object.id, object.scope, object.naturalKey]).changes > 0,
    /** Sets a field of the record that has a natural key, if there is one, without reading it. */
    setField: (naturalKey: string, field: string, value: string): void =>
      void setField.run([`$.${field}`, value, naturalKey]),
    remove: (id: string): void => void remove.run([id]),
    byId(kind: KindName, id: string): StoredObject | undefined {
      const object = one(byId.get([id]));
      return object?.kind === kind ? object : undefined;
    },
    /** The first one made, where there are several. */
    byKey: (naturalKey: string): StoredObject | undefined => one(byKey.get([naturalKey])),
    allByKey: (naturalKey: string): readonly StoredObject[] =>
      allByKey.all([naturalKey]).map((row) => readRow(row, now())),
    /** Objects whose natural key begins with the prefix. */
    byKeyPrefix(prefix: string): readonly StoredObject[] {
      const rows = JSON.parse(String(byKeyPrefix.get([prefix, `${prefix}\u{10FFFF}`])?.[0])) as readonly Row[];
      return rows.map((row) => readRow(row, now()));
    },
    ofKind: (kind: KindName): readonly StoredObject[] => ofKind.all([kind]).map((row) => readRow(row, now())),
    inScope: (kind: KindName, scope: string): readonly StoredObject[] =>
      inScope.all([kind, scope]).map((row) => readRow(row, now())),
    /** Counts the objects of each kind in a scope; kinds without any are left out. */
    countsIn: (scope: string): readonly (readonly [KindName, number])[] =>
      kindNames
        .map((kind) => [kind, Number(count.get([kind, scope])?.[0])] as const)
        .filter(([, number]) => number > 0),
    page: openPages(sql, now),
  };
}

type Row = readonly unknown[];

const textsOf = ({ record, schedule }: Pick<StoredObject, "record" | "schedule">): [string, string | null] => [
  JSON.stringify(record),
  schedule.length === 0 ? null : JSON.stringify(schedule),
];

function readRow(row: Row, now: number): StoredObject {
  const [id, kind, scope, text, scheduleText] = row as [string, KindName, string, string, string | null];
  const record = JSON.parse(text) as Fields;
  if (scheduleText === null) return { id, kind, scope, record, schedule: [] };
  const schedule = JSON.parse(scheduleText) as ScheduledChange[];
  const due = schedule.filter(([time]) => time <= now).map(([, change]) => change);
  return { id, kind, scope, record: Object.assign(record, ...due) as Fields, schedule: schedule.slice(due.length) };
}

/** Returns what reads a page, counted from 1, of a kind or of one scope of it. */
function openPages(sql: (text: string) => Statement, now: () => number) {
  const buckets = sql("SELECT bucket, n FROM counts WHERE kind = ? AND scope = ? ORDER BY bucket");
  const select = `SELECT ${columns} FROM objects WHERE kind = ?1`;
  const ofKind = sql(`${select} AND seq >= ?3 ORDER BY seq LIMIT ?4 OFFSET ?5`);
  const ofScope = sql(`${select} AND scope = ?2 AND seq >= ?3 ORDER BY seq LIMIT ?4 OFFSET ?5`);
  return (kind: KindName, scope: string | undefined, page: number, perPage: number): ObjectPage => {
    const counted = buckets.all([kind, scope ?? "*"]) as readonly [number, number][];
    const { total, first, skip } = locate(counted, (page - 1) * perPage);
    if (first === undefined) return { records: [], total };
    const rows = (scope === undefined ? ofKind : ofScope).all([kind, scope ?? null, first, perPage, skip]);
    const time = now();
    return { records: rows.map((row) => recordText(row, time)), total };
  };
}

/** The first row number of the bucket where an offset lies, and how many rows to skip from there. */
function locate(
  buckets: readonly (readonly [bucket: number, n: number])[],
  offset: number,
): { total: number; first: number | undefined; skip: number } {
  let total = 0;
  let found: { first: number; skip: number } | undefined;
  for (const [bucket, n] of buckets) {
    if (found === undefined && offset < total + n) found = { first: bucket * 2 ** bucketBits, skip: offset - total };
    total += n;
  }
  return { total, first: found?.first, skip: found?.skip ?? 0 };
}

const recordText = (row: Row, now: number): string =>
  row[4] === null ? String(row[3]) : JSON.stringify(readRow(row, now).record);
