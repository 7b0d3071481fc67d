import type { Notice } from "../engine/events.ts";
import type { AppliedBy, LeaseHolder } from "../model/inventory.ts";
import { escapeControls } from "./escape.ts";
import type { Event } from "./events.ts";
import { inFlightText } from "./in-flight-text.ts";
import { renderWait } from "./transport-text.ts";

/** Returns the sentence of a notice; most are one line. Control characters are the caller's to escape. */
export function noticeText(notice: Notice): string {
  if (isInventoryNotice(notice)) return inventoryText(notice);
  switch (notice.type) {
    case "valid":
      return `Valid: ${counted(notice.resources, "resource")} in ${notice.files.join(", ")}.`;
    case "cancelled":
      return cancelled[notice.why];
    case "stopping":
      return "Stopping: requests in flight will finish, and nothing new starts. Interrupt again to exit immediately.";
    case "waiting_for_server":
      return renderWait(notice.wait);
    case "waiting_for_list":
      return `Waiting up to ${Math.ceil(notice.milliseconds / 1000)} s: ${waitingForList[notice.why]}`;
    case "carried":
      return `${notice.address}: the value of ${notice.fields.join(", ")} from before the last apply, which was interrupted, is taken from the journal`;
    case "lock_waiting":
      return `Waiting for ${holderText(notice.by)} to end (${Math.round(notice.waited / 1000)} of at most ${notice.timeout} s)`;
    case "in_flight":
      return inFlightText(notice);
    case "held":
      return `${notice.address} was deleted for ${notice.successor} by the last apply: the latter is made now, or the former is put back`;
    case "remainder":
      return `What is left of ${notice.hash}, approved and begun at ${notice.begun}:`;
    case "satisfied":
      return `Done already: ${notice.step}`;
    case "cannot_undo":
      // A plan file may come from anyone: its reason must not look like a line of ours.
      return escapeControls(`Cannot be undone: ${notice.address}: ${notice.reason}`);
    case "rehearsing":
      return `Rehearsing: ${notice.cuts} of ${notice.total} cuts`;
    case "not_rehearsed":
      return "Nothing was changed: the rehearsal of this plan failed.";
    case "not_converged":
      return "Applied, but the live state does not match the manifest. What still differs:";
    case "pending":
      return `Pending: ${notice.address}: ${notice.reason}`;
    case "undo_saved":
      return `Undo plan saved in ${notice.path} (${notice.hash})`;
    case "saved_plan":
      return `${notice.undo ? "Undo plan" : "Saved plan"} ${notice.path}`;
    case "allowed":
      return `Allowed when it was made: ${flagsOf(notice).join(" ")}`;
    case "no_match":
      return `Nothing matches ${notice.pattern}.`;
    case "incomplete_read":
      return `${notice.address === undefined ? "" : `It is not known whether ${notice.address} exists. `}Not read whole: ${notice.what}`;
    case "snapshot":
      return snapshotText(notice);
  }
}

type OfType<T extends Notice["type"]> = Extract<Notice, { type: T }>;

const cancelled: Readonly<Record<OfType<"cancelled">["why"], string>> = {
  interrupted: "Interrupted. Nothing was changed.",
  declined: '\nCancelled. Nothing was changed. Only "yes" approves.',
  nothing_sent: "Nothing was changed.",
};

const waitingForList: Readonly<Record<OfType<"waiting_for_list">["why"], string>> = {
  created: "the last apply was interrupted during a creation, and the new object is not listed (yet)",
  deleted: "the last apply deleted a resource to make room for another, and a list still shows it",
};

/** Who holds the lock, and since when, by the clock of that machine. */
export const holderText = (by: LeaseHolder | undefined): string =>
  by
    ? `the apply by ${by.by} since ${by.since} (process ${by.pid} on ${by.host})`
    : "another apply, which does not tell whose it is,";

const flagsOf = ({ consent: { deletes, purchases, retries, rotations } }: OfType<"allowed">): string[] => [
  ...deletes.map((address) => `--allow-delete ${address}`),
  ...purchases.map((address) => `--allow-purchase ${address}`),
  ...retries.map((address) => `--retry ${address}`),
  ...rotations.map((address) => `--rotate ${address}`),
];

function snapshotText({ file, objects, lists, redacted, reads }: OfType<"snapshot">): string {
  const left = redacted === 0 ? "" : ` ${redacted} of them without fields that are or look secret.`;
  return `Recorded ${objects} objects in ${lists} lists (${reads} reads) to ${file}.${left}`;
}

type InventoryNotice = Extract<Notice, { type: `inventory${string}` }>;

const isInventoryNotice = (notice: Notice): notice is InventoryNotice => notice.type.startsWith("inventory");

function inventoryText(notice: InventoryNotice): string {
  switch (notice.type) {
    case "inventory":
      return inventoryHead(notice);
    case "inventory_address":
      return `  ${notice.address}${notice.preventDestroy ? "  (prevent_destroy)" : ""}`;
    case "inventory_why": {
      const known = notice.hasHistory ? "" : `, and ${notice.where} keeps no history`;
      return `${notice.address} is ${notice.ours ? "in" : "not in"} the inventory${known}.`;
    }
    case "inventory_event":
      return inventoryEventText(notice);
    case "inventory_undeclared":
      return `${notice.address} is not declared: the next apply deletes it where it exists.`;
    case "inventory_changed": {
      const { adopted, forgotten, where } = notice;
      if (adopted.length + forgotten.length === 0)
        return "The inventory already contains these changes. Nothing was changed.";
      return `${changeCounts(adopted.length, forgotten.length)} in ${where}.`;
    }
    case "inventory_unlocked": {
      if (!notice.lock) return "No apply is running. Nothing was changed.";
      const { by, since } = notice.lock;
      return `The lock${by === undefined ? "" : oneLine(` of the apply by ${by} since ${since}`)} is cleared.`;
    }
    case "inventory_held": {
      const { running } = notice;
      const who = running ? ` by ${running.by} has been running since ${running.since}` : " is running";
      return oneLine(`An apply${who}. Wait for it, or clear its lock with: hostform inventory --unlock`);
    }
    case "inventory_moved":
      return "Other runs kept changing the inventory. Nothing was changed: try again.";
  }
}

function inventoryHead({ where, count, lastApply, running }: OfType<"inventory">): string {
  const lines = [
    `Inventory: ${where}`,
    lastApply
      ? oneLine(`Last apply: ${lastApply.time} by ${lastApply.by}${commitText(lastApply.commit)}${planText(lastApply)}`)
      : "Last apply: none",
    ...(running
      ? [oneLine(`Not ended: an apply by ${running.by} since ${running.since}${commitText(running.commit)}`)]
      : []),
    `${count} ${count === 1 ? "address" : "addresses"}${count > 0 ? ":" : "."}`,
  ];
  return lines.join("\n");
}

function inventoryEventText({
  change,
  time,
  commit,
  subject,
  by,
  planHash,
  headCommit,
}: OfType<"inventory_event">): string {
  const lines = [
    `  ${change} ${time} with ${commit.slice(0, 12)} "${subject}"`,
    ...(by === undefined ? [] : [`    by ${by}`]),
    ...(planHash === undefined ? [] : [`    plan ${planHash}`]),
    ...(headCommit === undefined ? [] : [`    manifest at commit ${headCommit}`]),
  ];
  return lines.join("\n");
}

/** Such as `2 adopted, 1 forgotten`. */
const changeCounts = (adopted: number, forgotten: number): string =>
  [...(adopted > 0 ? [`${adopted} adopted`] : []), ...(forgotten > 0 ? [`${forgotten} forgotten`] : [])].join(", ");

// Whoever may push to the inventory may write anything into it.
const oneLine = (text: string) => text.replaceAll(/\p{Cc}+/gu, " ");
const planText = ({ planHash }: AppliedBy) => (planHash === "" ? "" : `, plan ${planHash.slice(0, 39)}`);
const commitText = (commit: string | undefined) => (commit === undefined ? "" : ` at commit ${commit.slice(0, 12)}`);
const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`;

/** Returns a notice as an event of `--json`: its type, its sentence as `message`, and its data. */
export const noticeEvent = (notice: Notice): Event => ({ message: noticeText(notice), ...eventData(notice) });

/** Formats that differ from the notice itself; scripts match them. */
function eventData(notice: Notice): Event {
  if (notice.type === "waiting_for_server") return { type: "waiting", ...notice.wait };
  if (notice.type === "waiting_for_list") return { type: "waiting" };
  if (notice.type === "lock_waiting") return { type: notice.type, by: notice.by?.by, since: notice.by?.since };
  if (notice.type === "inventory_unlocked") return { type: notice.type, ...notice.lock };
  if (notice.type === "allowed") return { type: notice.type, flags: flagsOf(notice) };
  if (notice.type !== "in_flight") return { ...notice };
  const { address, operation, path } = notice.intent;
  return { type: notice.type, address, operation, path, fate: notice.fate.is };
}

/** Returns a notice as lines of text, without control characters. */
export const renderNotice = (notice: Notice): string =>
  `${noticeText(notice).split("\n").map(escapeControls).join("\n")}\n`;
