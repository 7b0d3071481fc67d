import { hash } from "node:crypto";
import { addTo } from "../../lib/collect.ts";
import type { AccountState, Counts, Run, RunAccount, StopReason } from "../model.ts";
import { formWaves } from "./waves.ts";

/** A run with all of its accounts. */
export interface RunStatus {
  readonly run: Run;
  readonly accounts: readonly RunAccount[];
}

/** The accounts whose windows are shut, each with a sentence of when it opens. */
export type Shut = ReadonlyMap<string, string>;

const failed: ReadonlySet<AccountState> = new Set(["failed", "refused"]);
const unlike: ReadonlySet<AccountState> = new Set(["moved", "left_out"]);
/** An account in one of these states has changes to apply, and no job yet. */
const pending: ReadonlySet<AccountState> = new Set(["changed", "later"]);
/** A job is to do or under way. */
const busy: ReadonlySet<AccountState> = new Set(["queued", "running"]);

const isBad = ({ state }: RunAccount) => failed.has(state) || unlike.has(state) || state === "not_converged";

/**
 * Returns what follows from the states of a run and of its accounts. An account that becomes `queued` is to get a job: to plan it in a run
 * that is `planning`, else to apply its plan. The job of one that is not `queued` any more is to be withdrawn. Accounts that stay as they
 * are stay the same objects. To ask again changes nothing until an account, the approval or a window does. Linear in the accounts times
 * the waves.
 *
 * A new run begins with each account `queued`. A run that waits goes on once `approved` has its hash. An account that needs itself, also
 * through others, would never begin.
 */
export function advance(status: RunStatus, shut: Shut): RunStatus {
  let [before, after] = [status, step(status, shut)];
  while (after !== before) [before, after] = [after, step(after, shut)];
  return after;
}

/** Returns a stopped run as it goes on: what stopped it does not stop it again. */
export const continueRun = ({ stopped, ...run }: Run): Run =>
  stopped ? { ...run, state: stopped.wave === undefined ? "planning" : "applying", continued: stopped } : run;

/** Whether nothing of a run is to be approved, or given up, any more. A run of plans that has ended is not over: an apply would take its plans. */
export const isOver = ({ run, accounts }: RunStatus): boolean =>
  run.state === "cancelled" ||
  (run.state === "done" &&
    (run.kind !== "plan" || run.isTaken === true || !accounts.some(({ state }) => state === "changed")));

export const cancelRun = ({ run, accounts }: RunStatus): RunStatus => ({
  run: { ...run, state: "cancelled" },
  accounts,
});

function step(status: RunStatus, shut: Shut): RunStatus {
  const { run, accounts } = status;
  switch (run.state) {
    case "planning":
      return accounts.some(({ state }) => busy.has(state)) ? status : afterPlanning(leaveOut(status));
    case "waiting":
      return run.approved !== undefined && run.approved.hash === run.hash ? firstWave(leaveOut(status)) : status;
    case "applying":
      return applyWave(block(status), shut);
    case "stopped":
      return stop(status);
    case "cancelled":
      // The findings of a run of plans stay true.
      return replace(status, (account) =>
        account.state === "queued" || (run.kind === "apply" && pending.has(account.state))
          ? { ...account, state: "cancelled" }
          : account,
      );
    case "done":
      return status;
  }
}

function afterPlanning({ run, accounts }: RunStatus): RunStatus {
  const reason = run.kind === "apply" ? stopReason(run, accounts) : undefined;
  if (reason) return { run: { ...run, state: "stopped", stopped: reason }, accounts };
  const hasChanges = accounts.some(({ state }) => state === "changed");
  const state = hasChanges && run.kind === "apply" ? "waiting" : "done";
  const hash = run.kind === "drift" ? {} : { hash: fleetPlanHash(accounts) };
  return { run: { ...run, state, ...hash }, accounts };
}

/** Leaves out accounts with more deletions than the run allows: also of plans that were made, and approved, before it. */
const leaveOut = (status: RunStatus): RunStatus =>
  replace(status, (account) => {
    const { state, counts } = account;
    if (state !== "changed" || !counts || !isSurprise(counts, status.run.options.surprise)) return account;
    const why = `it would delete ${counts.delete + counts.replace}, more than --surprise allows`;
    return { ...account, state: "left_out", why };
  });

function firstWave({ run, accounts }: RunStatus): RunStatus {
  const changed = accounts.filter(({ state }) => state === "changed");
  const waves = formWaves(changed, run.options.waves);
  return replace({ run: { ...run, state: "applying", wave: 0 }, accounts }, (account) => {
    const wave = waves.get(account.account);
    return wave === undefined ? account : { ...account, wave };
  });
}

/** Blocks the accounts that need one that was not applied, also through others. */
function block(status: RunStatus): RunStatus {
  const { accounts } = status;
  const dependents = new Map<string, string[]>();
  for (const { account, state, needs } of accounts)
    if (pending.has(state)) for (const need of needs) addTo(dependents, need, account);
  const lost = accounts.filter((each) => isBad(each) || each.state === "blocked");
  const causes = new Map<string, string>();
  const causing = lost.map(({ account }) => account);
  for (const cause of causing)
    for (const account of dependents.get(cause) ?? []) {
      if (causes.has(account)) continue;
      causes.set(account, cause);
      causing.push(account);
    }
  return replace(status, (account) => {
    const cause = causes.get(account.account);
    return cause === undefined
      ? account
      : { ...account, state: "blocked", why: `it needs ${cause}, which was not applied` };
  });
}

function applyWave(status: RunStatus, shut: Shut): RunStatus {
  const { run, accounts } = status;
  const members = accounts.filter(({ wave }) => wave === run.wave);
  const reason = stopReason(run, members, run.wave);
  if (reason) return stop({ run: { ...run, state: "stopped", stopped: reason }, accounts });
  if (members.some(({ state }) => busy.has(state) || pending.has(state))) return enqueue(status, shut);
  const isLast = accounts.every(({ wave = 0 }) => wave <= run.wave);
  return { run: isLast ? { ...run, state: "done" } : { ...run, wave: run.wave + 1 }, accounts };
}

function enqueue(status: RunStatus, shut: Shut): RunStatus {
  const unfinished = new Set(
    status.accounts.filter(({ state }) => busy.has(state) || pending.has(state)).map(({ account }) => account),
  );
  return replace(status, (account) => {
    const { state, wave, needs, why } = account;
    if (wave !== status.run.wave || !pending.has(state) || needs.some((need) => unfinished.has(need))) return account;
    const reason = shut.get(account.account);
    const { why: _, ...rest } = account;
    if (reason === undefined) return { ...rest, state: "queued" };
    return state === "later" && why === reason ? account : { ...rest, state: "later", why: reason };
  });
}

/** Withdraws what is queued, and counts the accounts that end after the run was stopped. */
function stop(status: RunStatus): RunStatus {
  const { run } = status;
  const { wave } = run.stopped ?? {};
  const members = wave === undefined ? status.accounts : status.accounts.filter((each) => each.wave === wave);
  const reason = reasonOf(members, wave);
  const isKnown = run.stopped !== undefined && countOf(reason) === countOf(run.stopped);
  const next = isKnown ? status : { ...status, run: { ...run, stopped: reason } };
  return replace(next, (account) =>
    account.state === "queued" || account.state === "later" ? { ...account, state: "changed" } : account,
  );
}

/** Returns why accounts stop a run: their share of those that ended badly since it went on is at or above the one that it may have. */
function stopReason(
  { options, continued }: Run,
  members: readonly RunAccount[],
  wave?: number,
): StopReason | undefined {
  const reason = reasonOf(members, wave);
  const known = continued && continued.wave === wave ? countOf(continued) : 0;
  const count = countOf(reason) - known;
  // 7 % of 100 are 7.000000000000001 in binary numbers; and without failures even a share of 0 is not reached.
  const isReached = options.stopAt !== undefined && count > 0 && count >= options.stopAt * members.length - 1e-9;
  return isReached ? reason : undefined;
}

function reasonOf(members: readonly RunAccount[], wave?: number): StopReason {
  const named = (is: (state: AccountState) => boolean) =>
    members.filter(({ state }) => is(state)).map(({ account }) => account);
  return {
    ...(wave !== undefined && { wave }),
    accounts: members.length,
    failed: named((state) => failed.has(state)),
    notConverged: named((state) => state === "not_converged"),
    unlike: named((state) => unlike.has(state)),
  };
}

const countOf = ({ failed, notConverged, unlike }: StopReason) => failed.length + notConverged.length + unlike.length;

/** Returns the status with other accounts; the same where none is another. */
function replace(status: RunStatus, change: (account: RunAccount) => RunAccount): RunStatus {
  const accounts = status.accounts.map(change);
  return accounts.every((account, index) => account === status.accounts[index]) ? status : { ...status, accounts };
}

/**
 * Returns the hash of a fleet's plan: over the names of its accounts with changes and the hashes of their plans, in one order, as `sha256:`
 * and 64 digits. Accounts without changes are not in it, so that one more of them lifts no approval.
 */
export function fleetPlanHash(accounts: readonly Pick<RunAccount, "account" | "planHash" | "state">[]): string {
  const lines = accounts
    .filter(({ state }) => state === "changed")
    .map(({ account, planHash = "" }) => JSON.stringify([account, planHash]))
    .sort();
  return `sha256:${hash("sha256", lines.join("\n"))}`;
}

/** Returns whether an account has more deletions than a run allows. A replacement deletes, too. */
export const isSurprise = (counts: Counts, surprise = Infinity): boolean => counts.delete + counts.replace > surprise;
