import { advice } from "../../messages/advice.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { isAncestor, valueAt, type GitStorage } from "./git-commit.ts";
import { linesIn } from "../git/run-git.ts";
import { warning } from "./inventory-notices.ts";

/** Why the object at the remote's ref, undefined if it has none, does not continue what this clone has seen there; undefined if it does. */
export async function whatIsStrange(
  context: GitStorage,
  tip: string | undefined,
  known: { readonly local: string | undefined; readonly seen: string | undefined },
): Promise<Diagnostic | undefined> {
  const { repository, ref, seenRef } = context;
  const { local, seen } = known;
  const { name = "origin" } = repository.remote ?? {};
  const here = `the commit of this clone is ${local ?? "none"}`;
  const mine = local ?? seen;
  const restore = mine === undefined ? "" : advice.restoreInventory(name, mine, ref);
  const forget = `git update-ref -d ${seenRef} && git update-ref -d ${ref}`;
  const detail =
    "until you choose, undeclared resources are not deleted, and the changes of this run are stored in this clone only";
  const describe = (code: string, summary: string, way: string): Diagnostic => ({
    ...warning(code, `${summary}; ${here}`, `${restore}${way}`),
    detail,
  });
  if (tip === undefined) {
    const summary = `${ref} no longer exists at ${name}, where this clone has seen ${seen}`;
    return describe("inventory_gone", summary, `${forget} starts a new inventory`);
  }
  const type = (await repository.beside(["cat-file", "-t", tip])).stdout.toString().trim();
  if (type !== "commit") {
    const summary = `${ref} at ${name} is a ${type || "missing object"} (${tip}), not a commit`;
    return describe("inventory_not_a_commit", summary, advice.removeRef(name, ref));
  }
  if (seen === undefined || !(await isRewritten(context, tip, seen))) return undefined;
  const summary = `${ref} at ${name} was rewritten: it is at ${tip} now, and no longer contains ${seen}, which this clone has seen there`;
  return describe("inventory_rewritten", summary, `${forget} accepts the inventory of ${name}`);
}

/** Whether history that was seen is gone. The mark of a running apply is replaced when that apply ends, and that alone. */
async function isRewritten(context: GitStorage, tip: string, seen: string): Promise<boolean> {
  const { repository } = context;
  if (await isAncestor(repository, seen, tip)) return false;
  if (await isAncestor(repository, tip, seen)) return true;
  const isMark = (await valueAt(context, seen))?.running !== undefined;
  const parents = linesIn((await repository.beside(["rev-parse", `${seen}^@`])).stdout);
  const contained = await Promise.all(parents.map((parent) => isAncestor(repository, parent, tip)));
  return !isMark || contained.includes(false);
}
