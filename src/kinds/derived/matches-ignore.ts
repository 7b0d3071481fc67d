import { matchesGlob } from "../../model/glob.ts";
import type { CollectionPolicy, Key } from "../../model/resource.ts";
import type { Kind } from "../kind.ts";
import { addTo, getOrMake } from "../../lib/collect.ts";
import { orUndefined } from "../../lib/or-undefined.ts";

/**
 * Whether a pattern of `ignore:` names a resource: by the part of its key that a manifest writes, in any spelling of it, or by its
 * name as plans print it behind its collection. A record is named `NAME` or `NAME/TYPE`; `*` in either stands for any characters.
 */
export function matchesIgnore(kind: Kind, key: Key, pattern: string): boolean {
  const [name, type] = namesInList(kind, key);
  if (matchesName(kind, key, pattern) || matchesGlob(decoded(pattern), name)) return true;
  const slash = pattern.lastIndexOf("/");
  if (slash < 0 || type === undefined || !matchesGlob(pattern.slice(slash + 1), type)) return false;
  const head = pattern.slice(0, slash);
  return matchesName(kind, key, head) || matchesGlob(decoded(head), name);
}

/** The parts of the address behind those that name the collection: a record's name and type, a mailbox's address. */
export function namesInList(kind: Kind, key: Key): [name: string, type?: string] {
  const parts = kind.naming.addressParts(key);
  const [name = "", type] = parts.length > kind.scope.length ? parts.slice(kind.scope.length) : parts;
  return [name, type];
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
const decoded = (pattern: string): string => orUndefined(() => decodeURIComponent(pattern)) ?? pattern;

/** Finds the patterns of a list that may name a resource: few, however long the list is. */
interface IgnoreIndex {
  /** The places of patterns by a text that a matching name holds: `=` and the whole name, or a part of it. */
  readonly byText: Map<string, number[]>;
  /** The lengths of those parts. */
  readonly lengths: ReadonlySet<number>;
}

/** Returns the places of the patterns of `ignore:` that name a resource, in their order. */
export function* ignoringPatterns(kind: Kind, policy: CollectionPolicy, key: Key): Generator<number, void> {
  const index = getOrMake(indexes, policy, () => makeIndex(kind, policy));
  for (const place of candidates(kind, index, key))
    if (matchesIgnore(kind, key, policy.ignore[place] ?? "")) yield place;
}

/** Returns the place of the first pattern of `ignore:` that names a resource; undefined if there is none. */
export const firstIgnoring = (kind: Kind, policy: CollectionPolicy, key: Key): number | undefined =>
  ignoringPatterns(kind, policy, key).next().value ?? undefined;

// A cache only: each resource of a collection asks for the same patterns.
const indexes = new WeakMap<CollectionPolicy, IgnoreIndex>();

function makeIndex(kind: Kind, { scope, ignore }: CollectionPolicy): IgnoreIndex {
  const first = new Map([...ignore.entries()].toReversed().map(([place, pattern]) => [pattern, place]));
  const globs = [...first].flatMap(([pattern, place]) =>
    globsOf(kind, scope, pattern).map((glob) => ({ ...glob, place, parts: glob.name.split("*") })),
  );
  const counts = new Map<string, number>();
  for (const { parts } of globs) for (const part of new Set(parts)) counts.set(part, (counts.get(part) ?? 0) + 1);
  const byText = new Map<string, number[]>();
  const lengths = new Set<number>();
  for (const { name, type, place, parts } of globs) {
    const part = parts.length === 1 ? "" : rarest(parts, counts);
    const isTyped = type !== undefined && !type.includes("*");
    const whole = parts.length === 1 ? `=${name}` : "*";
    const text = part === "" ? whole + (isTyped ? `/${type}` : "") : part;
    if (part !== "") lengths.add(part.length);
    addTo(byText, text, place);
  }
  return { byText, lengths };
}

/** Returns the part of a pattern between stars that the fewest patterns have. */
const rarest = (parts: readonly string[], counts: ReadonlyMap<string, number>): string =>
  parts
    .filter((part) => part !== "")
    .reduce((best, part) => (best === "" || (counts.get(part) ?? 0) < (counts.get(best) ?? 0) ? part : best), "");

function candidates(kind: Kind, { byText, lengths }: IgnoreIndex, key: Key): number[] {
  const [name, type = ""] = namesInList(kind, key);
  const names = new Set([name, key[namedPart(kind)] ?? ""].map((text) => text.toLowerCase()));
  const wholes = ["*", ...[...names].map((each) => `=${each}`)];
  const texts = new Set(wholes.flatMap((whole) => [whole, `${whole}/${type.toLowerCase()}`]));
  for (const each of names)
    for (const length of lengths)
      for (let at = 0; at + length <= each.length; at += 1) texts.add(each.slice(at, at + length));
  return [...new Set([...texts].flatMap((text) => byText.get(text) ?? []))].sort((a, b) => a - b);
}
