import type { Diagnostic } from "../../model/diagnostic.ts";
import { addTo } from "../../lib/collect.ts";
import { diagnosticAt } from "./diagnostic-at.ts";
import { shownKey } from "./secret-keys.ts";
import { positionOf, withEntries, type WrittenEntry, type WrittenMap, type WrittenNode } from "./written.ts";

/**
 * Merges key by key: maps are joined, and a list or a value may stand in one place only. At the root, `version` and `name` may
 * be repeated with the same value; the lists of `removed`, `use` and `lint: disable` are joined. What stands first wins where two cannot be
 * joined, and a diagnostic names both places.
 */
export function mergeMaps(maps: readonly [WrittenMap, ...WrittenMap[]]) {
  const diagnostics: Diagnostic[] = [];
  const root = mergeAll(maps, diagnostics, joinAtRoot);
  return { root: root ?? maps[0], diagnostics };
}

/** A function that joins several entries of one key, or returns undefined where they are in conflict. */
type Join = (key: string, values: readonly WrittenNode[]) => WrittenNode | undefined;

function mergeAll(maps: readonly WrittenMap[], diagnostics: Diagnostic[], join?: Join): WrittenMap | undefined {
  const [first] = maps;
  if (!first || maps.length === 1) return first;
  // All maps at once and not pair by pair, or a zone in a thousand files would be copied a thousand times.
  const byKey = new Map<string, WrittenEntry[]>();
  for (const map of maps) for (const entry of map.entries.values()) addTo(byKey, entry.key, entry);
  const entries = new Map<string, WrittenEntry>();
  for (const [key, [entry, ...others]] of byKey)
    if (entry) entries.set(key, mergeEntries(entry, others, diagnostics, join));
  return withEntries(first, entries);
}

function mergeEntries(
  first: WrittenEntry,
  others: readonly WrittenEntry[],
  diagnostics: Diagnostic[],
  join: Join | undefined,
): WrittenEntry {
  if (others.length === 0) return first;
  const entries = [first, ...others];
  // A map or a list that one place leaves empty is what the others say of it.
  const full = entries.filter(({ value }) => value.type !== "scalar" || value.value !== null);
  const values = (full.some(({ value }) => value.type !== "scalar") ? full : entries).map(({ value }) => value);
  const below = join === joinAtRoot && first.key === "lint" ? joinLists : undefined;
  const maps = values.filter((value) => value.type === "map");
  const all = maps.length === values.length ? maps : [];
  const joined = join?.(first.key, values) ?? mergeAll(all, diagnostics, below);
  if (joined) return { ...first, value: joined };
  for (const other of others) diagnostics.push(conflict(first, other));
  return first;
}

const joinAtRoot: Join = (key, values) => {
  const [first] = values;
  if (key === "version" || key === "name") {
    const same = values.every(
      (value) => value.type === "scalar" && first?.type === "scalar" && value.text === first.text,
    );
    return same ? first : undefined;
  }
  return key === "removed" || key === "use" ? joinLists(key, values) : undefined;
};

const joinLists: Join = (_, values) => {
  const lists = values.filter((value) => value.type === "list");
  const [first] = lists;
  if (!first || lists.length !== values.length) return undefined;
  return { ...first, items: lists.flatMap(({ items }) => items) };
};

function conflict(first: WrittenEntry, other: WrittenEntry): Diagnostic {
  const mixed = (first.value.type === "map") !== (other.value.type === "map");
  return diagnosticAt(other, {
    code: "conflicting_definitions",
    summary: mixed
      ? `"${shownKey(other.key)}" is a map in one place and a value in another`
      : `"${shownKey(other.key)}" is written in two places`,
    detail: "maps of several files are merged key by key; a value or a list stands in one place",
    hint: "keep one of the two",
    related: [{ at: positionOf(first), message: "also written here" }],
  });
}
