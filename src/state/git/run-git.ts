import { runProgram, type ProgramEnd, type ProgramOptions } from "../../lib/run-program.ts";

export interface GitAnswer extends Pick<ProgramEnd, "status" | "stdout"> {
  readonly ok: boolean;
  /** The problem in one line, without credentials. */
  readonly problem: string;
  readonly failure?: NonNullable<ProgramEnd["failure"]>;
}

/** `timeout`, `maxOutput`: where they are not those of all such calls. */
export interface GitCall extends Partial<Pick<ProgramOptions, "input" | "timeout" | "maxOutput">> {
  readonly network?: boolean;
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

/** Milliseconds since the epoch of the last moment that JavaScript counts. */
const latest = 8.64e15;

/** Returns a time of git, in seconds since the epoch, as ISO 8601. Whoever makes a commit chooses it, so one that is too late is the latest. */
export const timeOf = (seconds: string): string => new Date(Math.min(Number(seconds) * 1000, latest)).toISOString();

/** The line that says it: git's last `fatal:` or `error:`, else its first; a URL without its user and password. */
function oneLine(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const line = lines.findLast((each) => /^(fatal|error): /u.test(each)) ?? lines[0] ?? "no reason given";
  return line.replace(/^(fatal|error): /u, "").replaceAll(/:\/\/[^/\s@]*@/gu, "://");
}

/** Variables that would point git at another repository than the one that holds the manifest, as they do inside a hook. */
const pointers = new Set([
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_COMMON_DIR",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_NAMESPACE",
  "GIT_PREFIX",
  "GIT_SHALLOW_FILE",
  "GIT_GRAFT_FILE",
  "GIT_REPLACE_REF_BASE",
  "GIT_IMPLICIT_WORK_TREE",
  "GIT_CONFIG",
  "GIT_EXTERNAL_DIFF",
  "GIT_TRACE",
]);

type GitEnvironment = Readonly<Record<string, string>>;

/** Variables without which git does not find its programs and its settings: a manifest that names them does not take them away. */
const needed = new Set(["PATH", "HOME"]);

/**
 * The user's environment as git gets it: without Hostform's own secrets and those of the manifest, never asking, in English, touching no
 * index. A variable that holds a secret under another name is left out as well.
 */
export function gitEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  isSecret: (value: string) => boolean,
): GitEnvironment {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      !pointers.has(entry[0]) &&
      !entry[0].startsWith("HOSTFORM_") &&
      (needed.has(entry[0]) || !isSecret(entry[1])),
  );
  return {
    // Without it any `git-remote-NAME` program could be named by a URL. Who needs one may say so in this variable.
    GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh",
    ...Object.fromEntries(kept),
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    LC_ALL: "C",
  };
}

/** Adds settings through the environment, after those that the user put there: secrets among them never stand in an argument list. */
export function withConfig(env: GitEnvironment, settings: readonly (readonly [string, string])[]): GitEnvironment {
  const first = Number(env["GIT_CONFIG_COUNT"] ?? 0) || 0;
  const added = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { ...env, ...Object.fromEntries(added), GIT_CONFIG_COUNT: String(first + settings.length) };
}
