import { spawn, type ChildProcess } from "node:child_process";

export interface GitAnswer {
  readonly ok: boolean;
  /** Undefined where it did not end by itself. */
  readonly status: number | undefined;
  readonly stdout: Buffer;
  /** The problem in one line, without credentials. */
  readonly problem: string;
  readonly failure?: "no_git" | "timeout" | "too_large";
}

export interface GitCall {
  readonly input?: string;
  readonly network?: boolean;
  /** Milliseconds, where they are not those of all such calls. */
  readonly timeout?: number | undefined;
  /** Bytes of output at most, where they are not those of all such calls. */
  readonly maxOutput?: number;
  /** Laid over the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export type Git = (args: readonly string[], call?: GitCall) => Promise<GitAnswer>;

export interface GitOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  /** Bytes of output at most. */
  readonly maxOutput: number;
}

/**
 * Runs `git` with these arguments, without a shell. Never throws, never outlives its time. It is put into a session of its own: it
 * cannot ask on the terminal, and a Ctrl-C there, after which an apply still has its end to write, does not reach it.
 */
export function runGit(args: readonly string[], options: GitOptions): Promise<GitAnswer> {
  return new Promise((resolve) => {
    const child = spawn("git", args, { cwd: options.cwd, env: options.env, detached: true, windowsHide: true });
    const chunks: Buffer[] = [];
    let size = 0;
    let errors = "";
    let settled = false;
    const settle = (answer: Partial<GitAnswer>) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      resolve({ ok: false, status: undefined, stdout: Buffer.concat(chunks), problem: oneLine(errors), ...answer });
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
    child.on("error", (error: NodeJS.ErrnoException) =>
      settle({ problem: error.message, ...(error.code === "ENOENT" && { failure: "no_git" }) }),
    );
    child.on("close", (status) => settle({ ok: status === 0, status: status ?? undefined }));
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
  });
}

/** Ends git and its helpers: one that stays would hold the pipes, and might still push. */
function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}

/** The line that says it: git's last `fatal:` or `error:`, else its first; a URL without its user and password. */
function oneLine(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const line = lines.findLast((each) => /^(fatal|error): /u.test(each)) ?? lines[0] ?? "no reason given";
  return line.replace(/^(fatal|error): /u, "").replaceAll(/:\/\/[^/\s@]*@/gu, "://");
}
