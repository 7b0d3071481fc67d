import { prepareStatement, type Database } from "./database.ts";

/** Answers are given again for a day. */
const replayMs = 24 * 60 * 60 * 1000;

export interface Replay {
  readonly requestHash: string;
  /** The stored answer, as JSON. */
  readonly answer: string;
}

/** Answers kept by API key and `Idempotency-Key`. */
export interface Replays {
  readonly find: (keyId: string, idempotencyKey: string, now: number) => Replay | undefined;
  readonly keep: (keyId: string, idempotencyKey: string, replay: Replay, now: number) => void;
}

/** Opens the kept answers, and drops those that have become too old; `now` in ms since 1970. */
export function openReplays(database: Database, now: number): Replays {
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
