import { quoted } from "../lib/escape.ts";
import { shortHash } from "../lib/short-hash.ts";
import type { Address } from "../model/address.ts";
import type { Position } from "../model/diagnostic.ts";
import type { AppliedApi } from "../model/inventory.ts";
import type { SavedPlan } from "../model/saved-plan.ts";

/** A mistake as a person reads it. `code`: of the diagnostic; default: the type of the mistake. */
export interface Words {
  readonly code?: string;
  readonly summary: string;
  readonly hint: string;
  readonly at?: Position | undefined;
}

export type PlanTarget = Pick<SavedPlan["target"], "emulator" | "baseUrl" | "contract">;

/** A setting of the API, and the place that it comes from. */
export interface Setting {
  readonly value: string;
  readonly from: "flag" | "variable" | "manifest";
  /** Such as `--ca-file`, `HOSTFORM_CA_FILE` or `provider.ca_file`. */
  readonly place: string;
}

export const say = (summary: string, hint: string, code?: string): Words => ({
  summary,
  hint,
  ...(code !== undefined && { code }),
});

export const fileNames = {
  key: "key file",
  ca: "CA file",
  snapshot: "snapshot",
  plan: "saved plan",
  journal: "journal",
};

export const unreadableCodes = { key: "no_key_file", ca: "no_ca_file", snapshot: "no_snapshot", plan: "no_plan" };

/** Returns how to save a plan, in a new file, and how to give a manifest or a hash, which may be meant. */
export function planHint(path: string, file = "plan.json"): string {
  const word = quoted(path);
  if (path.startsWith("sha256:")) return `a plan is approved by its hash with hostform apply --approve ${word}`;
  return `hostform plan --out ${quoted(file)} writes one; a manifest is given as -f ${word}: write hostform apply -f ${word} or hostform plan -f ${word}`;
}

const otherPlace = "name a file in a folder that you may write to, on a disk that is not full";

export const unwritable = {
  snapshot: (path: string, reason: string) =>
    say(`The snapshot cannot be written to ${path}: ${reason}`, otherPlace, "not_written"),
  plan: (path: string, reason: string) => say(`No plan can be saved in ${path}: ${reason}`, otherPlace, "cannot_write"),
  lock: (path: string, reason: string) =>
    say(
      `The lock file cannot be written to ${path}: ${reason}`,
      "nothing was changed, because a lock in the temporary folder keeps a second apply out; make room there, and make it writable",
      "no_lock",
    ),
  journal: (path: string, reason: string) =>
    say(
      `No journal can be kept in ${path}: ${reason}`,
      "nothing was changed, because an interrupted apply cannot be recovered without a journal; pass a writable file: --journal FILE",
      "no_journal",
    ),
};

/** Returns the description of an API that differs from those of the others: the base URL, the contract, and where they differ its rules for the key, and the CA. */
export function apiText(api: AppliedApi | string, others: readonly (AppliedApi | string)[]): string {
  if (typeof api === "string") return `another base URL or contract (refs/hostform/${api})`;
  const { base_url: baseUrl, contract, auth, ca } = api;
  const isOther = (key: "auth" | "ca") => others.some((each) => typeof each === "object" && each[key] !== api[key]);
  const isSameName = others.some((each) => typeof each === "object" && each.contract === contract);
  const parts = [
    `contract ${contract}`,
    ...(isSameName && isOther("auth") ? [`its key ${shortHash(auth)}`] : []),
    ...(isOther("ca") ? [ca === undefined ? "the system's CAs" : `CA ${shortHash(ca)}`] : []),
  ];
  return `${baseUrl} (${parts.join(", ")})`;
}

export const targetName = ({ emulator, baseUrl, contract }: PlanTarget) =>
  `${emulator ? "the embedded service" : baseUrl} (contract ${contract})`;

/** Returns the way out where both the embedded service and a base URL are asked for: a manifest's URL can only be overridden. */
export function twoTargetsHint({ from, place }: Setting, data: string | undefined): string {
  const flag = data === undefined ? "--emulator" : "--emulator-data";
  const first = `leave out ${flag}, or the base URL (${place})`;
  if (from !== "manifest") return first;
  const start = data === undefined ? "hostform emulator" : `hostform emulator --data ${quoted(data)}`;
  return `${first}; to keep the manifest as it is, start ${start} and pass the --base-url and --ca-file that it prints, or try the plan with hostform rehearse`;
}

export interface Unreadable {
  readonly file: keyof typeof unreadableCodes;
  readonly path: string;
  readonly reason: string;
  readonly where?: string;
}

/** `known`: the APIs of the last applies of the inventories, or their keys. `isOwn`: whether they are of the manifest's name. `unread`: why they could not be read. */
export interface UnknownApi {
  readonly name: string;
  readonly asked: AppliedApi;
  readonly known: readonly (AppliedApi | string)[];
  readonly isOwn: boolean;
  readonly unread: string | undefined;
  readonly at: Position | undefined;
}

export interface Unsaveable {
  readonly plain: readonly { readonly address: Address; readonly field: string; readonly at: Position | undefined }[];
  readonly outside: readonly { readonly address: Address; readonly file: string }[];
}

export interface UnknownKind {
  readonly pattern: string;
  readonly name: string;
  readonly near: string | undefined;
  readonly kinds: readonly string[];
}
