import { nameSome } from "../../lib/shorten.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Inventory } from "../../model/inventory.ts";

/** Says that the manifest has changes that no commit holds. */
export function uncommittedNotices(files: readonly string[]): Diagnostic[] {
  if (files.length === 0) return [];
  const verb = files.length === 1 ? "has" : "have";
  const summary = `${nameSome(files, 5)} ${verb} changes that are not committed`;
  const hint = "commit before you apply: an apply of uncommitted changes is recorded as such";
  return [{ severity: "notice", code: "uncommitted", summary, hint }];
}

/** Whether notices say nothing of an inventory that could not be written, or did not get where others read it. */
export const isKept = (notices: readonly Diagnostic[]): boolean =>
  !notices.some(({ code }) => code === "inventory_not_kept" || code === "inventory_not_pushed");

/** Whether notices say that an inventory could not be read. */
export const isUnreadable = (notices: readonly Diagnostic[]): boolean =>
  notices.some(({ code }) => code === "inventory_unreadable");

/** Says that the remote is not known to hold HEAD. */
export const notPushed = (head: string | undefined): Diagnostic => ({
  severity: "notice",
  code: "commit_not_pushed",
  summary: `No branch of the remote that this clone knows contains the commit ${head?.slice(0, 7)}`,
  hint: "push it, so that others can merge it before they apply",
});

/** Says that the manifest of the last apply had such changes. */
export function dirtyApplyNotices({ lastApply }: Inventory): Diagnostic[] {
  if (lastApply?.dirty !== true) return [];
  const at = lastApply.commit === undefined ? "" : ` at ${lastApply.commit.slice(0, 7)}`;
  const summary = `The last apply (${lastApply.by}, ${lastApply.time})${at} made changes that its commit does not declare`;
  const hint = "the commit does not hold all that was applied, so the plan does not say which steps are drift";
  return [{ severity: "notice", code: "last_apply_dirty", summary, hint }];
}
