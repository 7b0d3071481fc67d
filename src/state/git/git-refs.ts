import type { SwappedRegister } from "../lease/register.ts";
import { linesIn, type Git, type GitAnswer } from "./run-git.ts";

/** The object that a revision names, such as a ref or `REF^{commit}`; undefined where there is none. */
export async function readGitObject(git: Git, revision: string): Promise<string | undefined> {
  const { ok, stdout } = await git(["rev-parse", "--verify", "--quiet", revision]);
  return ok ? stdout.toString().trim() : undefined;
}

export type MovedRef =
  | { readonly is: "done" }
  | { readonly is: "moved" }
  | { readonly is: "failed"; readonly reason: string };

/** The objects at several refs, in one look: commits, unless someone else has put another there. */
export async function readRefs(git: Git, refs: readonly string[]): Promise<readonly (string | undefined)[]> {
  const { stdout } = await git(["for-each-ref", "--format=%(objectname) %(refname)", ...refs]);
  const lines = linesIn(stdout).map((line) => line.split(" "));
  return refs.map((ref) => lines.find(([, name]) => name === ref)?.[0]);
}

/**
 * Moves a ref from one commit to another, undefined being none, and only from there.
 * @param mirror another ref that is put to the same commit along with it, wherever it was.
 */
export async function moveRef(
  git: Git,
  ref: string,
  {
    to,
    from,
    mirror,
  }: { readonly to: string; readonly from: string | undefined; readonly mirror?: string | undefined },
): Promise<MovedRef> {
  for (let attempt = 1; ; attempt += 1) {
    const lines = [
      `update ${ref} ${to} ${from ?? "0".repeat(to.length)}`,
      ...(mirror === undefined ? [] : [`update ${mirror} ${to}`]),
    ];
    const moved = await git(["update-ref", "--no-deref", "--stdin"], { input: `${lines.join("\n")}\n` });
    if (moved.ok) return { is: "done" };
    if ((await readGitObject(git, `${ref}^{commit}`)) !== from) return { is: "moved" };
    // Another process had the ref's lock for a moment.
    if (attempt === 5) return { is: "failed", reason: moved.problem };
  }
}

/** Moves a ref wherever it is: for one that only mirrors another. */
export async function setRef(git: Git, ref: string, to: string): Promise<void> {
  await git(["update-ref", "--no-deref", ref, to]);
}

export type RemoteTip =
  | { readonly ok: true; readonly tip: string | undefined }
  | { readonly ok: false; readonly reason: string };

/** The object at the remote's ref: a commit, unless someone has put another object there. */
export async function readRemoteRef(git: Git, ref: string, timeout?: number): Promise<RemoteTip> {
  const answer = await git(["ls-remote", "--refs", "hostform", ref], { network: true, timeout });
  if (!answer.ok) return { ok: false, reason: answer.problem };
  const lines = linesIn(answer.stdout).map((line) => line.split("\t"));
  return { ok: true, tip: lines.find(([, name]) => name === ref)?.[0] };
}

/** The beginning of each fetch: nothing but what is asked for comes, and no file of the repository is written. */
export const fetchQuietly = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];

/** Fetches the ref of the remote, and names the objects that are here already. */
export async function fetchRef(git: Git, ref: string, haves: readonly (string | undefined)[]): Promise<GitAnswer> {
  for (const [index, have] of haves.entries()) if (have !== undefined) await setRef(git, `refs/have/${index}`, have);
  return git([...fetchQuietly, "hostform", `+${ref}:refs/fetched`], { network: true });
}

/** Milliseconds before each repetition of a push that met another one. */
const pauses = [200, 500, 1000];

/** The words for a push that met another one, which held the lock of the ref or has moved it meanwhile, or that was cut off. */
const mayPass =
  /\block\b|lock.failure|update ref|old value|stale info|reference (?:already exists|does not exist)|hung up|disconnect/iu;

/**
 * Puts an object at the remote's ref if that is still where it was seen. Whether it came to be is read back, not guessed. A push that met
 * another one is repeated: that one may not have moved the ref yet, or may never do so.
 */
export async function pushRef(
  git: Git,
  ref: string,
  { to, from = "", timeout }: { readonly to: string; readonly from: string | undefined; readonly timeout?: number },
  sleep: (milliseconds: number) => Promise<void>,
): Promise<SwappedRegister> {
  const push = ["push", "--porcelain", "--no-verify", `--force-with-lease=${ref}:${from}`, "hostform", `${to}:${ref}`];
  for (let attempt = 0; ; attempt += 1) {
    const pushed = await git(push, { network: true, timeout });
    if (pushed.ok) return { is: "done" };
    const now = await readRemoteRef(git, ref, timeout);
    if (!now.ok) return { is: "unknown", reason: pushed.problem };
    if (now.tip === to) return { is: "done" };
    if ((now.tip ?? "") !== from) return { is: "rejected" };
    // The remote's words about the ref stand in the porcelain output, in brackets.
    const [, reason = pushed.problem] = /^!\t\S+\t(.*)$/mu.exec(pushed.stdout.toString()) ?? [];
    if (pushed.failure === "timeout") return { is: "unknown", reason };
    if (!mayPass.test(reason)) return { is: "refused", reason };
    const pause = pauses[attempt];
    if (pause === undefined) return { is: "unknown", reason };
    await sleep(pause);
  }
}
