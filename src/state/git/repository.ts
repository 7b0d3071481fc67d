import { advice } from "../../messages/advice.ts";
import { existsSync, mkdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { makeTempFolder } from "../../lib/temp-folder.ts";
import { readFile } from "../../lib/read-file.ts";
import { replaceFile, writeFile } from "../../lib/write-file.ts";
import { gitEnvironment, withConfig, linesIn, runGit, type Git, type GitAnswer, type GitCall } from "./run-git.ts";
import { maxInventoryBytes } from "../inventory/inventory-content.ts";

const localTimeout = 10_000;
const networkTimeout = 20_000;
const mostOutput = maxInventoryBytes + 1024;

/**
 * The repository that holds the manifests, and beside it an empty one in the temporary folder. The repository's own configuration
 * may name programs to run (hooks, core.sshCommand, credential.helper, remote.*.uploadpack, …), and who wrote it is not known. So
 * git works in the empty one, which shares the objects, with the user's and the system's configuration alone; the repository
 * itself is only asked for names, and moves a ref, with its hooks off.
 */
export interface Repository {
  readonly top: string;
  /** The folder of what all work trees share. */
  readonly commonFolder: string;
  /** The commit that is checked out; undefined before the first. */
  readonly head: string | undefined;
  readonly shallow: boolean;
  readonly remote: GitRemote | undefined;
  /** In the repository itself: for names and refs. */
  readonly inPlace: Git;
  /** In the empty one; new objects go into the repository. */
  readonly beside: Git;
  /** In the empty one; new objects go away with it. */
  readonly apart: Git;
  readonly close: () => Promise<void>;
}

export type OpenedRepository =
  | { readonly ok: true; readonly repository: Repository }
  /** `isNone`: no repository was found, so that nothing of it is unread. */
  | { readonly ok: false; readonly reason: string; readonly hint: string; readonly isNone?: true };

/** The environment from which git's processes get theirs, and the test for a secret in it. */
export interface GitSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a value holds a secret that this run has read. */
  readonly isSecret: (value: string) => boolean;
}

/** The folder in which to look for the repository: the manifest's own after all links, or the working folder for standard input. */
export function folderOf(path: string): string {
  if (path === "-") return resolve(".");
  try {
    const real = realpathSync.native(path);
    return statSync(real).isDirectory() ? real : dirname(real);
  } catch {
    // A pipe has no real path, and what is not there may lie in a folder that is.
    return folderOf(dirname(resolve(path)));
  }
}

/** @param folder an existing one; the repository is looked for there and above. */
export async function openRepository(
  folder: string,
  { env: userEnv, isSecret }: GitSurroundings,
): Promise<OpenedRepository> {
  if (!isBelowGit(folder)) return inNoWorkTree;
  const env = gitEnvironment(userEnv, isSecret);
  const inPlace: Git = (args, call = {}) => runGit([...quiet, ...args], { cwd: folder, env, ...bounds(call) });
  const found = await inPlace(["rev-parse", "--path-format=absolute", ...questions]);
  if (!found.ok) return notFound(found);
  const [top = folder, commonFolder = "", objects = "", shallowFile = "", shallow = "", format = "", head = ""] =
    found.stdout.toString().split("\n");
  const remote = await findRemote(inPlace);
  const empty = makeTempFolder("hostform-git", tmpdir());
  const close = async () => rmSync(empty, { recursive: true, force: true });
  for (const each of ["refs", "objects", "objects/info"]) mkdirSync(join(empty, each));
  // Nobody reads them after this process.
  replaceFile(join(empty, "HEAD"), "ref: refs/heads/none\n", 0o600, "unsynced");
  replaceFile(join(empty, "config"), configOfEmpty(format), 0o600, "unsynced");
  replaceFile(join(empty, "objects", "info", "alternates"), `${objects}\n`, 0o600, "unsynced");
  if (shallow === "true") writeFile(join(empty, "shallow"), readFile(shallowFile, maxInventoryBytes).bytes, 0o600);
  const besideEnv = { ...withConfig(env, remote?.settings ?? []), GIT_DIR: empty };
  const inEmpty =
    (more: Readonly<Record<string, string>>): Git =>
    (args, call = {}) =>
      runGit([...quiet, ...args], { cwd: top, env: { ...besideEnv, ...more }, ...bounds(call) });
  return {
    ok: true,
    repository: {
      top,
      commonFolder,
      head: head === "" ? undefined : head,
      shallow: shallow === "true",
      remote,
      inPlace,
      beside: inEmpty({ GIT_OBJECT_DIRECTORY: objects }),
      apart: inEmpty({}),
      close,
    },
  };
}

/** Whether git would find a work tree from here: a `.git` stands here or above. Asking git itself takes a process for each command. */
function isBelowGit(folder: string): boolean {
  let at = realpathSync(folder);
  while (!existsSync(join(at, ".git"))) {
    const above = dirname(at);
    if (above === at) return false;
    at = above;
  }
  return true;
}

const questions = [
  "--show-toplevel",
  "--git-common-dir",
  "--git-path",
  "objects",
  "--git-path",
  "shallow",
  "--is-shallow-repository",
  "--show-object-format",
  // Nothing before the first commit.
  "--revs-only",
  "HEAD^{commit}",
];

/** The configuration of an empty repository, as `git init --bare` writes it. */
const configOfEmpty = (format: string) =>
  format === "sha1"
    ? "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
    : `[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = ${format}\n`;

// Beyond what runs programs: a housekeeping of the empty repository would take the shared objects for garbage.
const quiet = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.pager=cat",
  "safe.bareRepository=explicit",
  "gc.auto=0",
  "maintenance.auto=false",
  "fetch.writeCommitGraph=false",
  "fetch.recurseSubmodules=false",
  "push.gpgSign=false",
  "push.followTags=false",
  "push.recurseSubmodules=no",
  "advice.pushUpdateRejected=false",
].flatMap((setting) => ["-c", setting]);

const bounds = ({
  network = false,
  input,
  timeout = network ? networkTimeout : localTimeout,
  maxOutput = mostOutput,
}: GitCall) => ({ input, timeout, maxOutput });

function notFound({ failure, problem }: GitAnswer): OpenedRepository {
  if (failure === "no_program") return { ok: false, reason: "git is not installed", hint: advice.installGit };
  if (problem.includes("dubious ownership"))
    return {
      ok: false,
      reason: "git does not trust the repository, which belongs to another user",
      hint: advice.trustFolder,
    };
  if (/not a git repository|must be run in a work tree/u.test(problem)) return inNoWorkTree;
  return { ok: false, reason: `git cannot read the repository: ${problem}`, hint: "see what git status says there" };
}

const inNoWorkTree: OpenedRepository = {
  ok: false,
  isNone: true,
  reason: "the manifest is in no git work tree",
  hint: advice.useGit,
};

interface GitRemote {
  /** As the repository calls it. */
  readonly name: string;
  /** For messages: without user and password. */
  readonly url: string;
  /** The settings that git needs to reach it as `hostform`: data only, nothing that names a program. */
  readonly settings: readonly (readonly [string, string])[];
}

/** `origin`, else the only remote, else that of the branch; undefined where none is clear. */
async function findRemote(git: Git): Promise<GitRemote | undefined> {
  const urls = linesIn((await git(["remote", "--verbose"])).stdout).map(readRemoteLine);
  const names = [...new Set(urls.map(({ name }) => name))];
  if (names.length === 0) return undefined;
  const name = names.includes("origin") ? "origin" : names.length === 1 ? names[0] : await upstreamRemote(git, names);
  const urlFor = (use: string) => urls.find((each) => each.name === name && each.use === use)?.url;
  const [url, pushUrl] = [urlFor("fetch"), urlFor("push")];
  if (name === undefined || url === undefined || pushUrl === undefined) return undefined;
  return {
    name,
    url: url.replace(/:\/\/[^/\s@]*@/u, "://"),
    settings: [["remote.hostform.url", url], ["remote.hostform.pushurl", pushUrl], ...(await transferSettings(git))],
  };
}

/** `NAME⇥URL (fetch)` or `(push)`, and what else git may say of it after that. */
function readRemoteLine(line: string) {
  const [, name = "", url = "", use = ""] = /^(.*?)\t(.*) \((fetch|push)\)/u.exec(line) ?? [];
  return { name, url, use };
}

async function upstreamRemote(git: Git, names: readonly string[]): Promise<string | undefined> {
  const branch = await git(["symbolic-ref", "--quiet", "--short", "HEAD"]);
  if (!branch.ok) return undefined;
  const [name] = linesIn((await git(["config", "--get", `branch.${branch.stdout.toString().trim()}.remote`])).stdout);
  return names.find((each) => each === name);
}

/** CI jobs keep their token as a header in the repository's own configuration. */
async function transferSettings(git: Git): Promise<(readonly [string, string])[]> {
  const wanted = String.raw`^http\.(.*\.)?(extraheader|proxy|sslcainfo)$`;
  const { stdout } = await git(["config", "--local", "--includes", "--null", "--get-regexp", wanted]);
  return stdout
    .toString()
    .split("\0")
    .flatMap((entry) => {
      const [key = "", ...value] = entry.split("\n");
      return key === "" ? [] : [[key, value.join("\n")] as const];
    });
}
