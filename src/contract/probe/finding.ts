import type { ProbeFinding } from "../../model/contract-summary.ts";
import type { BoundList } from "../bound-kind.ts";
import type { Kind } from "../../kinds/kind.ts";
import { shorten } from "../../lib/shorten.ts";
import { looksLikeCredentials, namesSecret } from "../../model/credentials.ts";
import type { Failure } from "../../model/failure.ts";
import type { Json, JsonObject } from "../../model/json.ts";

/** A list as a plan reads it. */
export interface ProbedList extends BoundList {
  readonly items: readonly JsonObject[];
  /** Why the list is not whole. */
  readonly incomplete?: string | undefined;
  readonly failure?: Pick<Failure, "sort"> | undefined;
  /** It changed while it was read. */
  readonly moved?: true | undefined;
}

type Path = readonly string[];

export const seen = (path: Path): ProbeFinding => ({ path, is: "seen" });

/** The most characters of a reason: the answer of a list stands at each entry of the contract that needs the list. */
const longestReason = 300;
export const unseen = (path: Path, reason: string): ProbeFinding => ({
  path,
  is: "unseen",
  reason: shorten(reason, longestReason),
});
export const refuted = (path: Path, expected: string, found: string): ProbeFinding => ({
  path,
  is: "refuted",
  expected,
  found,
});

const ranks = { unseen: 0, seen: 1, refuted: 2 } as const;

/** Returns one finding for each path: that something was refuted counts more than that it was seen elsewhere. */
export function strongest(findings: readonly ProbeFinding[]): ReadonlyMap<string, ProbeFinding> {
  const found = new Map<string, ProbeFinding>();
  for (const finding of findings) {
    const known = found.get(JSON.stringify(finding.path));
    if (!known || ranks[finding.is] > ranks[known.is]) found.set(JSON.stringify(finding.path), finding);
  }
  return found;
}

/** Returns the type of a value in words. */
export function jsonTypeOf(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length > 0 ? `a list with ${jsonTypeOf(value[0])}` : "a list";
  if (typeof value === "object") return "an object";
  return { string: "a text", number: "a number", boolean: "true or false" }[typeof value as "string"];
}

/** Describes a value of an answer. Of live objects only numbers and words of letters are shown: a text may be a secret, or a person's. */
export function shown(kind: Kind, field: string, value: Json): string {
  const { access, mayHoldCredentials = false } = kind.fields[field] ?? {};
  const isHidden = access === "write_only" || mayHoldCredentials || namesSecret(field);
  const isWord = typeof value === "string" && /^[A-Za-z][\w -]{0,29}$/u.test(value) && !looksLikeCredentials(value);
  return !isHidden && (isWord || typeof value === "number" || typeof value === "boolean")
    ? JSON.stringify(value)
    : jsonTypeOf(value);
}
