import { isMap, isNode, isScalar, type Document, type Pair, type YAMLMap } from "yaml";
import { parseYaml } from "../lib/parse-yaml.ts";
import type { DoctorFinding } from "../model/doctor.ts";
import type { EntryPath } from "./examination.ts";

/** A part of a text, and what takes its place. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Returns the text of a contract without `assumed` where all below it is confirmed, and how many were taken off. The rest stays as it is
 * written, to the byte.
 */
export function takeOffAssumed(
  text: string,
  findings: readonly DoctorFinding[],
): { readonly text: string; readonly taken: number } {
  const document = parseYaml(text);
  const edits: Edit[] = [];
  let taken = 0;
  for (const { path, map } of assumedMaps(document)) {
    const below = findings.filter((finding) => isBelow(path, finding.path));
    const confirmed = below.filter(({ is }) => is === "confirmed").length;
    const isKind = path[0] === "kinds" && path.length === 2;
    if (confirmed === 0 || (confirmed < below.length && !isKind)) continue;
    edits.push(...removal(text, map));
    // The mark of a whole kind goes to those of its entries that are not confirmed.
    if (isKind) edits.push(...marksBelow(text, document, below));
    taken += isKind ? confirmed : 1;
  }
  const changed = edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((rest, { from, to, text: other }) => rest.slice(0, from) + other + rest.slice(to), text);
  return { text: changed, taken };
}

const isBelow = (path: EntryPath, other: EntryPath) => path.every((key, index) => other[index] === key);

/** Returns the mappings that are marked, with their paths. */
function assumedMaps(document: Document): { readonly path: EntryPath; readonly map: YAMLMap }[] {
  const found: { path: EntryPath; map: YAMLMap }[] = [];
  const walk = (node: unknown, path: EntryPath) => {
    if (!isMap(node)) return;
    if (node.get("assumed") === true) found.push({ path, map: node });
    for (const { key, value } of node.items) if (isScalar(key)) walk(value, [...path, String(key.value)]);
  };
  walk(document.contents, []);
  return found;
}

/** Removes the mark of a mapping: with its comma in braces, else with its line. */
function removal(text: string, map: YAMLMap): Edit[] {
  const pair = map.items.find(({ key }) => isScalar(key) && key.value === "assumed");
  const [from, to] = (pair && rangeOf(pair)) ?? [];
  if (from === undefined || to === undefined) return [];
  if (map.flow !== true) {
    const end = text.indexOf("\n", to);
    return [{ from: text.lastIndexOf("\n", from) + 1, to: end < 0 ? text.length : end + 1, text: "" }];
  }
  const before = /,\s*$/u.exec(text.slice(0, from))?.[0].length ?? 0;
  const after = before > 0 ? 0 : (/^\s*,\s*/u.exec(text.slice(to))?.[0].length ?? 0);
  return [{ from: from - before, to: to + after, text: "" }];
}

function rangeOf({ key, value }: Pair): readonly [number, number] | undefined {
  const start = isNode(key) ? key.range?.[0] : undefined;
  const end = isNode(value) ? value.range?.[1] : undefined;
  return start === undefined || end === undefined ? undefined : [start, end];
}

/** Marks the fields and operations of a kind that are not confirmed. */
function marksBelow(text: string, document: Document, below: readonly DoctorFinding[]): Edit[] {
  return below.flatMap(({ path, is }): Edit[] => {
    const isMarked = ["fields", "operations"].includes(path[2] ?? "") && path.length === 4;
    const map = isMarked && is !== "confirmed" ? document.getIn(path, true) : undefined;
    const last = isMap(map) ? map.items.at(-1) : undefined;
    if (!isMap(map) || !last || map.has("assumed")) return [];
    const [, end] = rangeOf(last) ?? [];
    if (end === undefined) return [];
    const [first] = map.items;
    const start = (first && rangeOf(first)?.[0]) ?? 0;
    const indent = start - (text.lastIndexOf("\n", start) + 1);
    const mark = map.flow === true ? ", assumed: true" : `\n${" ".repeat(indent)}assumed: true`;
    return [{ from: end, to: end, text: mark }];
  });
}
