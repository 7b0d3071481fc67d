import type { LeaseHolder, RunningApply } from "./inventory.ts";

/** This process, as a lock names it. Made by `cli.ts`, which alone reads `process`. */
export interface Runner {
  readonly user: string;
  /** Undefined where the system has no such number. */
  readonly uid?: number | undefined;
  readonly host: string;
  readonly pid: number;
  /**
   * Undefined where no such process runs here; else what tells it from a later one of the same number, as `PLACE/START`,
   * or an empty text where the system does not say.
   */
  readonly processMark: (pid: number) => string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the URL of the CI job, without what may be secret in it; undefined where there is none. */
export function jobAddress(env: Environment): string | undefined {
  const github =
    env["GITHUB_RUN_ID"] &&
    `${env["GITHUB_SERVER_URL"] ?? "https://github.com"}/${env["GITHUB_REPOSITORY"] ?? ""}/actions/runs/${env["GITHUB_RUN_ID"]}`;
  const others = ["CI_JOB_URL", "BUILDKITE_BUILD_URL", "CIRCLE_BUILD_URL", "BUILD_URL"].map((name) => env[name]);
  const found = [github, ...others].find((each = "") => /^https?:/iu.test(each) && URL.canParse(each));
  if (found === undefined) return undefined;
  // The rest may be a password or a token, and the address is stored and published.
  const { protocol, host, pathname } = new URL(found);
  return `${protocol}//${host}${pathname}`;
}

/** The CI job where there is one, else `user@host`. */
export function describeRunner(env: Environment, { user, host }: Runner): string {
  const job = jobAddress(env);
  if (job === undefined) return `${user}@${host}`;
  const person = env["GITHUB_ACTOR"] ?? env["GITLAB_USER_LOGIN"] ?? env["BUILDKITE_BUILD_CREATOR"] ?? user;
  return `${person}, ${job}`;
}

/** Milliseconds for which an older version takes the mark of an apply for a lock. */
const markLength = 60 * 60_000;

/** Returns this process as the holder of a lock. */
export function holderOf({ host, pid, processMark }: Runner, by: string, now: number): LeaseHolder {
  const mark = processMark(pid);
  return { by, host, pid, ...(mark && { process: mark }), since: new Date(now).toISOString() };
}

/** Returns the mark of this process. */
export const runningApplyOf = (runner: Runner, by: string, now: number): RunningApply => ({
  ...holderOf(runner, by, now),
  until: new Date(now + markLength).toISOString(),
});

/** Whether a process of that number would be that process. A container may share its host's name but not its process numbers. */
const isHere = (running: LeaseHolder, runner: Runner) =>
  running.host === runner.host &&
  (running.process === undefined || placeOf(running.process) === placeOf(runner.processMark(runner.pid)));

/** Whether a process of this machine has ended; false where it runs, and where that cannot be seen from here. */
export function hasEndedHere(running: LeaseHolder, runner: Runner): boolean {
  if (!isHere(running, runner)) return false;
  const mark = runner.processMark(running.pid);
  return mark === undefined || (running.process !== undefined && mark !== "" && mark !== running.process);
}

/** Whether that very process still runs on this machine; false where that cannot be seen from here. */
export const runsHere = ({ host, pid, process }: LeaseHolder, runner: Runner): boolean =>
  process !== undefined && host === runner.host && process === runner.processMark(pid);

const placeOf = (mark: string | undefined) => mark?.slice(0, Math.max(0, mark.lastIndexOf("/"))) ?? "";
