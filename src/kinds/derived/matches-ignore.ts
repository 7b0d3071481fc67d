import { matchesGlob } from "../../model/glob.ts";
import type { Key } from "../../model/resource.ts";
import type { Kind } from "../kind.ts";

/**
 * Whether a pattern of `ignore:` names a resource: by the part of its key that a manifest writes, in any spelling of it, or by its
 * name as plans print it behind its collection. A record is named `NAME` or `NAME/TYPE`; `*` in either stands for any characters.
 */
export function matchesIgnore(kind: Kind, key: Key, pattern: string): boolean {
  const [name, type] = namesOf(kind, key);
  if (matchesName(kind, key, pattern) || matchesGlob(decoded(pattern), name)) return true;
  const slash = pattern.lastIndexOf("/");
  if (slash < 0 || type === undefined || !matchesGlob(pattern.slice(slash + 1), type)) return false;
  const head = pattern.slice(0, slash);
  return matchesName(kind, key, head) || matchesGlob(decoded(head), name);
}

/** The parts of the address behind those that name the collection: a record's name and type, a mailbox's address. */
export function namesOf(kind: Kind, key: Key): [name: string, type?: string] {
  const parts = kind.naming.addressParts(key);
  const [name = "", type] = parts.length > kind.scope.length ? parts.slice(kind.scope.length) : parts;
  return type === undefined ? [name] : [name, type];
}

/** The patterns of names that a pattern of `ignore:` stands for in a collection, each with the types that it is about, in lower case. */
export function globsOf(kind: Kind, scope: Key, pattern: string): { readonly name: string; readonly type?: string }[] {
  const inLowerCase = (text: string) =>
    [normalName(kind, scope, text), decoded(text)].map((name) => name.toLowerCase());
  const slash = pattern.lastIndexOf("/");
  const type = pattern.slice(slash + 1).toLowerCase();
  return [
    ...inLowerCase(pattern).map((name) => ({ name })),
    ...(slash < 0 ? [] : inLowerCase(pattern.slice(0, slash)).map((name) => ({ name, type }))),
  ];
}

const matchesName = (kind: Kind, key: Key, pattern: string) =>
  matchesGlob(normalName(kind, key, pattern), key[namedPart(kind)] ?? "");

function normalName(kind: Kind, scope: Key, pattern: string): string {
  const part = namedPart(kind);
  const glob = decoded(pattern);
  return kind.naming.normalise({ ...scope, [part]: glob })[part] ?? glob;
}

/** Returns the part of the key that a manifest writes as the name of a resource. */
export const namedPart = (kind: Kind): string => kind.naming.chosen ?? /\{(\w+)\}$/u.exec(kind.manifest)?.[1] ?? "";

/** Addresses have `/` in a name percent-encoded, and a manifest may have it so too. */
function decoded(pattern: string): string {
  try {
    return decodeURIComponent(pattern);
  } catch {
    return pattern;
  }
}
