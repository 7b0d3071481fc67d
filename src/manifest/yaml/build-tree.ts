import { isAlias, isMap, isScalar, isSeq, type Alias, type Document, type Node, type Scalar, type YAMLMap } from "yaml";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { half } from "../../lib/parse-json.ts";
import { diagnosticAt, type Mistake } from "./diagnostic-at.ts";
import { shownKey } from "./secret-keys.ts";
import {
  positionOf,
  type SourceText,
  type Span,
  type WrittenEntry,
  type WrittenMap,
  type WrittenNode,
  type WrittenScalar,
} from "./written.ts";

/** The content of one text. No root: it is empty or broken, and if broken, a diagnostic says so. */
export interface ParsedSource {
  readonly root: WrittenMap | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

const maxAliases = 1000;
const maxCopies = 100_000;

interface Builder {
  readonly source: SourceText;
  readonly diagnostics: Diagnostic[];
  /** Undefined while the anchored node itself is being built: an alias to it would never end. */
  readonly anchors: Map<string, WrittenNode | undefined>;
  /** Aliases seen, and nodes copied for them: what keeps alias bombs small. */
  aliases: number;
  copies: number;
}

/** The tree of a document that parsed. What is not supported is diagnosed and left out. */
export function buildTree(source: SourceText, { contents }: Document.Parsed): ParsedSource {
  if (contents === null || isNothing(contents)) return { root: undefined, diagnostics: [] };
  const builder: Builder = { source, diagnostics: [], anchors: new Map(), aliases: 0, copies: 0 };
  const root = buildNode(builder, contents);
  if (root && root.type !== "map") report(builder, root, rootWithoutKeys(root));
  return { root: root?.type === "map" ? root : undefined, diagnostics: builder.diagnostics };
}

const isNothing = (node: Node) => isScalar(node) && node.value === null && node.source === "";

function buildNode(builder: Builder, node: Node): WrittenNode | undefined {
  if (isAlias(node)) return expandAlias(builder, node);
  if (node.tag !== undefined) {
    report(builder, tagSpan(spanOf(builder, node)), unsupportedTag);
    return undefined;
  }
  const { anchor } = node;
  if (anchor !== undefined) builder.anchors.set(anchor, undefined);
  const built = buildPlainNode(builder, node);
  if (anchor !== undefined) builder.anchors.set(anchor, built);
  return built;
}

function buildPlainNode(builder: Builder, node: Exclude<Node, Alias>): WrittenNode {
  const span = spanOf(builder, node);
  if (isMap(node)) return { type: "map", ...span, entries: buildEntries(builder, node) };
  if (isSeq(node)) {
    const items = node.items.map((item) => buildNode(builder, item as Node));
    return { type: "list", ...span, items: items.filter((item) => item !== undefined) };
  }
  if (typeof node.value === "string" && half.test(node.value)) report(builder, span, halfCharacter);
  return buildScalar(node, span);
}

function buildScalar({ value, source = "", type }: Scalar, span: Span): WrittenScalar {
  const known = typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
  return { type: "scalar", ...span, value: known, text: source, plain: type === "PLAIN" };
}

function buildEntries(builder: Builder, map: YAMLMap): Map<string, WrittenEntry> {
  const entries = new Map<string, WrittenEntry>();
  for (const { key: keyNode, value: valueNode } of map.items) {
    const key = readKey(builder, keyNode as Node, map);
    if (key === undefined) continue;
    const keySpan = spanOf(builder, keyNode as Node);
    const first = entries.get(key);
    if (first) report(builder, keySpan, duplicateKey(key, first));
    const value = valueNode === null ? nothingAt(keySpan) : buildNode(builder, valueNode as Node);
    if (value && !first) entries.set(key, { ...keySpan, key, value });
  }
  return entries;
}

/** The key's source text, or undefined (with a diagnostic) where the key is not supported. */
function readKey(builder: Builder, key: Node | null, map: YAMLMap): string | undefined {
  const problem = !isScalar(key) || key.tag !== undefined ? complexKey : problemOfKey(key);
  if (!problem) return isScalar(key) ? (key.source ?? "") : undefined;
  report(builder, spanOf(builder, key ?? map), problem);
  return undefined;
}

function problemOfKey({ source = "", type }: Scalar): Mistake | undefined {
  if (isForbiddenKey(source)) return forbiddenKey;
  if (half.test(source)) return halfCharacter;
  if (source === "<<" && type === "PLAIN") return mergeKey;
  return source === "" && type === "PLAIN" ? emptyKey : undefined;
}

const nothingAt = ({ source, end }: Span): WrittenScalar => ({
  type: "scalar",
  source,
  start: end,
  end,
  value: null,
  text: "",
  plain: true,
});

function expandAlias(builder: Builder, alias: Alias): WrittenNode | undefined {
  const span = spanOf(builder, alias);
  const anchored = builder.anchors.get(alias.source);
  builder.aliases += 1;
  if (builder.aliases > maxAliases || builder.copies > maxCopies) {
    if (builder.aliases === maxAliases + 1) report(builder, span, tooManyAliases);
    return undefined;
  }
  if (anchored) {
    const copied = copy(builder, anchored);
    if (builder.copies > maxCopies) report(builder, span, tooManyAliases);
    return { ...copied, ...span };
  }
  report(builder, span, builder.anchors.has(alias.source) ? endlessAlias : unknownAlias);
  return undefined;
}

/** A node of its own for every place, since the schema check may settle a scalar differently in each. */
function copy(builder: Builder, node: WrittenNode): WrittenNode {
  builder.copies += 1;
  if (builder.copies > maxCopies || node.type === "scalar") return { ...node };
  if (node.type === "list") return { ...node, items: node.items.map((item) => copy(builder, item)) };
  const entries = [...node.entries].map(
    ([key, entry]) => [key, { ...entry, value: copy(builder, entry.value) }] as const,
  );
  return { ...node, entries: new Map(entries) };
}

function spanOf({ source }: Builder, { range }: Node): Span {
  const [start, end] = range ?? [0, 0];
  return { source, start, end };
}

/** The tag before a value: the parser does not keep its place. */
function tagSpan(value: Span): Span {
  const before = value.source.text.slice(Math.max(0, value.start - 200), value.start);
  const [, tag] = /(![^\s,[\]{}]*)\s*(?:&\S+\s*)?$/u.exec(before) ?? [];
  if (tag === undefined) return value;
  const start = value.start - before.length + before.lastIndexOf(tag);
  return { ...value, start, end: start + tag.length };
}

function report(builder: Builder, span: Span, problem: Mistake): void {
  builder.diagnostics.push(diagnosticAt(span, problem));
}

function duplicateKey(key: string, first: WrittenEntry): Mistake {
  return {
    code: "duplicate_key",
    summary: `The key "${shownKey(key)}" is written twice in one map`,
    detail: "each key once",
    hint: "join the two, or remove one of them",
    related: [{ at: positionOf(first), message: "first written here" }],
  };
}

const rootWithoutKeys = (root: WrittenNode): Mistake => ({
  code: "no_map",
  summary: `The file holds ${root.type === "list" ? "a list" : "a single value"}`,
  // Files of fleets and of variables are read in this way, too.
  detail: "a map",
  hint: "write lines of a key and its value, such as version: 1",
});

const unsupportedTag: Mistake = {
  code: "unsupported_tag",
  summary: "YAML tags are not supported",
  detail: "a plain value; every field knows its own type",
  hint: "leave out the tag, or put the value in quotes if it begins with !",
};

const mergeKey: Mistake = {
  code: "unsupported_merge_key",
  summary: "The merge key << is not supported",
  detail: "the keys themselves; a whole value may be repeated with an alias (*name)",
  hint: "write the keys out, or make them a template (templates: and use:)",
};

const complexKey: Mistake = {
  code: "unsupported_key",
  summary: "A list, a map, an alias or a tagged value is used as a key",
  detail: "text as a key",
  hint: "look for a missing colon or quote; quote a key that begins with [ { * or !",
};

const emptyKey: Mistake = {
  code: "unsupported_key",
  summary: "A colon without a key before it",
  detail: "text as a key",
  hint: 'write the key, or "" in quotes if it is meant to be empty',
};

const halfCharacter: Mistake = {
  code: "half_character",
  summary: "This string contains an unpaired surrogate (half of a UTF-16 character)",
  detail: "an escape such as \\ud83d only together with its second half, such as \\ude00",
  hint: "write the character itself",
};
/** Whether no key of a manifest may have this text, because JavaScript objects would lose it. */
export const isForbiddenKey = (key: string): boolean => key === "__proto__";

export const forbiddenKey: Mistake = {
  code: "forbidden_key",
  summary: "The key __proto__ is not allowed",
  detail: "nothing in a manifest has this name",
  hint: "remove it",
};

const unknownAlias: Mistake = {
  code: "unknown_alias",
  summary: "The alias refers to an anchor that is not defined before it",
  detail: "an anchor such as &name earlier in the same file",
  hint: "put the value in quotes if it is meant to begin with *",
};

const endlessAlias: Mistake = {
  code: "endless_alias",
  summary: "The alias stands inside the value that it repeats",
  detail: "a value that is complete before the alias",
  hint: "write the value out",
};

const tooManyAliases: Mistake = {
  code: "too_many_aliases",
  summary: "The aliases of this file repeat too much",
  detail: `at most ${maxAliases} aliases and ${maxCopies} repeated values`,
  hint: "write the values out; a program that writes manifests needs no aliases",
};
