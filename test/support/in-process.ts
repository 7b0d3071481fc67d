import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { runCommandLine } from "../../src/cli/command-line.ts";
import type { OuterIo } from "../../src/cli/io.ts";
import type { Account } from "./account.ts";
import type { Ran } from "./run-hostform.ts";

/** For commands that need no account. */
export const noAccount = { flags: [], env: {} } as const;

/** Runs a command line in this process, over the same HTTPS: for tests that run hundreds, or that bring a clock of their own. */
export async function runInProcess(
  account: Pick<Account, "flags" | "env">,
  args: readonly string[],
  env: Record<string, string> = {},
  world: Partial<
    Pick<
      OuterIo,
      | "readStdin"
      | "columnsToErase"
      | "now"
      | "awake"
      | "elapsed"
      | "sleep"
      | "every"
      | "onInterrupt"
      | "interactive"
      | "ask"
      | "runner"
    >
  > = {},
  onOutput?: (stdout: string) => void,
): Promise<Ran & { readonly printed: string }> {
  /** Both streams, as a terminal gets them. */
  let printed = "";
  let stdout = "";
  let stderr = "";
  const status = await runCommandLine([...args, ...account.flags], {
    env: { ...account.env, ...env },
    write: (text) => {
      stdout += text;
      printed += text;
      onOutput?.(stdout);
    },
    writeError: (text) => {
      stderr += text;
      printed += text;
    },
    readStdin: async () => new Uint8Array(),
    interactive: false,
    color: false,
    // Sentences that tests look for are not broken into lines.
    width: Number(env["COLUMNS"] ?? 2000),
    ask: async () => "",
    onInterrupt: () => undefined,
    now: Date.now,
    awake: () => performance.now(),
    elapsed: () => performance.now(),
    random: Math.random,
    // It rejects only because it has ended early.
    sleep: (milliseconds, stop) =>
      wait(milliseconds, undefined, { ...(stop && { signal: stop }) }).catch(() => undefined),
    every: () => () => undefined,
    newId: randomUUID,
    runner: { user: "tester", host: "here", pid: process.pid, processMark: () => "" },
    ...world,
  });
  return { status, stdout, stderr, printed };
}
