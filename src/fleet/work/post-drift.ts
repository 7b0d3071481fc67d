import type { Session } from "../../engine/session/host.ts";
import { notify } from "../../engine/session/notify.ts";
import type { Database } from "../../postgres/connection.ts";

/** Any number that no other program locks: one worker posts at a time. */
const postLock = 7_081_426_003;

/**
 * Posts how many accounts of a fleet have drifted of which that was not posted: one that is clean again begins anew. Where it fails, that is
 * a warning, and the next call posts them.
 */
export async function postDrift(
  database: Database,
  fleet: string,
  url: URL,
  io: Pick<Session, "env" | "mask" | "emit">,
): Promise<void> {
  await database.transaction(async (on) => {
    const [turn] = await on.query<{ mine: boolean }>("SELECT pg_try_advisory_xact_lock($1) AS mine", [postLock]);
    if (turn?.mine !== true) return;
    const fresh = await on.query<{ name: string; drift_hash: string }>(
      "SELECT name, drift_hash FROM hostform.account WHERE fleet = $1 AND drift_hash IS DISTINCT FROM drift_posted AND drift_hash IS NOT NULL",
      [fleet],
    );
    if (fresh.length === 0) return;
    let isPosted = true;
    const emit: Session["emit"] = (event) => {
      isPosted = event.type !== "not_notified";
      io.emit(event);
    };
    const counts = { drifted_accounts: fresh.length };
    await notify(url, { command: "drift", ending: "changes", counts, hash: undefined }, { ...io, emit });
    if (!isPosted) return;
    await on.query(
      `UPDATE hostform.account a SET drift_posted = t.drift_hash FROM jsonb_to_recordset($2) AS t(name text, drift_hash text)
       WHERE a.fleet = $1 AND a.name = t.name`,
      [fleet, JSON.stringify(fresh)],
    );
  });
}
