import { quoted } from "../lib/escape.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Begin, RecoveredOutcome, SentIntent } from "../model/journal.ts";
import { jsonText } from "../model/json.ts";
import { applyAfter, forgetting, unlocking } from "./advice.ts";
import type { LeaseHolder } from "../model/inventory.ts";

/** One write of an interrupted apply, and what became of it. */
export interface InFlight {
  readonly intent: SentIntent;
  /** Of the object that the write is known to have made. */
  readonly id?: string;
  readonly fate: RecoveredOutcome;
  /** The apply that sent it. */
  readonly begin: Begin;
  /** False if that apply was interrupted. */
  readonly ended: boolean;
  /** Present if nothing can be changed before a person has checked whether the write was done. */
  readonly blockedBy?: BlockedBy;
}

/** The file or inventory that remembers a write of an interrupted apply. */
export interface BlockedBy {
  /** The file of the journal that holds it. */
  readonly journal: string;
  /** Whether the inventory has the mark of the apply. */
  readonly lock: boolean;
  /** Whether the inventory holds the request. */
  readonly inventory: boolean;
}

/** Returns the sentence about one write of an interrupted apply: the write, its state when that apply ended, and its outcome. */
export function inFlightText({ intent, id, fate, begin, ended }: InFlight): string {
  const { operation, address, identity } = intent;
  const when = `(by ${begin.by}, since ${begin.since})`;
  const write = `${operation} ${address}${identity === undefined ? "" : ` (${jsonText(identity)})`}`;
  const afterEnd = ended
    ? `had no clear answer when the last apply ${when} ended`
    : `was in flight when the last apply ${when} was interrupted`;
  const state = id === undefined ? afterEnd : `was answered in the last apply ${when}`;
  return `${write} ${state}: ${outcomeText(fate, operation === "update" || intent.set === true)}`;
}

function outcomeText(fate: InFlight["fate"], isUpdate: boolean): string {
  // The manifest may ask for other values by now: an update of which nothing is planned need not be done.
  if (fate.is === "done") return isUpdate ? "nothing is left to do" : "it is done";
  if (fate.is === "untold") return `its outcome is unknown: ${fate.reason}`;
  if (fate.is === "renamed") return `the server has it under another name: ${fate.name} (${fate.id})`;
  if (fate.is === "unlisted")
    return `it was created (${fate.id}), but no list shows it; check on the server whether it was deleted since${fate.planned ? "; it is planned again" : ""}`;
  const rest = fate.planned ? "is planned again" : "the current manifest does not ask for it";
  return `it was not done, and ${rest}${fate.hint === undefined ? "" : `; ${fate.hint}`}`;
}

/** Returns what a person must look at before anything can be changed. `command`: the one that changes the inventory, with its flags. */
export function inFlightDiagnostic(
  notice: InFlight,
  { journal, lock, inventory }: BlockedBy,
  command?: string,
): Diagnostic {
  const { address, method, path } = notice.intent;
  const summary = inFlightText(notice);
  if (notice.fate.is === "renamed") {
    const hint = `nothing was changed; write that name into the manifest to take the object over, describe the server's names in a contract file (name_prefix), or remove the object on the server; then apply again`;
    return { severity: "error", code: "made_under_other_name", summary, hint };
  }
  const commands = [
    `rm ${quoted(journal)}`,
    ...(lock ? [unlocking(command)] : []),
    ...(inventory ? [forgetting(address, command)] : []),
  ];
  const hint = `nothing was changed; check on the server whether ${method} ${path} was carried out: if so, wait until the result is listed; if not, ${applyAfter(commands)}`;
  return { severity: "error", code: "in_flight_untold", summary, hint };
}

/** Describes the holder of the lock, and since when it is held, by the clock of that machine. */
export const holderText = (by: LeaseHolder | undefined): string =>
  by
    ? `the apply by ${by.by} since ${by.since} (process ${by.pid} on ${by.host})`
    : "another apply, whose process is unknown,";
