import { quoted } from "../lib/escape.ts";
import { shortHash } from "../lib/short-hash.ts";
import type { Address } from "../model/address.ts";
import type { Diagnostic, Position } from "../model/diagnostic.ts";
import type { AppliedBy, LeaseHolder, LostLock } from "../model/inventory.ts";
import type { HeldRecord } from "../model/journal.ts";
import { clearDeadLock, inventoryCommand, unlocking } from "./advice.ts";
import type { DataOf } from "./data-of.ts";
import { holderText } from "./in-flight.ts";

/** Why it is not known what the last apply declared. */
const whyUnknown = {
  never: {
    summary: "Nothing was applied from this manifest so far, so there is nothing that could have drifted",
    hint: "apply it first",
  },
  not_kept: {
    summary: "No inventory is kept, so it is not known what was applied",
    hint: "put the manifest into a repository that git can read, or give --inventory FILE to apply and to drift",
  },
  no_inventory: { summary: "The inventory is not known, nor what was applied", hint: "see the warning about it" },
  dirty: {
    summary: "The last apply was an undo or had uncommitted changes, so no commit tells what it declared",
    hint: "commit a manifest that declares what is to stay, and apply it",
  },
  partial: {
    summary: "The last apply was of a part, and the file of the inventory does not tell which commit the rest is of",
    hint: "apply the whole manifest, or keep the inventory in git",
  },
  older: { summary: "The snapshot was taken before the last apply", hint: "take one now with hostform snapshot" },
  unreadable: {
    summary: "The manifest cannot be read as it was at the commit of the last apply",
    hint: "fetch that commit, such as with git fetch --unshallow; or apply the manifest",
  },
};

export type LastApplyUnknown = keyof typeof whyUnknown;

/** The diagnostics for each type of finding; its parameter is the data. */
const findings = {
  /** Lists show these objects `milliseconds` after the server answered that they are deleted. `journal`: the file that holds them. */
  still_listed: (found: { objects: readonly HeldRecord[]; milliseconds: number; journal: string }) =>
    found.objects.map((each) => stillListed(each, found.milliseconds / 1000, found.journal)),
  /** The values of these fields were taken away by the last apply, and are lost. */
  not_carried: ({ address, fields }: { address: Address; fields: readonly string[] }) =>
    diagnostic("warning", "not_carried", {
      summary: `${address}: the value of ${fields.join(", ")} from before the last apply is lost: it looks secret, so the journal does not hold it`,
      hint: `write ${fields.join(", ")} into the manifest`,
    }),
  /** A manifest names another API, or another way to it, than the flags and variables do. */
  settings_overridden: ({ overridden }: { overridden: readonly Overridden[] }) =>
    overridden.map(({ setting, written, used, place, at }) =>
      diagnostic("warning", "setting_overridden", {
        summary: `The manifest names ${written} as its ${setting}, and ${place} names ${used}, which counts`,
        hint: `make provider.${setting} the same, or take it out`,
        at,
      }),
    ),
  /** Others did not get to know how a run ended. `host`: of the URL, whose path may hold a token. */
  not_notified: ({ host, reason }: { host: string; reason: string }) =>
    diagnostic("warning", "not_notified", {
      summary: `The notification to ${host} failed: ${reason}`,
      hint: "check --notify-url (HOSTFORM_NOTIFY_URL); the run itself ended as it says",
    }),
  /** A journal or an inventory was named, and is not kept: the embedded service ends with the command. */
  file_not_used: ({ file }: { file: "journal" | "inventory" }) =>
    diagnostic("notice", "not_used", {
      summary: `--${file} is not used: the embedded service ends with the command`,
      hint: "pass --emulator-data FILE to keep the service and its inventory",
    }),
  /** Nothing can be compared with the last apply, because its manifest is not known. */
  last_apply_unknown: ({ why }: { why: keyof typeof whyUnknown }) =>
    diagnostic("error", "last_apply_unknown", whyUnknown[why]),
  /** Patterns under `tolerate:` whose date is over. */
  tolerated_until: ({ pattern, until, at }: { pattern: string; until: string; at: Position | undefined }) =>
    diagnostic("warning", "tolerated_until", {
      summary: `${pattern} was tolerated until ${until}, and is not any more`,
      hint: "give it a later date, or take it out",
      at,
    }),
  /** Another process holds a lock of this machine. */
  locked_here: ({ by, file }: { by: LeaseHolder | undefined; file: string }) =>
    diagnostic("error", "locked", {
      summary: by
        ? `Another apply is running${holder(by)}`
        : `Another apply is running: ${file} exists, and does not name its process`,
      detail: `no other apply of this target on this machine: ${file}`,
      hint: "wait until it ends; if its process is certainly dead, remove that lock",
    }),
  /** `unwatched`: whether this run has waited too short to tell a dead holder from a living one. `lives`: whether its process is seen here. `reason`: why the lock could not be taken besides. */
  locked: (
    { by, where, unwatched, reason, lives }: Held & { unwatched: boolean; reason?: string | undefined; lives?: true },
    inventory?: string,
  ) =>
    diagnostic("error", "locked", {
      summary:
        reason === undefined
          ? `Another apply is running${by ? holder(by) : ""}`
          : `The lock could not be taken${by ? `, and another apply may be running${holder(by)}` : ""}: ${reason}`,
      detail: where,
      hint: `${reason !== undefined && !by ? "mend that, then apply again; if another apply is running, wait until it ends" : "wait until it ends"}${unwatched ? "; with --lock-timeout 60 or more, the lock of a dead run is taken over" : ""}; ${lives === true ? `its process ${by?.pid} runs on this machine: end that first` : clearDeadLock(inventory)}`,
    }),
  /** The lock was free, but the inventory has the mark of an apply that has not ended, whose lock cannot be read. */
  not_ended: ({ by, where }: Held, inventory?: string) =>
    diagnostic("error", "locked", {
      summary: `This clone has not seen the apply${by ? ` by ${by.by}, since ${by.since},` : ""} end, and cannot read its lock`,
      detail: where,
      hint: `run again when the remote can be reached; ${clearDeadLock(inventory)}`,
    }),
  /** The inventory has the mark of an apply that has not ended, and no run holds its lock. */
  cut_off: ({ by, where }: Held) =>
    diagnostic("error", "cut_off", {
      summary: `An apply${by ? ` by ${by.by}, since ${by.since},` : ""} did not end: what it has changed so far is neither the last manifest nor the next`,
      detail: where,
      hint: "apply again, which ends it; then look for drift",
    }),
  /** The inventory could not be written in each place without the mark of the apply that has ended. */
  mark_stays: ({ by }: { by: string }, inventory?: string) =>
    diagnostic("notice", "inventory_lock_stays", {
      summary: `Where the inventory could not be written, the apply by ${by} counts as interrupted until the next apply ends`,
      hint: `apply again, or clear the mark: ${unlocking(inventory)}`,
    }),
  /** An address that is forgotten although the manifest declares it. */
  still_declared: ({ address, at }: { address: Address; at: Position }, inventory = inventoryCommand) =>
    diagnostic("warning", "still_declared", {
      summary: `${address} is still declared, so the next apply adopts it again`,
      hint: `take it out of the manifest, or keep it: ${inventory} --adopt ${quoted(address)}`,
      at,
    }),
  lock_lost: ({ lost: { by, reason }, where }: { lost: LostLock; where: string }) =>
    diagnostic("error", "lock_lost", {
      summary: `This apply has lost its lock: ${by ? `${holderText(by)} holds it` : reason}. It starts no further write`,
      detail: where,
      hint: "wait until no other apply is running, then apply again",
    }),
  /** Another run has changed the inventory since it was read. */
  overtaken: ({ by, where }: { by: AppliedBy | undefined; where: string }) =>
    diagnostic("error", "overtaken", {
      summary: `Another run, by ${by?.by ?? "an unknown runner"}, changed the inventory ${by ? `at ${by.time}` : "meanwhile"}: the plan is out of date`,
      detail: where,
      hint: "run again, to plan from the current state",
    }),
  journal_unreadable: ({ path, reason }: { path: string; reason: string }) =>
    diagnostic("warning", "journal_unreadable", {
      summary: `The journal ${path} cannot be read: ${reason}`,
      hint: `it may record an interrupted apply, so purchases are refused until you remove it; an apply that changes something moves it to ${path}.bad-TIME`,
    }),
  /** The plan is neither the approved one nor the rest of it. */
  plan_changed: ({ approved, hash, flags, differences }: ChangedPlan) => [
    diagnostic("error", "other_plan", {
      summary:
        hash === undefined
          ? `This plan is not the approved plan ${approved}, and it is refused`
          : `The plan has changed since it was approved: its hash is now ${hash}, not ${approved}`,
      detail: ["the approved plan, or the rest of it after an interrupted run", ...repeatedFlags(flags)].join("; "),
      hint:
        hash === undefined
          ? "nothing was changed; look at the plan above, and plan again with consent to its refusals for a new hash"
          : "nothing was changed; look at the plan above, and approve it by its own hash",
    }),
    ...differences,
  ],
  /** A file holds another plan than the approved one. `hash`: short. */
  other_plan: ({ path, approved, hash }: { path: string; approved: string; hash: string }) =>
    diagnostic("error", "other_plan", {
      summary: `${path} holds the plan ${hash}, but the approved plan is ${approved}`,
      hint: `nothing was changed; look at the plan with: hostform show ${quoted(path)}`,
    }),
  /** A file of a plan is not as it was saved: `stated` is the hash that it gives, `hash` that of its content. */
  altered_plan: ({ path, hash, stated }: { path: string; hash: string; stated: string }) =>
    diagnostic("error", "altered_plan", {
      summary: `${path} was modified after it was saved: ${hash === stated ? "its content has another hash" : `it holds the plan ${shortHash(hash)}, but states the hash ${shortHash(stated)}`}`,
      hint: "make the plan again, or copy the file again from the machine that saved it",
    }),
  plan_of_other_version: ({ path, contract }: { path: string; contract: string }) =>
    diagnostic("error", "plan_of_other_version", {
      summary: `${path} was saved by another version of Hostform, and this version, with its built-in contract ${contract}, plans something else of it`,
      hint: "nothing was changed; plan again with this version",
    }),
};

type Findings = typeof findings;

/** An event that is a mistake, or a warning: its type, and the data of its entry. */
export type Finding = {
  readonly [T in keyof Findings]: { readonly type: T } & DataOf<Findings[T]>;
}[keyof Findings];

/** Returns the diagnostics of a finding. `inventory`: the command that changes the inventory, with the flags of the run. */
export const findingDiagnostics = (finding: Finding, inventory?: string): readonly Diagnostic[] =>
  [findings[finding.type](finding as never, inventory)].flat();

export const isFinding = (event: { readonly type: string }): event is Finding => Object.hasOwn(findings, event.type);

/** The mark or lock of another apply, and the place of the inventory. */
interface Held {
  readonly by: LeaseHolder | undefined;
  readonly where: string;
}

/** A setting of a manifest that counts for nothing, because a flag or a variable (`place`) has another value. */
export interface Overridden {
  readonly setting: "base_url" | "contract" | "ca_file";
  readonly written: string;
  readonly used: string;
  readonly place: string;
  readonly at: Position | undefined;
}

/** `hash`: short; undefined where the plan is refused. `differences`: from the rest of the approved plan. `flags`: those that may be why. */
interface ChangedPlan {
  readonly approved: string;
  readonly hash: string | undefined;
  readonly flags: FlagsToRepeat;
  readonly differences: readonly Diagnostic[];
}

/** The flags that may be why a plan has another hash than the approved plan. */
export interface FlagsToRepeat {
  /** The flags that this run was not given, and that would change its plan. */
  readonly missing: readonly RepeatedFlag[];
  /** The flags that this run was given. */
  readonly given: readonly RepeatedFlag[];
}

export type RepeatedFlag = "only" | "except" | "rotate" | "retry" | "rollback";

const diagnostic = (
  severity: Diagnostic["severity"],
  code: string,
  texts: Pick<Diagnostic, "summary" | "detail" | "hint" | "at">,
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
  ...(missing.length > 0 ? [`pass the same flags to apply: ${dashed(missing)}, if the plan was made with them`] : []),
  ...(given.length > 0 ? [`the plan must have been made with the same ${dashed(given)}`] : []),
];

const dashed = (flags: readonly RepeatedFlag[]) => flags.map((flag) => `--${flag}`).join(", ");
