import { malformed, HttpError } from "../refusal.ts";

const list = /^\s*(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*\s*$/;

/** Refuses with 412 when `If-Match` names other versions than the current one (RFC 9110 section 13.1.1: weak tags never match). */
export function checkIfMatch(header: string | undefined, etag: string): void {
  if (header === undefined || tags("If-Match", header).some((tag) => tag === "*" || tag === etag)) return;
  throw new HttpError(
    412,
    "precondition_failed",
    `It changed since it was read: If-Match has ${header}, it is at ${etag}. Read it again.`,
    {
      headers: { ETag: etag },
    },
  );
}

/** Whether `If-None-Match` names the current version, so that 304 is the answer. */
export function isNotModified(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return tags("If-None-Match", header).some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);
}

function tags(name: string, header: string): readonly string[] {
  if (header.trim() === "*") return ["*"];
  if (list.test(header)) return header.match(/(?:W\/)?"[^"]*"/g) ?? [];
  throw malformed(`${name} must be * or quoted entity tags, such as "abc"; it was ${header}.`);
}
