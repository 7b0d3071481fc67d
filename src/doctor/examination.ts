import { layOver } from "../contract/lay-over.ts";
import { rulesOf } from "../contract/rules-of.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Address } from "../model/address.ts";
import type { ApiRules, Contract, Pointer } from "../model/contract.ts";
import type { DoctorFinding } from "../model/doctor.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { getPointer, isObject } from "../model/json-pointer.ts";
import type { Key, Remote } from "../model/resource.ts";
import type { Probe } from "./probe.ts";

/** An object that a list held. */
export interface ExaminedObject {
  readonly kind: Kind;
  readonly key: Key;
  readonly remote: Remote;
}

/** The state of a run. */
export interface Examination {
  readonly probe: Probe;
  /** The contract as it is read by: entries that were refuted are replaced by those that the answers show. */
  contract: Contract;
  readonly findings: Map<string, DoctorFinding>;
  readonly found: Map<Address, ExaminedObject>;
  /** Texts of parameters that were looked up, by kind and parameter. */
  readonly lookups: Map<string, string>;
  /** Members of records that no entry reads, by kind. */
  readonly unread: Map<string, readonly Pointer[]>;
}

export type EntryPath = readonly string[];

export const pathKey = (path: EntryPath) => JSON.stringify(path);

/** Notes that an answer bears an entry out, unless another answer has refuted it. */
export function confirm(exam: Examination, path: EntryPath): void {
  if (exam.findings.get(pathKey(path))?.is !== "refuted") exam.findings.set(pathKey(path), { path, is: "confirmed" });
}

/** Notes why an entry could not be tested, unless an answer has shown it. */
export function leaveUntested(exam: Examination, path: EntryPath, reason: string): void {
  if (!exam.findings.has(pathKey(path))) exam.findings.set(pathKey(path), { path, is: "not_tested", reason });
}

interface Refutation {
  readonly path: EntryPath;
  readonly expected: string;
  readonly found: string;
  /** Laid over the contract at once, so that the rest can be tested. */
  readonly write?: JsonObject | undefined;
  readonly hint?: string | undefined;
}

/** Notes that an answer contradicts an entry; the first contradiction counts. */
export function refute(exam: Examination, { path, expected, found, write, hint }: Refutation): void {
  if (exam.findings.get(pathKey(path))?.is === "refuted") return;
  exam.findings.set(pathKey(path), {
    path,
    is: "refuted",
    expected,
    found,
    ...(write && { write }),
    ...(hint !== undefined && { hint }),
  });
  if (write) exam.contract = overlaid(exam.contract, write);
}

export const overlaid = (contract: Contract, write: JsonObject): Contract =>
  layOver(contract as unknown as Json, write) as unknown as Contract;

/** Returns an object that holds a value at a path. */
export const nested = (path: EntryPath, value: Json): JsonObject =>
  path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value) as JsonObject;

/** Returns the value at a path of a contract. */
export const entryAt = (contract: Contract, path: EntryPath): Json | undefined =>
  path.reduce<Json | undefined>(
    (here, key) =>
      isObject(here) ? getPointer(here, `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`) : undefined,
    contract as unknown as Json,
  );

/**
 * Returns the path of a rule for answers: that of the operation, of the kind, or of the whole contract. One that holds for other kinds
 * stays, and the kind gets its own.
 */
export function ruleAt(
  { contract, findings }: Examination,
  kind: string,
  operation: string,
  rule: EntryPath,
): EntryPath {
  const own: readonly EntryPath[] = [
    ["kinds", kind, "operations", operation, ...rule],
    ["kinds", kind, ...rule],
  ];
  const there = own.find((path) => entryAt(contract, path) !== undefined);
  if (there) return there;
  return findings.has(pathKey(rule)) && entryAt(contract, rule) !== undefined ? ["kinds", kind, ...rule] : rule;
}

/** Returns the path at which a rule was written, for what bears it out. */
export function writtenAt({ contract }: Examination, kind: string, operation: string, rule: EntryPath): EntryPath {
  const own: readonly EntryPath[] = [
    ["kinds", kind, "operations", operation, ...rule],
    ["kinds", kind, ...rule],
  ];
  return own.find((path) => entryAt(contract, path) !== undefined) ?? rule;
}

export const rulesFor = ({ contract }: Examination, kind: Kind, operation: string): ApiRules =>
  rulesOf(contract, kind.name, operation);
