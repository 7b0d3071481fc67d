import type { Account } from "./account.ts";
import { eventsOf, exits, type Ran, runInProcess } from "./run-hostform.ts";

/** Commands that are run against the account of a test file, in this process. */
export interface AccountCommands {
  readonly run: (args: readonly string[]) => Promise<Ran>;
  /** Runs a command that must succeed. */
  readonly done: (args: readonly string[]) => Promise<Ran>;
}

/** @param account gives the account, which a test file opens before its first test. */
export function commandsOf(account: () => Account, secrets: Record<string, string> = {}): AccountCommands {
  const run = (args: readonly string[]) => runInProcess(account(), args, secrets);
  const done = async (args: readonly string[]) => exits(0, await run(args));
  return { run, done };
}

/** Returns the flags that consent to everything for which a run with `--json` was refused. */
export const consentsTo = (refused: Ran): string[] =>
  eventsOf(refused).flatMap(({ type, flag, address }) =>
    type === "refused" && typeof flag === "string" ? [flag, String(address)] : [],
  );
