import { isDeepStrictEqual } from "node:util";
import { Document, isCollection, Lexer } from "yaml";
import { groupBy } from "../../lib/collect.ts";
import { writeYaml } from "../../lib/yaml.ts";
import { withoutOrder, type Json, type JsonObject } from "../../model/json.ts";
import { isObject } from "../../model/json-pointer.ts";
import {
  itemsOf,
  memberOf,
  toJson,
  type SourceText,
  type Span,
  type WrittenEntry,
  type WrittenList,
  type WrittenMap,
  type WrittenNode,
} from "./written.ts";

/** A stretch of a text, and what stands there afterwards. */
export interface Edit extends Pick<Span, "source" | "start" | "end"> {
  readonly text: string;
}

/** A value that cannot be edited in place, and where it stands: a template or a variable makes it, or a comment would be lost. */
export class NotInPlace extends Error {
  readonly span: Span;

  constructor(span: Span) {
    super("The value cannot be edited in place");
    this.span = span;
  }
}

const isSame = (a: Json, b: Json) => isDeepStrictEqual(withoutOrder(a), withoutOrder(b));
const asWritten = (item: Json) => item;

/**
 * Returns the edits by which a written value becomes another one; what stands in both stays as it is, with its comments. `normal`: the
 * normal form of an item of a list.
 */
export function editsTo(node: WrittenNode, value: Json, normal = asWritten): Edit[] {
  if (isSame(toJson(node), value)) return [];
  if (node.uses !== undefined || node.variables !== undefined) throw new NotInPlace(node);
  if (node.type === "map" && isObject(value)) return editsOfMap(node, value, normal);
  // A list of one value may be written as that value; a map like none of its items takes its place.
  const fits = !isObject(value) || itemsOf(node).some((item) => Object.keys(value).some((key) => memberOf(item, key)));
  if (node.type === "list" && fits) return editsOfList(node, Array.isArray(value) ? value : [value], normal);
  return [replacement(node, value)];
}

function replacement(span: WrittenNode, value: Json): Edit {
  // The dashes of a list may stand below the key that it belongs to, where a map may not.
  const edit = { ...ends(span), text: (span.source.text.startsWith("- ", span.start) ? "  " : "") + onOneLine(value) };
  const tokens = [...new Lexer().lex(span.source.text.slice(edit.start, edit.end))];
  if (tokens.some((token) => token.startsWith("#"))) throw new NotInPlace(span);
  return edit;
}

function editsOfMap(map: WrittenMap, value: JsonObject, normal: typeof asWritten): Edit[] {
  const kept = [...map.entries].filter(([key]) => Object.hasOwn(value, key));
  const added = Object.keys(value).filter((key) => !map.entries.has(key));
  const [last] = kept.toSorted(([, a], [, b]) => b.value.end - a.value.end);
  if (!last) return [replacement(map, value)];
  const gone = [...map.entries.values()].filter(({ key }) => !Object.hasOwn(value, key));
  return [
    ...kept.flatMap(([key, entry]) => editsTo(entry.value, value[key] ?? null, normal)),
    ...added.map((key) => addAfter(map, last[1].value, `${key}: ${onOneLine(value[key] ?? null)}`)),
    ...gone.map((entry) => removal(entry, entry.value)),
  ];
}

/** Lists of the API have no order: what is in both stays in its place, and of the rest each takes the place of another. */
function editsOfList(list: WrittenList, values: readonly Json[], normal: typeof asWritten): Edit[] {
  const textOf = (item: Json) => JSON.stringify(withoutOrder(normal(item)));
  const rest = groupBy(values, textOf);
  const gone = list.items.filter((item) => rest.get(textOf(toJson(item)))?.pop() === undefined);
  const added = [...rest.values()].flat();
  const last = list.items.at(-1);
  if (!last || values.length === 0) return [replacement(list, [...values])];
  return [
    ...gone.flatMap((item, index) => {
      const next = added[index];
      return next === undefined ? [removal(item, item)] : editsTo(item, next);
    }),
    ...added.slice(gone.length).map((each) => addAfter(list, last, onOneLine(each), "- ")),
  ];
}

const ends = ({ source, start, end }: Span) => ({
  source,
  start,
  end: start + source.text.slice(start, end).trimEnd().length,
});

/** Writes a value as it may stand anywhere on a line, also between brackets. */
function onOneLine(value: Json): string {
  const document = new Document([value]);
  if (isCollection(document.contents)) document.contents.flow = true;
  const options = {
    blockQuote: false,
    doubleQuotedMinMultiLineLength: Infinity,
    flowCollectionPadding: false,
  } as const;
  return writeYaml(document, options).trim().slice(1, -1);
}

/** Adds an entry behind the last one: in brackets on the same line, else on a line of its own. */
function addAfter({ source, start }: WrittenNode, last: Span, text: string, mark = ""): Edit {
  const at = ends(last).end;
  if (/[[{]/u.test(source.text.charAt(start))) return { source, start: at, end: at, text: `, ${text}` };
  const column = start - (source.text.lastIndexOf("\n", start - 1) + 1);
  const lineEnd = lineEndAt(source.text, at);
  const lineBreak = source.text.includes("\r\n") ? "\r\n" : "\n";
  return { source, start: lineEnd, end: lineEnd, text: `${lineBreak}${" ".repeat(column)}${mark}${text}` };
}

/** Finds the end of the text of the line in which an offset stands. */
const lineEndAt = (text: string, offset: number): number => offset + text.slice(offset).search(/\r?\n|$/u);

/** Returns the ways to remove an entry: by itself, and with each map around it that holds nothing else. */
export function removals(tree: WrittenMap, key: Span, value: Span): Edit[] {
  const around = (wayTo(tree, key) ?? []).slice(0, -1).toReversed();
  const full = around.findIndex(({ value: map }) => map.type !== "map" || map.entries.size > 1);
  const alone = around.slice(0, full < 0 ? undefined : full);
  return [removal(key, value), ...alone.map((entry) => removal(entry, entry.value))];
}

/** The entries that lead to a key, the outermost first. */
function wayTo(map: WrittenMap, key: Span): WrittenEntry[] | undefined {
  for (const entry of map.entries.values()) {
    if (entry.source === key.source && entry.start === key.start) return [entry];
    const rest = entry.value.type === "map" ? wayTo(entry.value, key) : undefined;
    if (rest) return [entry, ...rest];
  }
  return undefined;
}

/** Removes an entry or an item: with its lines where nothing else stands on them, else with a comma of the brackets around it. */
function removal(key: Span, value: Span): Edit {
  const { source, uses } = key;
  if (uses !== undefined || value.source !== source) throw new NotInPlace(key);
  const { text } = source;
  const end = Math.max(ends(key).end, ends(value).end);
  const lineStart = text.lastIndexOf("\n", key.start - 1) + 1;
  const behind = lineEndAt(text, end);
  // The dash before the first entry of a map belongs to all of the map.
  const lead = key.start === value.start ? /^[ \t]*(?:-[ \t]+)?$/u : /^[ \t]*$/u;
  const isAlone = lead.test(text.slice(lineStart, key.start)) && /^[ \t]*(?:#.*)?$/u.test(text.slice(end, behind));
  if (isAlone) return { source, start: lineStart, end: text.indexOf("\n", behind) + 1 || text.length, text: "" };
  const [comma = ""] = /^\s*,\s*/u.exec(text.slice(end)) ?? [];
  const [before = ""] = (comma === "" && /,?\s*$/u.exec(text.slice(0, key.start))) || [];
  return { source, start: key.start - before.length, end: end + comma.length, text: "" };
}

/** Returns a text after the edits of it. What is added at one place stays in its order; two removals may share the comma between them. */
export function applyEdits({ file, text }: SourceText, edits: readonly Edit[]): string {
  const own = edits.filter(({ source }) => source.file === file).toReversed();
  const sorted = own.toSorted((a, b) => b.start - a.start || b.end - a.end);
  return sorted.reduce((all, edit, index) => {
    const end = Math.min(edit.end, sorted[index - 1]?.start ?? edit.end);
    return all.slice(0, edit.start) + edit.text + all.slice(end);
  }, text);
}
