import type { Drift } from "../../model/drift.ts";
import type { Plan } from "../../model/plan.ts";
import type { Connection } from "../../postgres/connection.ts";
import type { AccountDetails, Board, BoardAccount, BoardState, HistoryEntry, OpenRun } from "../board.ts";
import type { Account, AccountState, Counts, Fleet, RunKind } from "../model.ts";
import { openRuns } from "./run-store.ts";

interface StateRow {
  readonly name: string;
  readonly state: AccountState;
  readonly why: string | null;
  readonly counts: Counts | null;
  readonly planned: Date | null;
  readonly applied: Date | null;
  readonly checked: Date | null;
  readonly drift_since: Date | null;
}

const iso = (date: Date | null | undefined) => date?.toISOString();

/** Reads what is known of accounts of a fleet. */
export async function readBoard(
  on: Connection,
  fleet: Pick<Fleet, "name">,
  accounts: readonly Account[],
): Promise<Board> {
  const rows = await on.query<StateRow>(
    `SELECT s.name, s.state, s.why, p.counts, s.planned, s.applied, s.checked, s.drift_since
     FROM hostform.account s LEFT JOIN hostform.run_account p ON p.run = s.plan AND p.account = s.name WHERE s.fleet = $1`,
    [fleet.name],
  );
  const [clock] = await on.query<{ now: Date }>("SELECT now()");
  const open = (await openRuns(on, fleet.name)).filter(({ state }) => state === "waiting" || state === "stopped");
  const counts = await on.query<{ run: string; account: string }>(
    "SELECT run, account FROM hostform.run_account WHERE run = ANY($1) AND state = 'changed'",
    [open.map(({ id }) => id)],
  );
  const waiting = new Set(counts.map(({ account }) => account));
  const known = new Map(rows.map((row) => [row.name, row]));
  return {
    fleet: fleet.name,
    madeAt: clock?.now.toISOString() ?? "",
    accounts: accounts.map((account) => boardAccount(account, known.get(account.name), waiting)),
    runs: open.map(({ id, kind, created, createdBy, hash, stopped, state }): OpenRun => ({
      id,
      kind,
      created,
      createdBy,
      state: state === "stopped" ? "stopped" : "waiting",
      accounts: counts.filter(({ run }) => run === id).length,
      ...(hash !== undefined && { hash }),
      ...(stopped && { stopped }),
    })),
  };
}

function boardAccount(
  { name, owner, group }: Account,
  row: StateRow | undefined,
  waiting: ReadonlySet<string>,
): BoardAccount {
  const state = boardState(row, waiting.has(name));
  const times = {
    driftSince: state === "drifted" ? iso(row?.drift_since) : undefined,
    planned: iso(row?.planned),
    applied: iso(row?.applied),
    driftChecked: iso(row?.checked),
  };
  return {
    name,
    owner,
    state,
    ...(group !== undefined && { group }),
    ...(row && row.why !== null && { why: row.why }),
    ...(row?.counts && { counts: row.counts }),
    ...(Object.fromEntries(Object.entries(times).filter(([, time]) => time !== undefined)) as typeof times),
  };
}

function boardState(row: StateRow | undefined, isWaiting: boolean): BoardState {
  if (!row) return "never";
  if (row.state === "changed" && isWaiting) return "waiting";
  if (row.drift_since && (row.state === "clean" || row.state === "applied")) return "drifted";
  return row.applied === null && row.state === "changed" ? "never" : row.state;
}

/** Reads the last plan, the last drift and the runs of one account, of which `most` are shown. */
export async function readDetails(on: Connection, fleet: string, account: string, most = 50): Promise<AccountDetails> {
  const [last] = await on.query<{ plan: string | null; drift: string | null }>(
    `SELECT p.shown AS plan, d.shown AS drift FROM hostform.account a
     LEFT JOIN hostform.run_account p ON p.run = a.plan AND p.account = a.name
     LEFT JOIN hostform.run_account d ON d.run = a.drift AND d.account = a.name WHERE a.fleet = $1 AND a.name = $2`,
    [fleet, account],
  );
  return {
    ...(last && last.plan !== null && { plan: JSON.parse(last.plan) as Plan }),
    ...(last && last.drift !== null && { drift: JSON.parse(last.drift) as Drift }),
    history: await readHistory(on, fleet, account, most),
  };
}

interface HistoryRow {
  readonly run: string;
  readonly kind: RunKind;
  readonly at: Date;
  readonly by: string;
  readonly state: AccountState;
  readonly ending: HistoryEntry["ending"] | null;
  readonly counts: Counts | null;
  readonly why: string | null;
}

/** Reads the runs of one account, the newest first. */
export async function readHistory(
  on: Connection,
  fleet: string,
  account: string,
  most: number,
): Promise<readonly HistoryEntry[]> {
  const rows = await on.query<HistoryRow>(
    `SELECT a.run, r.kind, coalesce(a.ended, r.created) AS at, r.created_by AS by, a.state, a.ending, a.counts, a.why
     FROM hostform.run_account a JOIN hostform.run r ON r.id = a.run
     WHERE r.fleet = $1 AND a.account = $2 ORDER BY r.created DESC LIMIT ${most}`,
    [fleet, account],
  );
  return rows.map(({ run, kind, at, by, state, ending, counts, why }) => ({
    run,
    kind,
    at: at.toISOString(),
    by,
    state,
    ...(ending !== null && { ending }),
    ...(counts && { counts }),
    ...(why !== null && { why }),
  }));
}
