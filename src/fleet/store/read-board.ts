import { addTo } from "../../lib/collect.ts";
import type { Connection } from "../../postgres/connection.ts";
import type { AccountDetails, Board, BoardAccount, BoardState, HistoryEntry, OpenRun } from "../board.ts";
import type { Account, AccountState, Fleet } from "../model.ts";
import { readRows } from "./run-store.ts";

interface KnownAccount extends Omit<BoardAccount, "state" | "owner" | "group"> {
  /** Of its last plan or apply; of its last check for drift where that failed since. */
  readonly state?: AccountState;
  /** The run in which its plan waits for approval. */
  readonly waitsIn?: string;
}

/** Reads what is known of accounts of a fleet. */
export async function readBoard(
  on: Connection,
  fleet: Pick<Fleet, "name" | "accounts">,
  accounts: readonly Account[],
): Promise<Board> {
  const rows = await readRows<KnownAccount>(
    on,
    `SELECT s.name, CASE WHEN f.is THEN s.state ELSE p.state END AS state, CASE WHEN f.is THEN s.why ELSE p.why END AS why, p.counts,
       s.planned, s.applied, s.checked AS "driftChecked", s.drift_since AS "driftSince",
       CASE WHEN p.state = 'changed' AND (r.state = 'waiting' OR r.kind = 'plan' AND r.state <> 'cancelled') AND r.approved_hash IS DISTINCT FROM r.hash THEN r.id END AS "waitsIn"
     FROM hostform.account s LEFT JOIN hostform.run_account p ON p.run = s.plan AND p.account = s.name LEFT JOIN hostform.run r ON r.id = p.run
       CROSS JOIN LATERAL (SELECT s.state IN ('failed', 'refused') AND s.checked > coalesce(greatest(s.planned, s.applied), '-infinity') AS is) f
     WHERE s.fleet = $1`,
    [fleet.name],
  );
  const [clock] = await on.query<{ now: Date }>("SELECT now()");
  const known = new Map(rows.map((row) => [row.name, row]));
  const waiting = new Map<string, string[]>();
  for (const { name } of fleet.accounts) {
    const run = known.get(name)?.waitsIn;
    if (run !== undefined) addTo(waiting, run, name);
  }
  return {
    fleet: fleet.name,
    madeAt: clock?.now.toISOString() ?? "",
    accounts: accounts.map((account) => boardAccount(account, known.get(account.name))),
    runs: await readOpenRuns(on, fleet.name, waiting),
  };
}

/**
 * Reads the runs that a person has to decide on, and those of plans that wait, the newest first. The checks of a watch are always under way.
 * @param waiting the accounts whose plans wait for approval, by the run of the plan.
 */
async function readOpenRuns(
  on: Connection,
  fleet: string,
  waiting: ReadonlyMap<string, readonly string[]>,
): Promise<readonly OpenRun[]> {
  const rows = await readRows<OpenRun & { isOver: boolean }>(
    on,
    `SELECT id, kind, created, created_by AS "createdBy", hash, stopped, CASE state WHEN 'done' THEN 'waiting' ELSE state END AS state, state = 'done' AS "isOver",
       (SELECT count(*)::int FROM hostform.run_account WHERE run = r.id AND state IN ('queued', 'running', 'changed', 'later')
         AND (state = 'changed' OR r.state IN ('planning', 'applying'))) AS accounts
     FROM hostform.run r WHERE fleet = $1
       AND (state = 'stopped' OR kind <> 'drift' AND state IN ('planning', 'applying')
         OR state = 'waiting' AND approved_hash IS DISTINCT FROM hash OR id = ANY($2)) ORDER BY created DESC`,
    [fleet, [...waiting.keys()]],
  );
  // Later runs may have planned others of its accounts anew.
  return rows.map(({ isOver, ...run }) => (isOver ? { ...run, accounts: waiting.get(run.id)?.length ?? 0 } : run));
}

function boardAccount({ name, owner, group }: Account, found: KnownAccount = { name }): BoardAccount {
  const { waitsIn: _, driftSince, ...known } = found;
  const state = boardState(found);
  return {
    ...known,
    owner,
    ...(group !== undefined && { group }),
    state,
    ...(state === "drifted" && driftSince !== undefined && { driftSince }),
  };
}

function boardState({ state, applied, driftSince, waitsIn }: KnownAccount): BoardState {
  if (state === "changed" && waitsIn !== undefined) return "waiting";
  const isSettled = state === undefined || state === "clean" || state === "applied";
  if (driftSince !== undefined && isSettled) return "drifted";
  const isOpen = state === undefined || state === "changed" || state === "cancelled";
  return isOpen && applied === undefined ? "never" : (state ?? "applied");
}

/** Reads the last plan, the last drift and the newest 50 runs of accounts, in the order given. */
export async function readDetails(
  on: Connection,
  fleet: string,
  accounts: readonly string[],
): Promise<readonly AccountDetails[]> {
  const rows = await readRows<Omit<AccountDetails, "history"> & { name: string }>(
    on,
    `SELECT a.name, p.shown AS plan, d.shown AS drift FROM hostform.account a
     LEFT JOIN hostform.run_account p ON p.run = a.plan AND p.account = a.name
     LEFT JOIN hostform.run_account d ON d.run = a.drift AND d.account = a.name WHERE a.fleet = $1 AND a.name = ANY($2)`,
    [fleet, accounts],
  );
  const last = new Map(rows.map(({ name, ...details }) => [name, details]));
  const histories = await readHistories(on, fleet, accounts, 50);
  return accounts.map((name) => ({ ...last.get(name), history: histories.get(name) ?? [] }));
}

/** Reads the runs of accounts, the newest first, `most` of each. */
export async function readHistories(
  on: Connection,
  fleet: string,
  accounts: readonly string[],
  most: number,
): Promise<ReadonlyMap<string, readonly HistoryEntry[]>> {
  const rows = await readRows<HistoryEntry & { account: string }>(
    on,
    `SELECT n AS account, run, kind, at, by, state, ending, counts, why FROM unnest($2::text[]) n CROSS JOIN LATERAL (
       SELECT a.run, r.kind, coalesce(a.ended, r.created) AS at, r.created_by AS by, a.state, a.ending, a.counts, a.why, r.created
       FROM hostform.run_account a JOIN hostform.run r ON r.id = a.run
       WHERE r.fleet = $1 AND a.account = n ORDER BY r.created DESC LIMIT ${most}
     ) h ORDER BY at DESC`,
    [fleet, accounts],
  );
  const histories = new Map<string, HistoryEntry[]>();
  for (const { account, ...entry } of rows) addTo(histories, account, entry);
  return histories;
}
