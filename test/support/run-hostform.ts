import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

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

/** The events of a `--json` run. */
export function eventsOf({ stdout }: Ran): Record<string, unknown>[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
