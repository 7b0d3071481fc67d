import { shortHash } from "../lib/short-hash.ts";
import { counted, nameSome } from "../lib/shorten.ts";
import { quoted } from "../lib/escape.ts";
import type { Address } from "../model/address.ts";
import type { Wait } from "../model/attempt.ts";
import type {
  AppliedBy,
  Inventory,
  InventoryEvent,
  InventoryPlace,
  LeaseHolder,
  RunningApply,
} from "../model/inventory.ts";
import type { JsonObject } from "../model/json.ts";
import type { StepId } from "../model/plan.ts";
import type { CannotUndo, SavedPlan } from "../model/saved-plan.ts";
import { beginningText, type Beginning } from "./beginning.ts";
import { inFlightText, type InFlight, holderText } from "./in-flight.ts";
import { consentFlags } from "./advice.ts";
import type { DataOf } from "./data-of.ts";

/** The parts of a plan, in their order. `start`: from the start of the process; `render`: also the plan's hash and its files. */
export type PlanPart = "start" | "parse" | "validate" | "reads" | "diff" | "order" | "render";

/** A sentence for a person, for each type of notice; its parameter is the data. Most are one line. */
const sentences = {
  valid: ({ resources, files }: { resources: number; files: readonly string[] }) =>
    `Valid: ${counted(resources, "resource")} in ${files.join(", ")}.`,
  /** `declined`: the person who was asked did not approve. `nothing_sent`: the run was stopped before it sent a write. */
  cancelled: ({ why }: { why: keyof typeof cancelled }) => cancelled[why],
  stopping: () =>
    "Stopping: requests in flight will finish, and nothing new starts. Interrupt again to exit immediately.",
  waiting: (wait: Wait | ListWait) =>
    "why" in wait
      ? `Waiting up to ${Math.ceil(wait.milliseconds / 1000)} s: ${waitingForList[wait.why]}`
      : waitText(wait),
  /** The values of these fields, from before the last apply, which was interrupted, are taken from the journal. */
  carried: ({ address, fields }: { address: Address; fields: readonly string[] }) =>
    `${address}: the value of ${fields.join(", ")} from before the last apply, which was interrupted, is taken from the journal`,
  /** `waited`: milliseconds; `timeout`: seconds. */
  lock_waiting: ({ by, waited, timeout }: { by: LeaseHolder | undefined; waited: number; timeout: number }) =>
    `Waiting for ${holderText(by)} to end (${Math.round(waited / 1000)} of at most ${timeout} s)`,
  /** Addresses with requests of an earlier apply whose outcome was not looked up. */
  undecided: ({ addresses }: { addresses: readonly Address[] }) =>
    `An earlier apply did not end, and it is undecided whether its requests for ${nameSome(addresses, 10)} were carried out: hostform plan finds out`,
  in_flight: (inFlight: InFlight) => inFlightText(inFlight),
  held: ({ address, successor }: Exchange) =>
    `The last apply deleted ${address} to make room for ${successor}: this apply creates ${successor}, or puts ${address} back`,
  /** An earlier apply has deleted it, and it has left the manifest since. `record`: what it was, without secrets. */
  not_put_back: ({ address, successor, record }: Exchange & { record: JsonObject }) =>
    `${address} was deleted for ${successor} by an apply that was interrupted. It is not put back: it has left the manifest since. It was ${JSON.stringify(record)}`,
  /** `hash`: short. `begun`: when the approved plan began to run, ISO 8601. */
  remainder: ({ hash, begun }: { hash: string; begun: string }) =>
    `Remaining steps of the plan ${hash}, which was approved and begun at ${begun}:`,
  satisfied: ({ step }: { step: StepId }) => `Done already: ${step}`,
  cannot_undo: ({ address, reason }: CannotUndo) => `Cannot be undone: ${address}: ${reason}`,
  accepted: ({ address, file, line }: { address: Address; file: string; line: number }) =>
    `The manifest now matches the live state of ${address} (${file}:${line}). Commit it, so that others have it.`,
  rehearsing: ({ cuts, total }: { cuts: number; total: number }) => `Rehearsing: ${cuts} of ${total} simulated crashes`,
  not_rehearsed: () => "Nothing was changed: the rehearsal of this plan failed.",
  not_converged: () => "Applied, but the live state does not match the manifest. What still differs:",
  /** Printed before the plan that names what could not be read. */
  not_confirmed: () => "Applied, but not confirmed: the live state could not be read whole. Later, run: hostform plan",
  pending: ({ address, reason }: { address: Address; reason: string }) => `Pending: ${address}: ${reason}`,
  /** Milliseconds of each part. */
  timings: ({ parts, total }: { parts: Readonly<Partial<Record<PlanPart, number>>>; total: number }) =>
    `Timings: ${Object.entries(parts)
      .map(([part, time]) => `${part} ${time} ms`)
      .join(", ")}; ${total} ms in all`,
  /** `refused`: the plan cannot be applied as it is. */
  plan_saved: ({ path, refused }: { path: string; refused: boolean }) =>
    `Saved in ${path}.${refused ? "" : ` To apply it: hostform apply ${quoted(path)}`}`,
  undo_saved: ({ path, hash }: { path: string; hash: string }) => `Undo plan saved in ${path} (${hash})`,
  saved_plan: ({ path, undo }: { path: string; undo: boolean }) => `${undo ? "Undo plan" : "Saved plan"} ${path}`,
  /** The consent that a saved plan carries. */
  allowed: ({ consent }: { consent: SavedPlan["consent"] }) =>
    `The plan carries consent, as these flags would give it: ${flagsOf(consent, quoted).join(" ")}`,
  no_match: ({ pattern }: { pattern: string }) =>
    `Nothing matches ${pattern}${/[/*]/u.test(pattern) ? "" : `: write ${quoted(`${pattern}/*`)}`}.`,
  /** A list that could not be read to its end; `address`: it is not known whether that exists. */
  incomplete_read: ({ address, what }: { what: string; address?: Address }) =>
    `${address === undefined ? "" : `It is not known whether ${address} exists. `}Incomplete list: ${what}`,
  snapshot: ({ file, objects, lists, redacted, reads }: TakenSnapshot) => {
    const withheld = redacted === 0 ? "" : ` ${redacted} of them without fields that are or look secret.`;
    return `Recorded ${counted(objects, "object")} in ${counted(lists, "list")} (${counted(reads, "read")}) to ${file}.${withheld}`;
  },
  imported: ({ place, files, resources, left_out: omitted, unread, reads, is_new: isNew }: Imported) => {
    const what = resources + unread > 0 ? `Imported ${counted(resources, "resource")}` : "Nothing to import";
    const counts = [...(files === 0 ? [] : [counted(files, "file")]), ...(reads === 0 ? [] : [counted(reads, "read")])];
    const where = isNew ? "the comments in the manifest" : "the warnings above";
    const rest = omitted === 0 ? "" : ` ${omitted} left out: ${where} say which, and why.`;
    return `${what} to ${place} (${counts.join(", ")}).${rest}${unread === 0 ? "" : ` ${counted(unread, "list")} not read: hostform import --into ${quoted(place)} adds what is in them later.`}`;
  },
  initialised: (beginning: Beginning) => beginningText(beginning),
  /** Imported resources that become ours with the next apply, as the plan before it says. */
  not_owned: ({ count }: { count: number }) =>
    `hostform import --own --into FOLDER adds ${count === 1 ? "it" : "them"} to the inventory at once.`,
  /** Existing resources that this apply has put into the inventory. `kept`: where that is, as far as the write went. */
  taken_over: ({ count, where, kept, sharedAt }: { count: number } & InventoryPlace) => {
    const how = { shared: `, pushed to ${sharedAt}`, unshared: ", in this clone only", file: "" };
    return `${counted(count, "resource")} ${count === 1 ? "is" : "are"} ours now. The inventory is in ${where}${how[kept]}.`;
  },
  reading: ({ reads }: { reads: number }) => `Reading the account: ${counted(reads, "answer")} so far`,
  inventory: ({ where, count, lastApply, running }: InventoryHead) =>
    [
      `Inventory: ${where}`,
      lastApply
        ? `Last apply: ${oneLine(`${lastApply.time} by ${lastApply.by}${commitText(lastApply.commit)}${dirtyText(lastApply)}${planText(lastApply)}`)}`
        : "Last apply: none",
      ...(running
        ? [
            `Running or interrupted: ${oneLine(`an apply by ${running.by} since ${running.since}${commitText(running.commit)}`)}`,
          ]
        : []),
      `${count} ${count === 1 ? "address" : "addresses"}${count > 0 ? ":" : "."}`,
    ].join("\n"),
  inventory_address: ({ address, preventDestroy }: { address: Address; preventDestroy: boolean }) =>
    `  ${address}${preventDestroy ? "  (prevent_destroy)" : ""}`,
  inventory_why: ({ address, ours, where, hasHistory }: InventoryWhy) =>
    `${address} is ${ours ? "in" : "not in"} the inventory${hasHistory ? "" : `, and ${where} keeps no history`}.`,
  inventory_event: (event: { address: Address } & InventoryEvent) => {
    const { change, time, commit, subject, by, planHash, headCommit, dirty } = event;
    return [
      `  ${change} ${time} with ${commit.slice(0, 12)} "${subject}"`,
      ...(by === undefined ? [] : [`    by ${by}`]),
      ...(planHash === undefined ? [] : [`    plan ${planHash}`]),
      ...(headCommit === undefined ? [] : [`    manifest at commit ${headCommit}${dirtyText({ dirty })}`]),
    ].join("\n");
  },
  inventory_undeclared: ({ address }: { address: Address }) =>
    `${address} is not declared: the next apply deletes it if it exists.`,
  inventory_changed: ({ adopted, forgotten, where }: InventoryChange) => {
    const counts = [
      ...(adopted.length > 0 ? [`${adopted.length} adopted`] : []),
      ...(forgotten.length > 0 ? [`${forgotten.length} forgotten`] : []),
    ];
    return counts.length === 0
      ? "The inventory already contains these changes. Nothing was changed."
      : `${counts.join(", ")} in ${where}.`;
  },
  /** `lock`: absent if there was none. */
  inventory_unlocked: ({ lock }: { lock?: { by: string | undefined; since: string | undefined } }) =>
    lock
      ? `The lock${lock.by === undefined ? "" : oneLine(` of the apply by ${lock.by} since ${lock.since}`)} is cleared.`
      : "No apply is running. Nothing was changed.",
  inventory_moved: () => "Other runs kept changing the inventory. Nothing was changed: try again.",
};

type Sentences = typeof sentences;

/** An event that is one sentence for a person: its type, and the data of its entry. */
export type Notice = {
  readonly [T in keyof Sentences]: { readonly type: T } & DataOf<Sentences[T]>;
}[keyof Sentences];
type NoticeOf<T extends Notice["type"]> = Extract<Notice, { type: T }>;

/** Returns the sentence of a notice. Control characters are the caller's to escape. */
export const noticeText = (notice: Notice): string => sentences[notice.type](notice as never);

/** The JSON forms of notices that scripts match, and that differ from the data. */
const jsonForms: { readonly [T in Notice["type"]]?: (notice: NoticeOf<T>) => { readonly type: T } } = {
  lock_waiting: ({ type, by }) => ({ type, by: by?.by, since: by?.since }),
  taken_over: ({ type, count, where, kept, sharedAt }) => {
    const names = { shared: "remote", unshared: "clone", file: "file" };
    return { type, count, kept: names[kept], where, remote: sharedAt };
  },
  inventory_unlocked: ({ type, lock }) => ({ type, ...lock }),
  allowed: ({ type, consent }) => ({ type, flags: flagsOf(consent) }),
  in_flight: ({ type, intent: { address, operation, path }, fate }) => ({
    type,
    address,
    operation,
    path,
    fate: fate.is,
  }),
};

/** The type of every notice. */
export const noticeTypes = Object.keys(sentences) as readonly Notice["type"][];

/** Returns a notice as an event of `--json`: its type, its sentence as `message`, and its data. */
export const noticeEvent = (notice: Notice): { readonly type: Notice["type"]; readonly message: string } => ({
  message: noticeText(notice),
  ...(jsonForms[notice.type]?.(notice as never) ?? notice),
});

/** A list may not show yet what the last apply, which was interrupted, has created or deleted. */
interface ListWait {
  readonly why: keyof typeof waitingForList;
  readonly milliseconds: number;
}

interface Exchange {
  readonly address: Address;
  readonly successor: Address;
}

interface TakenSnapshot {
  readonly file: string;
  readonly taken_at: string;
  readonly objects: number;
  readonly lists: number;
  readonly redacted: number;
  readonly reads: number;
}

interface Imported {
  /** The folder or file that was written. */
  readonly place: string;
  readonly files: number;
  readonly resources: number;
  /** Values and resources that are not in the manifest. */
  readonly left_out: number;
  /** Lists that could not be read whole. */
  readonly unread: number;
  /** Whether the manifest is new, so that comments in it say what is left out. */
  readonly is_new: boolean;
  readonly reads: number;
}

interface InventoryHead {
  readonly where: string;
  readonly count: number;
  readonly lastApply: Inventory["lastApply"];
  readonly running: RunningApply | undefined;
}

interface InventoryWhy {
  readonly address: Address;
  readonly ours: boolean;
  readonly where: string;
  readonly hasHistory: boolean;
}

interface InventoryChange {
  readonly adopted: readonly Address[];
  readonly forgotten: readonly Address[];
  readonly where: string;
}

const cancelled = {
  interrupted: "Interrupted. Nothing was changed.",
  declined: '\nCancelled. Nothing was changed. Only "yes" approves.',
  nothing_sent: "Nothing was changed.",
};

const waitingForList = {
  created: "the last apply was interrupted during a creation, and the new object is not listed (yet)",
  deleted: "the last apply deleted a resource to make room for another, and a list still shows it",
};

const flagsOf = (consent: SavedPlan["consent"], write = (address: string) => address): string[] =>
  (["deletes", "purchases", "retries", "rotations"] as const).flatMap((by) =>
    consent[by].map((address) => `${consentFlags[by]} ${write(address)}`),
  );

// Whoever may push to the inventory may write anything into it.
const oneLine = (text: string) => text.replaceAll(/\p{Cc}+/gu, " ");
const planText = ({ planHash }: AppliedBy) => (planHash === "" ? "" : `, plan ${shortHash(planHash)}`);
const dirtyText = ({ dirty }: { readonly dirty?: boolean | undefined }) =>
  dirty === true ? ", with changes that it does not declare" : "";
const commitText = (commit: string | undefined) => (commit === undefined ? "" : ` at commit ${commit.slice(0, 12)}`);

/** Says for how long nothing happens, which request waits, and whose wish that is. One line. */
function waitText({ milliseconds, asked, status, method, path }: Wait): string {
  const request = `${method} ${path}`;
  const isCut = asked !== undefined && asked > milliseconds;
  if (status === undefined) {
    const waiting = `Waiting ${seconds(milliseconds)} after ${request}`;
    return isCut
      ? `${waiting}: the rate limit is exhausted and resets in ${seconds(asked)}; Hostform retries earlier.`
      : `${waiting}, until the rate limit is reset.`;
  }
  const waiting = `Waiting ${seconds(milliseconds)} to send ${request} again`;
  if (asked === undefined) return `${waiting} (${status}; the server does not say how long).`;
  return isCut
    ? `${waiting}: the server asks for ${seconds(asked)} (${status}); Hostform retries earlier.`
    : `${waiting}, as the server asked (${status}).`;
}

const seconds = (milliseconds: number) => `${Math.ceil(milliseconds / 1000)} s`;
