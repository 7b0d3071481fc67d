import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readJournal, type FoundJournal } from "../apply/journal/read-journal.ts";
import { takeLock, type Taken } from "../apply/journal/take-lock.ts";
import { writeJournal, type OpenJournal } from "../apply/journal/write-journal.ts";
import type { Begin, Intent, ReadJournal } from "../apply/journal/record.ts";
import { targetKey, type InventoryTarget } from "../inventory/target-key.ts";
import type { RunningApply } from "../model/inventory.ts";
import { describeRunner, lockOf, stalenessHere } from "../model/runner.ts";
import { exitCode, type ExitCode } from "./exit-code.ts";
import { InputError, inputError } from "./input-error.ts";
import type { Io } from "./io.ts";
import type { Output } from "./output.ts";
import { makeOwnFolder, ownFolder } from "./own-folder.ts";

export interface JournalOptions {
  /** `--journal` */
  readonly journal?: string | undefined;
}

/** The journal of a target, while this run alone may write it. */
export interface TargetJournal {
  readonly path: string;
  /** What an earlier apply has left. */
  readonly left: ReadJournal | undefined;
  /** Begins this run's own. Throws an InputError where the disk refuses. */
  readonly begin: (
    apply: { readonly plan?: string | undefined; readonly commit?: string | undefined },
    again: readonly Intent[],
  ) => Promise<OpenJournal>;
  /** Removes what an earlier apply has left. */
  readonly forget: () => Promise<void>;
}

/**
 * Keeps a second apply of the same target on this machine out for the length of `work`, and gives it the journal.
 * @param target undefined for a service that is gone after the command: then none is kept, for there is nothing to find out.
 */
export async function withJournal(
  options: JournalOptions,
  target: InventoryTarget | undefined,
  output: Output,
  io: Io,
  work: (journal: TargetJournal | undefined) => Promise<ExitCode>,
): Promise<ExitCode> {
  if (!target) return work(undefined);
  const key = targetKey(target);
  const path = options.journal ?? join(ownFolder, `${key}.journal`);
  const own = lockOf(io.runner, describeRunner(io.env, io.runner), io.now());
  const taken = await orRefuse(path, () => lock(options, path, own, io));
  if (taken.is === "held") {
    output.diagnostics([held(taken.by, `${path}.lock`)]);
    return exitCode.refused;
  }
  try {
    const found = await orRefuse(path, () => readJournal(path, key, io.now()));
    if (found.is === "bad") output.diagnostics([unreadable(path, found)]);
    return await work({
      path,
      left: found.is === "read" ? found.journal : undefined,
      begin: ({ plan, commit }, again) =>
        orRefuse(path, () => writeJournal(path, beginOf(key, own, plan, commit), again, io.now)),
      forget: () => rm(path, { force: true }),
    });
  } finally {
    await taken.release();
  }
}

async function lock({ journal }: JournalOptions, path: string, own: RunningApply, io: Io): Promise<Taken> {
  if (journal === undefined) makeOwnFolder();
  return takeLock(`${path}.lock`, {
    own,
    staleness: (other) => stalenessHere(other, io.runner, io.now()),
    newId: io.newId,
    sleep: io.sleep,
  });
}

function beginOf(target: string, own: RunningApply, plan: string | undefined, commit: string | undefined): Begin {
  const { until: _until, ...running } = own;
  const of = { ...(plan !== undefined && { plan }), ...(commit !== undefined && { commit }) };
  return { type: "begin", version: 1, target, ...of, ...running };
}

/** What the disk refuses ends a command before it has sent anything. */
async function orRefuse<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw inputError(
      "no_journal",
      `No journal can be kept in ${resolve(path)}: ${(error as Error).message}`,
      "nothing was changed, for what is cut off could not be told afterwards; name a file that can be written: --journal FILE",
    );
  }
}

const held = (by: RunningApply | undefined, path: string) => ({
  severity: "error" as const,
  code: "locked",
  summary: by
    ? `Another apply is running since ${by.since}, by ${by.by} (process ${by.pid} on ${by.host})`
    : `Another apply is running: ${path} is there, and does not tell whose`,
  detail: `no other apply of this target on this machine: ${path}`,
  hint: "wait for it; if it is surely dead, remove that file",
});

const unreadable = (path: string, { reason, kept }: Extract<FoundJournal, { is: "bad" }>) => ({
  severity: "warning" as const,
  code: "journal_unreadable",
  summary: `The journal ${path} cannot be read: ${reason}`,
  hint: `whether an earlier apply was cut off is not known from it; it is kept as ${kept}`,
});
