import { parseLease, type Register } from "../../state/lease/register.ts";
import { orRefused, type Database } from "../connection.ts";

/** Milliseconds. A worker that died is noticed after this time, so it is shorter than between machines that share no clock. */
export const leaseRules = { length: 40_000, margin: 5_000, renewEvery: 10_000 };

/** The user of the stores of an account: one run of it. */
export interface StoreHolder {
  /** The name of the lease that it holds. */
  readonly lease: string;
  /** A UUID: what it writes is taken only while the lease has this token. */
  readonly token: string;
  readonly newId: () => string;
}

/**
 * The register of a lease in a row of the database, whose clock says when a content has run out. Only the holder of its token replaces one
 * that has not: a worker has the token of its job, any other run one of its own.
 */
export function leaseRegister(database: Database, { lease, token, newId }: StoreHolder, rules = leaseRules): Register {
  const until = `clock_timestamp() + interval '${rules.length} milliseconds'`;
  const texts = new Map<string, string>();
  return {
    rules,
    read: async () => {
      const [row] = await database.query<{ version: string; content: string | null; is_free: boolean }>(
        `SELECT version, content, until < clock_timestamp() OR (token = $2 AND content IS NULL) AS is_free
         FROM hostform.lease WHERE target = $1`,
        [lease, token],
      );
      if (!row) return { is: "read", version: "", text: undefined };
      return { is: "read", version: row.version, text: row.content ?? undefined, isFree: row.is_free };
    },
    prepare: async (text) => {
      const version = newId();
      texts.set(version, text);
      return { version };
    },
    swap: (version, over) => {
      const text = texts.get(version) ?? "";
      texts.delete(version);
      const { free = false, cleared = false } = parseLease(text) ?? {};
      return orRefused(
        async () => {
          // A token is not needed by --unlock, which frees the lease of another run.
          const swapped = await database.query(
            over === ""
              ? `INSERT INTO hostform.lease (target, version, content, token, until)
                 VALUES ($1, $2, $3, $4, CASE WHEN $5 THEN clock_timestamp() ELSE ${until} END)
                 ON CONFLICT (target) DO NOTHING RETURNING 1`
              : `UPDATE hostform.lease SET version = $2, content = $3, token = CASE WHEN $7 THEN NULL ELSE $4::uuid END,
                   until = CASE WHEN $5 AND (job IS NULL OR $7) THEN clock_timestamp() ELSE ${until} END
                 WHERE target = $1 AND version = $6 AND ($7 OR token = $4 OR until < clock_timestamp()) RETURNING 1`,
            over === "" ? [lease, version, text, token, free] : [lease, version, text, token, free, over, cleared],
          );
          return swapped.length > 0 ? { is: "done" } : { is: "rejected" };
        },
        ({ isLost, message }) => ({ is: isLost ? "unknown" : "refused", reason: message }),
      );
    },
  };
}
