import type { Notice } from "../engine/session/events.ts";
import type { AppliedBy, LeaseHolder } from "../model/inventory.ts";
import { quoted } from "../lib/quoted.ts";
import { escapeControls } from "../lib/escape.ts";
import { boundText } from "../lib/shorten.ts";
import type { Event } from "./events.ts";
import { renderBeginning } from "./beginning-text.ts";
import { inFlightText } from "./in-flight-text.ts";
import { renderWait } from "./transport-text.ts";
import { counted } from "./table.ts";

/** Returns the sentence of a notice; most are one line. Control characters are the caller's to escape. */
export const noticeText = (notice: Notice): string => noticeTexts[notice.type](notice as never);

type NoticeOf<T extends Notice["type"]> = Extract<Notice, { type: T }>;

type NoticeTexts = { readonly [T in Notice["type"]]: (notice: NoticeOf<T>) => string };

const noticeTexts: NoticeTexts = {
  valid: ({ resources, files }) => `Valid: ${counted(resources, "resource")} in ${files.join(", ")}.`,
  cancelled: ({ why }) => cancelled[why],
  stopping: () =>
    "Stopping: requests in flight will finish, and nothing new starts. Interrupt again to exit immediately.",
  waiting_for_server: ({ wait }) => renderWait(wait),
  waiting_for_list: ({ milliseconds, why }) =>
    `Waiting up to ${Math.ceil(milliseconds / 1000)} s: ${waitingForList[why]}`,
  carried: ({ address, fields }) =>
    `${address}: the value of ${fields.join(", ")} from before the last apply, which was interrupted, is taken from the journal`,
  lock_waiting: ({ by, waited, timeout }) =>
    `Waiting for ${holderText(by)} to end (${Math.round(waited / 1000)} of at most ${timeout} s)`,
  in_flight: inFlightText,
  held: ({ address, successor }) =>
    `The last apply deleted ${address} to make room for ${successor}: this apply creates ${successor}, or puts ${address} back`,
  not_put_back: ({ address, successor, record }) =>
    `${address} was deleted for ${successor} by an apply that was interrupted. It is not put back: another apply has taken it out of the inventory since. It was ${JSON.stringify(record)}`,
  remainder: ({ hash, begun }) => `Remaining steps of the plan ${hash}, which was approved and begun at ${begun}:`,
  satisfied: ({ step }) => `Done already: ${step}`,
  cannot_undo: ({ address, reason }) => `Cannot be undone: ${address}: ${reason}`,
  rehearsing: ({ cuts, total }) => `Rehearsing: ${cuts} of ${total} simulated crashes`,
  not_rehearsed: () => "Nothing was changed: the rehearsal of this plan failed.",
  not_converged: () => "Applied, but the live state does not match the manifest. What still differs:",
  pending: ({ address, reason }) => `Pending: ${address}: ${reason}`,
  timings: ({ parts, total }) =>
    `Timings: ${Object.entries(parts)
      .map(([part, time]) => `${part} ${time} ms`)
      .join(", ")}; ${total} ms in all`,
  plan_saved: ({ path, refused }) =>
    `Saved in ${path}.${refused ? "" : ` To apply it: hostform apply ${quoted(path)}`}`,
  undo_saved: ({ path, hash }) => `Undo plan saved in ${path} (${hash})`,
  saved_plan: ({ path, undo }) => `${undo ? "Undo plan" : "Saved plan"} ${path}`,
  allowed: (notice) => `Allowed when the plan was made: ${flagsOf(notice, quoted).join(" ")}`,
  no_match: ({ pattern }) =>
    `Nothing matches ${pattern}${/[/*]/u.test(pattern) ? "" : `: write ${quoted(`${pattern}/*`)}`}.`,
  incomplete_read: ({ address, what }) =>
    `${address === undefined ? "" : `It is not known whether ${address} exists. `}Incomplete list: ${what}`,
  snapshot: ({ file, objects, lists, redacted, reads }) => {
    const left = redacted === 0 ? "" : ` ${redacted} of them without fields that are or look secret.`;
    return `Recorded ${counted(objects, "object")} in ${counted(lists, "list")} (${counted(reads, "read")}) to ${file}.${left}`;
  },
  imported: ({ place, files, resources, left_out: left, reads, is_new: isNew }) =>
    `${resources === 0 ? "Nothing to import" : `Imported ${counted(resources, "resource")}`} to ${place} (${[
      ...(files === 0 ? [] : [counted(files, "file")]),
      ...(reads === 0 ? [] : [counted(reads, "read")]),
    ].join(", ")}).${
      left === 0
        ? ""
        : ` ${left} left out: ${isNew ? "the comments in the manifest" : "the warnings above"} say which, and why.`
    }`,
  initialised: renderBeginning,
  not_owned: ({ count }) =>
    `${counted(count, "resource")} will be ours with the next apply of this manifest; import --own adds them to the inventory at once.`,
  taken_over: ({ count, ...place }) => {
    const where = {
      remote: `, pushed to ${"remote" in place ? place.remote : ""}`,
      clone: ", in this clone only",
      file: "",
    };
    return `${counted(count, "resource")} ${count === 1 ? "is" : "are"} ours now. The inventory is in ${place.where}${where[place.kept]}.`;
  },
  reading: ({ reads }) => `Reading the account: ${counted(reads, "answer")} so far`,
  inventory: ({ where, count, lastApply, running }) =>
    [
      `Inventory: ${where}`,
      lastApply
        ? oneLine(
            `Last apply: ${lastApply.time} by ${lastApply.by}${commitText(lastApply.commit)}${dirtyText(lastApply)}${planText(lastApply)}`,
          )
        : "Last apply: none",
      ...(running
        ? [
            oneLine(
              `Running or interrupted: an apply by ${running.by} since ${running.since}${commitText(running.commit)}`,
            ),
          ]
        : []),
      `${count} ${count === 1 ? "address" : "addresses"}${count > 0 ? ":" : "."}`,
    ].join("\n"),
  inventory_address: ({ address, preventDestroy }) => `  ${address}${preventDestroy ? "  (prevent_destroy)" : ""}`,
  inventory_why: ({ address, ours, where, hasHistory }) =>
    `${address} is ${ours ? "in" : "not in"} the inventory${hasHistory ? "" : `, and ${where} keeps no history`}.`,
  inventory_event: ({ change, time, commit, subject, by, planHash, headCommit, dirty }) =>
    [
      `  ${change} ${time} with ${commit.slice(0, 12)} "${subject}"`,
      ...(by === undefined ? [] : [`    by ${by}`]),
      ...(planHash === undefined ? [] : [`    plan ${planHash}`]),
      ...(headCommit === undefined ? [] : [`    manifest at commit ${headCommit}${dirtyText({ dirty })}`]),
    ].join("\n"),
  inventory_undeclared: ({ address }) => `${address} is not declared: the next apply deletes it if it exists.`,
  inventory_changed: ({ adopted, forgotten, where }) =>
    adopted.length + forgotten.length === 0
      ? "The inventory already contains these changes. Nothing was changed."
      : `${changeCounts(adopted.length, forgotten.length)} in ${where}.`,
  inventory_unlocked: ({ lock }) =>
    lock
      ? `The lock${lock.by === undefined ? "" : oneLine(` of the apply by ${lock.by} since ${lock.since}`)} is cleared.`
      : "No apply is running. Nothing was changed.",
  inventory_held: ({ running }) => {
    const who = running ? ` by ${running.by} has been running since ${running.since}` : " is running";
    return oneLine(
      `An apply${who}. Wait until it ends; if its process is certainly dead, run: hostform inventory --unlock`,
    );
  },
  inventory_moved: () => "Other runs kept changing the inventory. Nothing was changed: try again.",
};

const cancelled: Readonly<Record<NoticeOf<"cancelled">["why"], string>> = {
  interrupted: "Interrupted. Nothing was changed.",
  declined: '\nCancelled. Nothing was changed. Only "yes" approves.',
  nothing_sent: "Nothing was changed.",
};

const waitingForList: Readonly<Record<NoticeOf<"waiting_for_list">["why"], string>> = {
  created: "the last apply was interrupted during a creation, and the new object is not listed (yet)",
  deleted: "the last apply deleted a resource to make room for another, and a list still shows it",
};

/** Describes the holder of the lock, and since when it is held, by the clock of that machine. */
export const holderText = (by: LeaseHolder | undefined): string =>
  by
    ? `the apply by ${by.by} since ${by.since} (process ${by.pid} on ${by.host})`
    : "another apply, whose process is unknown,";

const flagsOf = (
  { consent: { deletes, purchases, retries, rotations } }: NoticeOf<"allowed">,
  write = (address: string) => address,
): string[] => [
  ...deletes.map((address) => `--allow-delete ${write(address)}`),
  ...purchases.map((address) => `--allow-purchase ${write(address)}`),
  ...retries.map((address) => `--retry ${write(address)}`),
  ...rotations.map((address) => `--rotate ${write(address)}`),
];

/** Such as `2 adopted, 1 forgotten`. */
const changeCounts = (adopted: number, forgotten: number): string =>
  [...(adopted > 0 ? [`${adopted} adopted`] : []), ...(forgotten > 0 ? [`${forgotten} forgotten`] : [])].join(", ");

// Whoever may push to the inventory may write anything into it.
const oneLine = (text: string) => text.replaceAll(/\p{Cc}+/gu, " ");
const planText = ({ planHash }: AppliedBy) => (planHash === "" ? "" : `, plan ${planHash.slice(0, 39)}`);
const dirtyText = ({ dirty }: { readonly dirty?: boolean | undefined }) =>
  dirty === true ? ", with uncommitted changes" : "";
const commitText = (commit: string | undefined) => (commit === undefined ? "" : ` at commit ${commit.slice(0, 12)}`);

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

/** Notices of several lines. */
const pages: ReadonlySet<Notice["type"]> = new Set(["cancelled", "initialised", "inventory", "inventory_event"]);

/** Returns a notice as text without control characters: no value in it begins a line. */
export const renderNotice = (notice: Notice): string =>
  `${pages.has(notice.type) ? noticeText(escapeValues(notice)) : escapeControls(noticeText(notice))}\n`;

const escapeValues = (notice: Notice) =>
  JSON.parse(JSON.stringify(notice), (_, value: unknown) =>
    typeof value === "string" ? boundText(escapeControls(value)) : value,
  ) as Notice;
