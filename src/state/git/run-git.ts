import { runProgram, type ProgramEnd, type ProgramOptions } from "../../lib/run-program.ts";

export interface GitAnswer {
  readonly ok: boolean;
  /** Undefined where it did not end by itself. */
  readonly status: number | undefined;
  readonly stdout: Buffer;
  /** The problem in one line, without credentials. */
  readonly problem: string;
  readonly failure?: NonNullable<ProgramEnd["failure"]>;
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

/** Runs `git` with these arguments as `runProgram` runs a program. */
export async function runGit(args: readonly string[], options: ProgramOptions): Promise<GitAnswer> {
  const { status, stdout, errors, failure, problem = oneLine(errors) } = await runProgram(["git", ...args], options);
  const reason = failure === "signal" ? oneLine(errors) : problem;
  return { ok: status === 0, status, stdout, problem: reason, ...(failure && { failure }) };
}

/** Returns the lines that git has printed, without empty ones. */
export const linesIn = (output: Buffer): string[] =>
  output
    .toString()
    .split("\n")
    .filter((line) => line !== "");

/** The line that says it: git's last `fatal:` or `error:`, else its first; a URL without its user and password. */
function oneLine(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const line = lines.findLast((each) => /^(fatal|error): /u.test(each)) ?? lines[0] ?? "no reason given";
  return line.replace(/^(fatal|error): /u, "").replaceAll(/:\/\/[^/\s@]*@/gu, "://");
}
