import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

/** An adapter of the examples, as a process of its own. */
export interface Adapter {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  /** Flags that point hostform to it. */
  readonly flags: readonly string[];
  readonly output: () => string;
}

/** Starts a program of examples/adapter/, and waits for the line that says where it listens, or for its end. */
export async function startAdapter(program: string, cwd: string, env: Record<string, string>): Promise<Adapter> {
  const file = fileURLToPath(new URL(`../../examples/adapter/${program}`, import.meta.url));
  const path = { PATH: process.env["PATH"] ?? "" };
  const child = spawn(process.execPath, [file], { cwd, env: { ...path, ...env } });
  let output = "";
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.includes("\n")) resolve();
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.on("error", reject).on("close", () => resolve());
  });
  const flags = output.trim().split(" ").slice(1);
  return { child, baseUrl: flags[1] ?? "", flags, output: () => output };
}

export const endAdapter = ({ child }: Pick<Adapter, "child">, signal: NodeJS.Signals = "SIGTERM"): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.on("close", () => resolve());
    child.kill(signal);
  });
