import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "vitest";
import { runCommandLine } from "../../src/cli/command-line.ts";
import type { OuterIo } from "../../src/cli/io.ts";
import type { Account } from "./account.ts";

/** The built binary. */
export const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Kill = (signal: NodeJS.Signals) => void;

/** Runs the built binary as a user does, without a terminal. `onStart` gets what signals it; `onOutput` sees what it has printed so far, and may signal it. */
export function runHostform(
  args: readonly string[],
  {
    env = {},
    cwd,
    stdin = "",
    onStart,
    onOutput,
  }: {
    env?: Record<string, string>;
    cwd?: string;
    stdin?: string | Buffer;
    onStart?: (kill: Kill) => void;
    onOutput?: (stdout: string, kill: Kill) => void;
  } = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [cli, ...args], {
      cwd,
      env: { PATH: process.env["PATH"] ?? "", COLUMNS: "2000", ...env },
    });
    onStart?.((signal) => child.kill(signal));
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      onOutput?.(stdout, (signal) => child.kill(signal));
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, stdout, stderr }));
    child.stdin.on("error", () => undefined);
    child.stdin.end(stdin);
  });
}

/** For commands that need no account. */
export const noAccount = { flags: [], env: {} } as const;

/**
 * Runs a command line in this process, over the same HTTPS: for tests that run hundreds, or that bring a clock of their own.
 * `cwd`: the working folder meanwhile; default: that of this process.
 */
export async function runInProcess(
  { flags, env: own, cwd }: Pick<Account, "flags" | "env"> & { readonly cwd?: string },
  args: readonly string[],
  env: Record<string, string> = {},
  world: Partial<
    Pick<
      OuterIo,
      | "readStdin"
      | "columnsToErase"
      | "errorWidth"
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
  // The working folder of a test may be one that was removed.
  const before = cwd === undefined ? undefined : process.cwd();
  if (cwd !== undefined) process.chdir(cwd);
  const status = await runCommandLine([...args, ...flags], {
    env: { ...own, ...env },
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
  }).finally(() => before !== undefined && process.chdir(before));
  return { status, stdout, stderr, printed };
}

/** Returns a run that has ended with this exit status. If it ended with another, the test fails with all that the run printed. */
export function exits<Run extends Pick<Ran, "status">>(status: number, ran: Run): Run {
  const printed = Object.values(ran).filter((value) => typeof value === "string");
  expect(ran.status, printed.join("\n")).toBe(status);
  return ran;
}

/** The events of a `--json` run. */
export function eventsOf({ stdout }: Ran): Record<string, unknown>[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const schema = JSON.parse(readFileSync(new URL("../../schemas/events.schema.json", import.meta.url), "utf8")) as object;
const validate = new Ajv2020({ allErrors: true, strictRequired: false }).compile(schema);

/** What schemas/events.schema.json has against the events; an empty list where they are as it says. */
export function checkEvents(events: readonly Record<string, unknown>[]): string[] {
  const first = events[0]?.["type"] === "version" ? [] : [`the first event is ${JSON.stringify(events[0])}`];
  return [
    ...first,
    ...events.flatMap((event) =>
      validate(event) ? [] : [`${JSON.stringify(event)}: ${JSON.stringify(validate.errors)}`],
    ),
  ];
}
