import type { Clock } from "../../lib/repeat-until.ts";
import { escapeControls } from "../../lib/escape.ts";
import { inventoryIn, readContent, type StoredContent } from "./inventory-content.ts";
import type { HistoryEntry } from "./inventory-store.ts";
import type { Address } from "../../model/address.ts";
import type { AppliedBy, InventoryEvent } from "../../model/inventory.ts";
import type { Repository } from "../git/repository.ts";
import { linesIn, timeOf, type Git } from "../git/run-git.ts";
import { advice } from "../../messages/advice.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { warning } from "./inventory-notices.ts";

/** The places of one inventory in a repository. */
export interface GitStorage extends Clock {
  readonly repository: Repository;
  readonly ref: string;
  readonly seenRef: string;
  readonly where: string;
  readonly key: string;
}

/** The name of the file in each commit of an inventory. */
export const fileName = "inventory.json";

/** Writes a commit that holds the file alone, without an index or a work tree, by one process. No ref of the repository moves. */
export async function writeCommit(
  { repository: { beside }, now }: Pick<GitStorage, "now" | "repository">,
  text: string,
  entry: HistoryEntry,
  parents: readonly string[],
): Promise<{ readonly id: string } | { readonly reason: string }> {
  const [first, ...others] = parents;
  const lines = [
    "commit refs/written",
    "mark :1",
    `committer hostform <hostform@localhost> ${Math.floor(now() / 1000)} +0000`,
    data(message(entry)),
    ...(first === undefined ? [] : [`from ${first}`]),
    ...others.map((each) => `merge ${each}`),
    "deleteall",
    `M 100644 inline ${fileName}`,
    data(text),
    "get-mark :1",
    "done",
  ];
  const written = await beside(["fast-import", "--quiet", "--force", "--done"], { input: `${lines.join("\n")}\n` });
  return written.ok ? { id: written.stdout.toString().trim() } : { reason: written.problem };
}

/** Writes a text as git reads it from a stream: counted, so that nothing in it can end it. */
const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}`;

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
  for (const commit of list.ok ? linesIn(list.stdout) : []) {
    const apply = (await valueAt(context, commit))?.lastApply;
    if (apply && apply.time !== applies.at(-1)?.time) applies.push(apply);
    if (apply && apply.partial !== true) break;
  }
  return applies;
}

const logFields = [
  "%H",
  "%ct",
  "%s",
  ...["By", "Plan", "Commit", "Dirty"].map((name) => `%(trailers:key=Hostform-${name},valueonly)`),
];

/** The commits up to `tip` in which the address became ours or ceased to be, and which of both; undefined where git cannot tell. */
export async function readHistory(
  git: Git,
  tip: string,
  address: Address,
): Promise<readonly InventoryEvent[] | undefined> {
  const format = `--format=tformat:%x01${logFields.join("%x00")}`;
  const looks = ["--first-parent", "--diff-merges=first-parent", "--no-textconv", "--no-ext-diff", "--no-renames"];
  // The changed lines count, not how often it is mentioned: what was removed moves to another list of the same text.
  const mention = `-G${JSON.stringify(address).replaceAll(/[.[\]{}()*+?^$|\\]/gu, String.raw`\$&`)}`;
  const log = await git(["log", ...looks, "--no-patch", format, mention, tip, "--", fileName]);
  if (!log.ok) return undefined;
  const events: InventoryEvent[] = [];
  for (const text of log.stdout.toString().split("\u0001").slice(1)) {
    const event = await readEvent(git, text, address);
    if (event) events.push(event);
  }
  return events;
}

async function readEvent(git: Git, text: string, address: Address): Promise<InventoryEvent | undefined> {
  const [commit = "", time = "", subject = "", ...trailers] = text.split("\0").map((each) => each.trim());
  const [by, planHash, headCommit, dirty] = trailers.map((each) => (each === "" ? undefined : each));
  const isOurs = async (revision: string) =>
    mentions((await git(["cat-file", "blob", `${revision}:${fileName}`])).stdout, address);
  const [before, after] = [await isOurs(`${commit}^1`), await isOurs(commit)];
  if (before === after) return undefined;
  return {
    change: after ? "entered" : "left",
    commit,
    time: timeOf(time),
    subject,
    by,
    planHash,
    headCommit,
    dirty: dirty === "true" || undefined,
  };
}

/** Whether the address is among those that are ours, which stand before all other lists; another text has none. */
const mentions = (text: Buffer, address: Address): boolean =>
  text.toString().split('"prevent_destroy"')[0]?.includes(JSON.stringify(address)) === true;

/** Returns why the object at the remote's ref, undefined if it has none, does not continue what this clone has seen there; undefined if it does. */
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
