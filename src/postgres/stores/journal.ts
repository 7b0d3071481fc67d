import type { JournalStore } from "../../journal/journal-store.ts";
import { orRefused, type Database } from "../connection.ts";
import { leaseRules, type StoreHolder } from "./lease-register.ts";

/**
 * The journal of one target in rows: a group of lines each. Lines are added only while the lease is this run's, and has some time left, by the
 * clock of the database: whoever is late, since its machine stood still or its database was gone, sends nothing any more.
 */
export function journalStore(database: Database, target: string, { lease, token }: StoreHolder): JournalStore {
  const where = `the journal of ${target} in ${database.name}`;
  const whileOurs = `EXISTS (SELECT 1 FROM hostform.lease
    WHERE target = $2 AND token = $3 AND until > clock_timestamp() + interval '${leaseRules.margin} milliseconds' FOR SHARE)`;
  const setAside = `${target} set aside`;
  return {
    where,
    read: async () => {
      const rows = await database.query<{ text: string }>(
        "SELECT text FROM hostform.journal WHERE target = $1 ORDER BY line",
        [target],
      );
      return { parts: () => rows.map(({ text }) => Buffer.from(text)), draft: () => [] };
    },
    begin: async (beginning) => {
      let line = 0;
      let lastUnwaited = Promise.resolve<string | undefined>(undefined);
      const add = (text: string) =>
        orRefused(
          async () => {
            line += 1;
            const added = await database.query(
              line === 1
                ? `WITH gone AS (DELETE FROM hostform.journal WHERE target = $1 AND line > 1 AND ${whileOurs})
                   INSERT INTO hostform.journal (target, line, text) SELECT $1, 1, $4 WHERE ${whileOurs}
                   ON CONFLICT (target, line) DO UPDATE SET text = excluded.text RETURNING line`
                : `INSERT INTO hostform.journal (target, line, text) SELECT $1, ${line}, $4 WHERE ${whileOurs} RETURNING line`,
              [target, lease, token, text],
            );
            return added.length > 0 ? undefined : `this run does not hold the lease of ${target} any more`;
          },
          ({ message }) => message,
        );
      return {
        append: async (text) => (lastUnwaited = add(line === 0 ? beginning + text : text)),
        close: async () => {
          await lastUnwaited;
        },
      };
    },
    remove: async () => {
      await database.query(`DELETE FROM hostform.journal WHERE target = $1 AND ${whileOurs}`, [target, lease, token]);
    },
    setAside: async (now) => {
      await database.query("UPDATE hostform.journal SET target = $2 WHERE target = $1", [
        target,
        `${setAside} ${new Date(now).toISOString()}`,
      ]);
    },
    listAside: async () => {
      const rows = await database.query<{ target: string }>(
        "SELECT DISTINCT target FROM hostform.journal WHERE starts_with(target, $1) ORDER BY target",
        [`${setAside} `],
      );
      return rows.map((row) => `the journal ${row.target} in ${database.name}`);
    },
  };
}
