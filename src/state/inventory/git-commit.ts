import { escapeControls } from "../../lib/escape.ts";
import type { HistoryEntry } from "./inventory-store.ts";
import { withAuthor } from "../git/git-environment.ts";
import type { LeaseDeps } from "../lease/hold-lease.ts";
import type { Repository } from "../git/repository.ts";

/** The name of the file in each commit of an inventory. */
export const fileName = "inventory.json";

/** Blob, tree and commit, without an index or a work tree. */
export async function writeCommit(
  { repository: { beside }, now }: Pick<LeaseDeps, "now"> & { readonly repository: Repository },
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

function message({ subject, by, planHash, commit, dirty }: HistoryEntry): string {
  const trailers = [
    ["Hostform-Commit", commit],
    ["Hostform-Dirty", dirty === true ? "true" : undefined],
    ["Hostform-Plan", planHash],
    ["Hostform-By", by],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${escapeControls(value)}`]));
  return `${escapeControls(subject)}\n\n${trailers.join("\n")}\n`;
}
