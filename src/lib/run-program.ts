import type { ChildProcess } from "node:child_process";
import { systemWords } from "./system-words.ts";

export interface ProgramOptions {
  /** Default: the working folder. */
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: string | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  /** Bytes of output at most. */
  readonly maxOutput: number;
}

export interface ProgramEnd {
  /** Undefined where it did not end by itself. */
  readonly status: number | undefined;
  readonly stdout: Buffer;
  /** The beginning of what it wrote to standard error. */
  readonly errors: string;
  /** Undefined where it ended by itself. */
  readonly failure?: "no_program" | "not_started" | "signal" | "timeout" | "too_large";
  /** The failure in words. */
  readonly problem?: string;
}

/**
 * Runs a program with these arguments, without a shell. Never throws, never outlives its time. It is put into a session of its own: it
 * cannot ask on the terminal, and a Ctrl-C there, after which an apply still has its end to write, does not reach it.
 */
export async function runProgram(words: readonly string[], options: ProgramOptions): Promise<ProgramEnd> {
  try {
    return await started(words, options);
  } catch (error) {
    // Node throws for arguments that are too long together, and for one that holds a zero byte.
    const problem = (error as Error).message;
    return { status: undefined, stdout: Buffer.of(), errors: "", failure: "not_started", problem };
  }
}

async function started([program = "", ...args]: readonly string[], options: ProgramOptions): Promise<ProgramEnd> {
  // Most plans run no program, and the module takes a hundredth of one to load.
  const { spawn } = await import("node:child_process");
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: options.cwd, env: options.env, detached: true, windowsHide: true });
    const chunks: Buffer[] = [];
    let [size, errors] = [0, ""];
    // Only the first end counts.
    const settle = (end: Partial<ProgramEnd>) => {
      clearTimeout(timer);
      resolve({ status: undefined, stdout: Buffer.concat(chunks), errors, ...end });
    };
    const stop = (failure: "timeout" | "too_large", problem: string) => {
      killGroup(child);
      child.stdout.destroy();
      child.stderr.destroy();
      settle({ failure, problem });
    };
    const timer = setTimeout(() => stop("timeout", `no answer within ${options.timeout / 1000} s`), options.timeout);
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > options.maxOutput) stop("too_large", `more than ${options.maxOutput} bytes`);
      else chunks.push(chunk);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (errors.length < 10_000) errors += text;
    });
    child.on("error", ({ code = "", message }: NodeJS.ErrnoException) =>
      settle(
        code === "ENOENT"
          ? { failure: "no_program", problem: `the program ${program} is not installed` }
          : { failure: "not_started", problem: systemWords[code] ?? message },
      ),
    );
    child.on("close", (status, signal) =>
      settle(status === null ? { failure: "signal", problem: `it was ended by ${signal}` } : { status }),
    );
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
  });
}

/** Ends a program and its helpers: one that stays would hold the pipes, and might still act. */
function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}
