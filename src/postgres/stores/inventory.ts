import { warning } from "../../state/inventory/inventory-notices.ts";
import type { AppliedBy, InventoryEvent } from "../../model/inventory.ts";
import { inventoryIn, readContent, textToStore, type StoredContent } from "../../state/inventory/inventory-content.ts";
import type { KnownInventories } from "../../state/inventory/known-inventories.ts";
import { nameOfKey } from "../../state/inventory/target-key.ts";
import type { InventoryStore } from "../../state/inventory/inventory-store.ts";
import { orRefused, type Database } from "../connection.ts";

interface Row {
  /** A bigint, as the driver gives it. */
  readonly version: string;
  readonly value: string;
  readonly subject: string;
  readonly by: string;
  readonly plan_hash: string | null;
  readonly manifest_version: string | null;
  readonly dirty: boolean;
  readonly at: Date;
}

/** The most values of one target that are read at once, and the most applies in which the last one of the whole manifest is looked for. */
const atOnce = 100;

/** The highest versions that this process has seen, by database and target: one that is lower now is that of an older copy. */
const seen = new Map<string, bigint>();

const contentOf = (row: Row | undefined): StoredContent =>
  row ? { is: "bytes", bytes: Buffer.from(row.value) } : { is: "absent" };

/** The inventory of one target: a row for each value, of which the last one counts. */
export function inventoryStore(database: Database, target: string): InventoryStore {
  const where = `the inventory of ${target} in ${database.name}`;
  const key = `${database.name} ${target}`;
  const noteSeen = (version: string) => seen.set(key, BigInt(version));
  const read = (content: StoredContent) => readContent(content, target, { where, keepsHistory: true });
  const newest = (most: number, before?: string) =>
    database.query<Row>(
      `SELECT * FROM hostform.inventory WHERE target = $1 AND ($2::bigint IS NULL OR version < $2)
       ORDER BY version DESC LIMIT ${most}`,
      [target, before],
    );
  return {
    where,
    place: () => ({ kept: "shared", where, sharedAt: database.name }),
    load: () =>
      orRefused(
        async () => {
          const [row] = await newest(1);
          const version = row?.version ?? "0";
          const content = read(contentOf(row));
          const last = seen.get(key) ?? 0n;
          if (BigInt(version) >= last) {
            noteSeen(version);
            return { version, ...content };
          }
          const summary = `The database ${database.name} is an older copy: of ${target} this process has seen version ${last} of the inventory, and it holds ${version}`;
          const hint =
            "bring back the newer database; or start this program again, and it takes the older one as it is";
          const notices = [warning("inventory_rewritten", summary, hint)];
          return { version, ...content, isUndecided: true, mustStay: true, notices };
        },
        ({ message: reason }) => ({ version: "", ...read({ is: "unreadable", reason }), mustStay: true }),
      ),
    store: async (next, { subject, by, planHash, manifestVersion, dirty = false }, over, succession) => {
      const text = textToStore(next, target);
      if (typeof text !== "string") return text;
      const [row] = await database.query<Pick<Row, "version">>(
        `WITH added AS (
           INSERT INTO hostform.inventory (target, version, value, subject, by, plan_hash, manifest_version, dirty)
           SELECT $1, $2::bigint + 1, $3, $4, $5, $6, $7, $8
           WHERE NOT EXISTS (SELECT 1 FROM hostform.inventory WHERE target = $1 AND version > $2)
             AND ($2 = 0 OR EXISTS (SELECT 1 FROM hostform.inventory WHERE target = $1 AND version = $2))
           ON CONFLICT (target, version) DO NOTHING RETURNING version
         ), gone AS (
           DELETE FROM hostform.inventory WHERE $9 AND target = $1 AND version = $2 AND EXISTS (SELECT 1 FROM added)
         ) SELECT version FROM added`,
        [target, over, text, subject, by, planHash, manifestVersion, dirty, succession === "instead"],
      );
      if (!row) return { is: "moved" };
      noteSeen(row.version);
      return { is: "done", version: row.version };
    },
    history: async (address) =>
      orUnknown(async () => {
        const events: InventoryEvent[] = [];
        const owns = (row: Row) => inventoryIn(contentOf(row), target)?.addresses.has(address) === true;
        let after: Row | undefined;
        for (let rows = await newest(atOnce); rows.length > 0; rows = await newest(atOnce, after?.version))
          for (const row of rows) {
            const isBefore = owns(row);
            if (after && owns(after) !== isBefore) events.push(eventOf(after, isBefore ? "left" : "entered"));
            after = row;
          }
        return after && owns(after) ? [...events, eventOf(after, "entered")] : events;
      }),
    appliesToWhole: async () =>
      orUnknown(async () => {
        const applies: AppliedBy[] = [];
        for (const row of await newest(atOnce)) {
          const apply = inventoryIn(contentOf(row), target)?.lastApply;
          if (apply && apply.time !== applies.at(-1)?.time) applies.push(apply);
          if (apply && apply.partial !== true) break;
        }
        return applies;
      }),
    close: async () => undefined,
  };
}

/** Reads of which APIs the inventories of a manifest's name are, or all where there are none of it. */
export const knownInventories = (database: Database, name: string): Promise<KnownInventories> =>
  orRefused(
    async () => {
      const own = await readKnown(database, name);
      const rows = own.length > 0 ? own : await readKnown(database, undefined);
      return {
        known: rows.map(({ target, api }) => ({ key: target, name: nameOfKey(target), api: api ?? undefined })),
      };
    },
    ({ message }) => ({ known: [], unread: `${database.name}: ${message}` }),
  );

const readKnown = ({ query }: Database, name: string | undefined) =>
  query<{ target: string; api: AppliedBy["api"] | null }>(
    `SELECT min(target) AS target, api FROM (
       SELECT DISTINCT ON (target) target, value::jsonb #> '{last_apply,api}' AS api FROM hostform.inventory
       WHERE $1::text IS NULL OR (starts_with(target, $1 || '-') AND length(target) = length($1) + 13)
       ORDER BY target, version DESC
     ) AS last GROUP BY api, CASE WHEN api IS NULL THEN target END`,
    [name],
  );

/** A history that cannot be read now is taken as none: then what needs it is not consent. */
const orUnknown = <T>(work: () => Promise<T>) => orRefused(work, () => undefined);

const eventOf = (row: Row, change: InventoryEvent["change"]): InventoryEvent => ({
  change,
  commit: row.version,
  time: row.at.toISOString(),
  subject: row.subject,
  by: row.by,
  ...(row.plan_hash !== null && { planHash: row.plan_hash }),
  ...(row.manifest_version !== null && { headCommit: row.manifest_version }),
  ...(row.dirty && { dirty: true }),
});
