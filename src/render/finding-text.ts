import type { FlagsToRepeat } from "../saved-plans/flags-to-repeat.ts";
import type { EngineEvent, Finding } from "../engine/session/events.ts";
import { quoted } from "../lib/quoted.ts";
import { unused } from "../state/inventory/notices.ts";
import type { Diagnostic, Severity } from "../model/diagnostic.ts";
import type { LeaseHolder } from "../model/inventory.ts";
import type { HeldRecord } from "../model/journal.ts";
import { shortHash } from "../saved-plans/short-hash.ts";
import { inFlightDiagnostic } from "../messages/in-flight.ts";
import { holderText } from "../messages/lock-holder.ts";
import { clearDeadLock } from "../messages/inventory-commands.ts";

/** Returns the diagnostics that an event carries or stands for; undefined for an event that is none. */
export function diagnosticsOf(event: EngineEvent): readonly Diagnostic[] | undefined {
  if (event.type === "diagnostics") return event.diagnostics;
  if (event.type === "in_flight") return event.blockedBy && [inFlightDiagnostic(event, event.blockedBy)];
  const sentences: FindingTexts = findingTexts;
  return Object.hasOwn(sentences, event.type) ? sentences[event.type as Finding["type"]](event as never) : undefined;
}

type FindingTexts = { readonly [T in Finding["type"]]: (finding: Extract<Finding, { type: T }>) => Diagnostic[] };

const findingTexts: FindingTexts = {
  still_listed: ({ left, milliseconds, journal }) =>
    left.map((each) => stillListed(each, milliseconds / 1000, journal)),
  not_carried: ({ address, fields }) => [
    diagnostic("warning", "not_carried", {
      summary: `${address}: the value of ${fields.join(", ")} from before the last apply is lost: it looks secret, so the journal does not hold it`,
      hint: `write ${fields.join(", ")} into the manifest`,
    }),
  ],
  settings_overridden: ({ overridden }) =>
    overridden.map(({ setting, written, used, place, at }) => ({
      ...diagnostic("warning", "setting_overridden", {
        summary: `The manifest names ${written} as its ${setting}, and ${place} names ${used}, which counts`,
        hint: `make provider.${setting} the same, or take it out`,
      }),
      ...(at && { at }),
    })),
  journal_not_used: () => [unused("--journal")],
  locked_here: ({ by, file }) => [
    diagnostic("error", "locked", {
      summary: by
        ? `Another apply is running${holder(by)}`
        : `Another apply is running: ${file} exists, and does not name its process`,
      detail: `no other apply of this target on this machine: ${file}`,
      hint: "wait until it ends; if its process is certainly dead, remove that file",
    }),
  ],
  locked: ({ by, where, unwatched, reason }) => [
    diagnostic("error", "locked", {
      summary:
        reason === undefined
          ? `Another apply is running${by ? holder(by) : ""}`
          : `The lock could not be taken${by ? `, and another apply may be running${holder(by)}` : ""}: ${reason}`,
      detail: where,
      hint: `wait until it ends${unwatched ? "; with --lock-timeout 60 or more, the lock of a dead run is taken over" : ""}; ${clearDeadLock}`,
    }),
  ],
  not_ended: ({ by, where }) => [
    diagnostic("error", "locked", {
      summary: `This clone has not seen the apply${by ? ` by ${by.by}, since ${by.since},` : ""} end, and cannot read its lock`,
      detail: where,
      hint: `run again when the remote can be reached; ${clearDeadLock}`,
    }),
  ],
  lock_lost: ({ lost: { by, reason }, where }) => [
    diagnostic("error", "lock_lost", {
      summary: `This apply has lost its lock: ${by ? `${holderText(by)} holds it` : reason}. It starts no further write`,
      detail: where,
      hint: "wait until no other apply is running, then apply again",
    }),
  ],
  overtaken: ({ by, where }) => [
    diagnostic("error", "overtaken", {
      summary: `Another run, by ${by?.by ?? "an unknown runner"}, changed the inventory ${by ? `at ${by.time}` : "meanwhile"}: the plan is out of date`,
      detail: where,
      hint: "run again, to plan from the current state",
    }),
  ],
  journal_unreadable: ({ path, reason }) => [
    diagnostic("warning", "journal_unreadable", {
      summary: `The journal ${path} cannot be read: ${reason}`,
      hint: `it may record an interrupted apply, so purchases are refused until you remove it; an apply that changes something moves it to ${path}.bad-TIME`,
    }),
  ],
  plan_changed: ({ approved, hash, flags, differences }) => [
    diagnostic("error", "other_plan", {
      summary:
        hash === undefined
          ? `This plan is not the approved plan ${approved}, and it is refused`
          : `The plan has changed since it was approved: its hash is now ${hash}, not ${approved}`,
      detail: ["expected: the approved plan, or the rest of it after an interrupted run", ...repeatedFlags(flags)].join(
        "; ",
      ),
      hint:
        hash === undefined
          ? "nothing was changed; look at the plan above, and plan again with consent to its refusals for a new hash"
          : "nothing was changed; look at the plan above, and approve it by its own hash",
    }),
    ...differences,
  ],
  other_plan: ({ path, approved, hash }) => [
    diagnostic("error", "other_plan", {
      summary: `${path} holds the plan ${hash}, but the approved plan is ${approved}`,
      hint: `nothing was changed; look at the plan with: hostform show ${quoted(path)}`,
    }),
  ],
  altered_plan: ({ path, hash, stated }) => [
    diagnostic("error", "altered_plan", {
      summary: `${path} was modified after it was saved: ${hash === stated ? "its content has another hash" : `it holds the plan ${shortHash(hash)}, but states the hash ${shortHash(stated)}`}`,
      hint: "make the plan again, or copy the file again from the machine that saved it",
    }),
  ],
  plan_of_other_version: ({ path, contract }) => [
    diagnostic("error", "plan_of_other_version", {
      summary: `${path} was saved by another version of Hostform, and this version, with its built-in contract ${contract}, plans something else of it`,
      hint: "nothing was changed; plan again with this version",
    }),
  ],
};

const diagnostic = (
  severity: Severity,
  code: string,
  texts: Pick<Diagnostic, "summary" | "detail" | "hint">,
): Diagnostic => ({ severity, code, ...texts });

const holder = ({ by, since, pid, host }: LeaseHolder) => ` since ${since}, by ${by} (process ${pid} on ${host})`;

const stillListed = ({ address, successor, id, deletion }: HeldRecord, seconds: number, journal: string): Diagnostic =>
  diagnostic("error", "deleted_and_listed", {
    summary: `The server answered the last apply at ${deletion?.at} that ${address} (${id}) is deleted, and after ${seconds} s a list still shows it`,
    detail: `it was deleted to make room for ${successor}; until it is known whether it still exists, it is neither put back nor replaced`,
    hint: `nothing was changed; apply again when the list no longer shows it; if the deletion never takes effect, remove ${journal} and apply again`,
  });

/** Says which flags may be the cause of another hash: an approval contains none of them. */
const repeatedFlags = ({ missing, given }: FlagsToRepeat): string[] => [
  ...(missing.length > 0
    ? [`pass the same flags to apply: ${missing.join(", ")}, if the plan was made with them`]
    : []),
  ...(given.length > 0 ? [`the plan must have been made with the same ${given.join(", ")}`] : []),
];
