import { randomUUID } from "node:crypto";
import { inputError, InputError } from "../engine/session/input-error.ts";
import type { Host } from "../engine/session/host.ts";
import { matchesGlob } from "../model/glob.ts";
import { isHash, shortHash } from "../lib/short-hash.ts";
import type { Connection, Database } from "../postgres/connection.ts";
import type { Job, Queue } from "../postgres/queue.ts";
import type { RunStarted } from "./events.ts";
import { readDigest } from "./file/digest.ts";
import type { Account, Fleet, Run, RunKind, RunOptions } from "./model.ts";
import {
  addRun,
  approvedRunOf,
  digestsOf,
  doneRunOf,
  giveUpMissing,
  openRuns,
  planRunOf,
  type NewAccount,
} from "./store/run-store.ts";

/** The choice of accounts of a fleet; without any, all. */
export interface Selection {
  readonly group: readonly string[];
  readonly owner: readonly string[];
  /** Names of accounts; `*` matches any text. */
  readonly only: readonly string[];
}

export interface RunRequest {
  readonly kind: RunKind;
  readonly selection: Selection;
  readonly options: RunOptions;
  /** The hash of a run of plans that was approved. */
  readonly approve?: string | undefined;
}

const matches = (patterns: readonly string[], text: string | undefined) =>
  patterns.length === 0 || patterns.some((pattern) => text !== undefined && matchesGlob(pattern, text));

/** Returns the accounts that are meant. Throws an InputError where something that was named is nowhere. */
export function selectAccounts({ accounts }: Fleet, { group, owner, only }: Selection): readonly Account[] {
  const all = [
    ["--group", group, (account: Account) => account.group],
    ["--owner", owner, (account: Account) => account.owner],
    ["--only", only, (account: Account) => account.name],
  ] as const;
  for (const [flag, patterns, of] of all)
    for (const pattern of patterns)
      if (!accounts.some((account) => matches([pattern], of(account))))
        throw noSuchAccount(`${flag} ${pattern}: no account of the fleet has that`);
  const selected = accounts.filter((account) => all.every(([, patterns, of]) => matches(patterns, of(account))));
  const given = all.flatMap(([flag, patterns]) => patterns.map((pattern) => `${flag} ${pattern}`));
  if (selected.length === 0 && given.length > 0)
    throw noSuchAccount(`${given.join(" ")}: no account of the fleet has all of that`);
  return selected;
}

const noSuchAccount = (summary: string) =>
  inputError("no_such_account", summary, "hostform fleet status shows the accounts");

/** Begins a run, or finds the one of the same request that has not ended: it is gone on with. */
export async function startRun(
  { database, queue }: { readonly database: Database; readonly queue: Queue },
  fleet: Fleet,
  request: RunRequest,
  { newId, by }: Pick<Host, "newId"> & { readonly by: string },
): Promise<Omit<RunStarted, "type" | "kind">> {
  const { kind, options, approve } = request;
  const chosen = await chosenBy(database, fleet, request);
  const selection = JSON.stringify([chosen, options]);
  const accounts = selectAccounts(fleet, chosen);
  const added = await Promise.all(accounts.map((account) => newAccount(fleet, account)));
  return database.transaction(async (on) => {
    await on.query("SELECT pg_advisory_xact_lock(hashtext($1))", [`hostform run ${fleet.name}`]);
    const started = async (run: string, resumed: boolean, from?: Run) => {
      const plans = from && {
        run: from.id,
        created: from.created,
        newer: othersThan(await digestsOf(on, from.id), added),
      };
      return { run, accounts: accounts.length, resumed, ...(plans && { plans }) };
    };
    const open = (await openRuns(on, fleet.name)).filter((run) => run.kind === kind);
    const named = open.filter(hasHash(approve));
    const same = named.find((run) => run.selection === selection);
    if (same && (approve !== undefined || !(await isOutdated(on, same, added)))) {
      await giveUpMissing(on, same, fleet);
      return started(same.id, true, same);
    }
    if (same) await on.query("UPDATE hostform.run SET state = 'cancelled', dirty = true WHERE id = $1", [same.id]);
    else if (approve !== undefined && named[0]) throw otherFlags(named[0]);
    const names = accounts.map(({ name }) => name);
    const ended =
      approve === undefined ? undefined : await doneRunOf(on, fleet.name, selection, names, hasHash(approve));
    if (ended) return started(ended.id, true);
    const approved = kind === "apply" ? await plannedRun(on, fleet, { ...request, selection: chosen }) : undefined;
    const id = newId().slice(0, 8);
    await addRun(on, { id, kind, fleet: fleet.name, createdBy: by, options, selection }, added, approved?.id);
    const jobOf = ({ account, owner }: NewAccount) =>
      newJob(fleet, { run: id, account, owner, kind: kind === "drift" ? "drift" : "plan" });
    if (!approved) await queue.enqueue(on, added.map(jobOf));
    return started(id, false, approved);
  });
}

const isPlain = (given: object): boolean =>
  Object.values(given).every(
    (value) => value === undefined || value === false || (Array.isArray(value) && value.length === 0),
  );

const hasHash =
  (given: string | undefined) =>
  ({ hash = "" }: Pick<Run, "hash">): boolean =>
    given === undefined || isHash(given, hash);

/** Returns the choice of accounts of a request. Without one, a hash stands for that of the run whose plans have it. */
async function chosenBy(
  on: Connection,
  { name }: Fleet,
  { selection, options, approve }: RunRequest,
): Promise<Selection> {
  if (approve === undefined || !isPlain(selection)) return selection;
  const asked = JSON.stringify([selection, options]);
  if ((await openRuns(on, name)).filter(hasHash(approve)).some((run) => run.selection === asked)) return selection;
  const planned = await planRunOf(on, name, hasHash(approve));
  return planned ? (JSON.parse(planned.selection) as [Selection])[0] : selection;
}

/**
 * Returns the plans of the run that was stopped last, or that goes on since; of those with the accounts and the flags that are asked for, if any
 * are. Accounts that the fleet does not have any more are given up in it. Throws an InputError without one.
 */
export async function stoppedRun(
  on: Connection,
  fleet: Fleet,
  { selection, options, approve }: RunRequest,
): Promise<NonNullable<RunStarted["plans"]>> {
  const stopped = (await openRuns(on, fleet.name)).filter(({ state, continued }) => state === "stopped" || continued);
  const asked = JSON.stringify([selection, options]);
  const isAny = isPlain({ ...selection, ...options });
  const found = stopped.filter(hasHash(approve)).find((run) => isAny || run.selection === asked);
  if (found) {
    await giveUpMissing(on, found, fleet);
    const digests = await digestsOf(on, found.id, "unended");
    const rest = fleet.accounts.filter(({ name }) => digests.has(name));
    const now = await Promise.all(rest.map((account) => newAccount(fleet, account)));
    return { run: found.id, created: found.created, newer: othersThan(digests, now) };
  }
  if (stopped[0]) throw otherFlags(stopped[0]);
  throw inputError(
    "not_stopped",
    `--continue goes on with a run that is stopped, and no run of the fleet ${fleet.name} is`,
    "leave --continue out; hostform fleet status shows the runs that wait",
  );
}

/** Whether a run that has changed nothing yet is about other accounts, or other texts of their manifests, than are there now. */
async function isOutdated(on: Connection, { id, state }: Run, now: readonly NewAccount[]): Promise<boolean> {
  if (state !== "planning" && state !== "waiting") return false;
  const digests = await digestsOf(on, id);
  return digests.size !== now.length || othersThan(digests, now).length > 0;
}

/** Returns the accounts whose manifests are others than those of the digests. */
const othersThan = (digests: Awaited<ReturnType<typeof digestsOf>>, now: readonly NewAccount[]): readonly string[] =>
  now.filter(({ account, digest }) => digests.get(account) !== digest).map(({ account }) => account);

const otherFlags = ({ id }: Run) =>
  inputError(
    "other_flags",
    `Run ${id} has not ended, and it was begun for other accounts or with other flags, or has other plans, than these`,
    `to go on with it, give the flags it was begun with; to give it up: hostform fleet cancel ${id}`,
  );

/** A job of an account: its lease is of the account, whatever it plans to do. */
export const newJob = ({ name }: Pick<Fleet, "name">, job: Pick<Job, "run" | "account" | "owner" | "kind">): Job => ({
  ...job,
  id: randomUUID(),
  target: targetOf(name, job.account),
});

/** The key of an account's lease: two fleets of one database may have accounts of the same name. */
export const targetOf = (fleet: string, account: string): string => `${fleet}/${account}`;

async function newAccount(fleet: Fleet, account: Account): Promise<NewAccount> {
  const { name, owner, group, needs } = account;
  // A manifest that cannot be read is a mistake of its account alone: the job that plans it says so.
  const digest = await readDigest(fleet, account).catch((error: unknown) => {
    if (!(error instanceof InputError)) throw error;
    return undefined;
  });
  return { account: name, owner, group, needs, digest };
}

/**
 * Returns the run of plans that is applied: that of the hash, or the one that was approved since the last apply. Throws an InputError where no
 * run has the hash.
 */
async function plannedRun(
  on: Connection,
  { name }: Fleet,
  { approve, selection }: RunRequest,
): Promise<Run | undefined> {
  if (approve === undefined) return approvedRunOf(on, name, JSON.stringify(selection));
  const found = await planRunOf(on, name, hasHash(approve));
  if (found) return found;
  throw inputError(
    "no_such_plan",
    `No run of plans of the fleet ${name} has the hash ${shortHash(approve)}`,
    "run hostform fleet plan, and take the hash that it shows",
  );
}
