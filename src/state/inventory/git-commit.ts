import { escapeControls } from "../../lib/escape.ts";
import { inventoryIn, readContent, type StoredContent } from "./inventory-content.ts";
import type { HistoryEntry } from "./inventory-store.ts";
import type { AppliedBy } from "../../model/inventory.ts";
import { withAuthor } from "../git/git-environment.ts";
import type { LeaseDeps } from "../lease/hold-lease.ts";
import type { Repository } from "../git/repository.ts";

/** The places of one inventory in a repository. */
export interface GitStorage extends Pick<LeaseDeps, "now" | "sleep"> {
  readonly repository: Repository;
  readonly ref: string;
  readonly seenRef: string;
  readonly where: string;
  readonly key: string;
}

/** The name of the file in each commit of an inventory. */
export const fileName = "inventory.json";

/** Blob, tree and commit, without an index or a work tree. */
export async function writeCommit(
  { repository: { beside }, now }: Pick<GitStorage, "now" | "repository">,
  text: string,
  entry: HistoryEntry,
  parents: readonly string[],
): Promise<{ readonly id: string } | { readonly reason: string }> {
  const blob = await beside(["hash-object", "-w", "--stdin", "--no-filters"], { input: text });
  if (!blob.ok) return { reason: blob.problem };
  const tree = await beside(["mktree"], { input: `100644 blob ${blob.stdout.toString().trim()}\t${fileName}\n` });
  if (!tree.ok) return { reason: tree.problem };
  const commit = await beside(
    ["commit-tree", "--no-gpg-sign", tree.stdout.toString().trim(), ...parents.flatMap((each) => ["-p", each])],
    { input: message(entry), env: withAuthor({}, now()) },
  );
  return commit.ok ? { id: commit.stdout.toString().trim() } : { reason: commit.problem };
}

function message({ subject, by, planHash, manifestVersion, dirty }: HistoryEntry): string {
  const trailers = [
    ["Hostform-Commit", manifestVersion],
    ["Hostform-Dirty", dirty === true ? "true" : undefined],
    ["Hostform-Plan", planHash],
    ["Hostform-By", by],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${escapeControls(value)}`]));
  return `${escapeControls(subject)}\n\n${trailers.join("\n")}\n`;
}

async function contentAt({ beside }: Repository, tip: string | undefined): Promise<StoredContent> {
  if (tip === undefined) return { is: "absent" };
  const blob = await beside(["cat-file", "blob", `${tip}:${fileName}`]);
  return blob.ok
    ? { is: "bytes", bytes: blob.stdout }
    : { is: "unreadable", reason: `${fileName} of commit ${tip.slice(0, 12)}: ${blob.problem}` };
}

/** Reads the inventory of a commit, with the notices of what is wrong with it. */
export const readAt = async (context: GitStorage, tip: string | undefined) =>
  readContent(await contentAt(context.repository, tip), context.key, { where: context.where, keepsHistory: true });

/** Returns the inventory of a commit; undefined where it has none that can be read. */
export const valueAt = async ({ repository, key }: GitStorage, tip: string | undefined) =>
  inventoryIn(await contentAt(repository, tip), key);

export async function isAncestor({ beside }: Repository, ancestor: string, commit: string): Promise<boolean> {
  return (await beside(["merge-base", "--is-ancestor", ancestor, commit])).ok;
}

/** The most commits that are looked at: each takes a process. */
const mostApplies = 50;

/** Returns the applies of a history, newest first, back to the last one of the whole manifest. */
export async function readApplies(context: GitStorage, tip: string): Promise<readonly AppliedBy[]> {
  const list = await context.repository.beside(["rev-list", "--first-parent", `--max-count=${mostApplies}`, tip]);
  const applies: AppliedBy[] = [];
  for (const commit of list.ok ? list.stdout.toString().trim().split("\n") : []) {
    const apply = (await valueAt(context, commit))?.lastApply;
    if (apply && apply.time !== applies.at(-1)?.time) applies.push(apply);
    if (apply && apply.partial !== true) break;
  }
  return applies;
}
