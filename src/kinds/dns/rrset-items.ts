import { jsonText, type Json, type JsonObject } from "../../model/json.ts";
import { isObject } from "../../model/json-pointer.ts";
import type { Fields, Key } from "../../model/resource.ts";
import type { WrittenMember } from "../kind.ts";
import { decodeText, parseQuotedStrings, readString } from "./character-strings.ts";
import { splitWords } from "./content-form.ts";
import { isOpaque } from "./numbered-type.ts";
import type { Part } from "./parts.ts";
import { inlinePriority, isPrioritised, recordTypeOf, withoutPriority } from "./record-content.ts";
import { holdsText, recordTypes } from "./record-types.ts";

/** Reads an RRset of a manifest: an item, a list of items, or the long form `{ttl, values}`. */
export function readRRset(body: Json, { type = "" }: Key): { shared: Fields; members: WrittenMember[] } {
  const long = isObject(body) && "values" in body;
  const values: Json = long ? (body["values"] ?? null) : body;
  const mayHavePriority = isPrioritised(type);
  const parts = partsOfItem(type);
  const read = (item: Json, path: WrittenMember["path"]) => {
    const fields = readItem(item, parts);
    return { fields: mayHavePriority ? withPriority(fields, type) : fields, path };
  };
  return {
    shared: long && body["ttl"] !== undefined ? { ttl: body["ttl"] } : noFields,
    members: Array.isArray(values)
      ? values.map((item, index) => read(item, long ? ["values", index] : [index]))
      : [read(values, long ? ["values"] : [])],
  };
}

const noFields: Fields = {};

/** The parts that an item of a type has as an object. */
const partsOfItem = (type: string): readonly Part[] => {
  const row = recordTypes.get(type);
  return row?.isObject === true ? row.parts : [];
};

/** The words of an item that its content is made of. */
const itemWords: ReadonlySet<string> = new Set([
  "value",
  ...[...recordTypes.keys()].flatMap(partsOfItem).map(({ name }) => name),
]);

function readItem(item: Json, parts: readonly Part[]): Record<string, Json> {
  if (!isObject(item)) return { content: item };
  const fields: Record<string, Json> = {};
  // To take the rest by destructuring takes several times as long.
  for (const name in item) if (!itemWords.has(name)) fields[name] = item[name] ?? null;
  const inParts = parts.some(({ name, usual }) => name !== "value" && usual === undefined && item[name] !== undefined);
  fields["content"] = inParts ? parts.map((part) => writePart(part, item)).join(" ") : (item["value"] ?? null);
  return fields;
}

function writePart({ name, json, usual }: Part, item: JsonObject): string {
  const text = jsonText(item[name] ?? usual);
  return json === "text" ? `"${text.replaceAll(/["\\]/gu, String.raw`\$&`)}"` : text;
}

/** Returns the key of the part that is wrong in an item. */
export const wrongPart = (item: Json, { type = "" }: Key): string | undefined =>
  isObject(item)
    ? partsOfItem(type).find((part) => part.name in item && part.check(writePart(part, item)) !== undefined)?.name
    : undefined;

/** The priority of an MX or SRV record stands in its bytes, or before a content that is written as text. */
function withPriority(fields: Record<string, Json>, type: string): Record<string, Json> {
  const content = fields["content"];
  if (typeof content !== "string" || fields["priority"] !== undefined) return fields;
  const priority = inlinePriority(type, content);
  // The check of the priority says that it is missing; that of the content comes first.
  if (priority === undefined)
    return recordTypeOf(type).check(content) === undefined && content !== ""
      ? { ...fields, priority: content }
      : fields;
  return { ...fields, content: isOpaque(content) ? content : withoutPriority(type, content), priority };
}

/** Writes an RRset in the form of a manifest: an item, a list of items, or the long form `{ttl, values}`. */
export function writeRRset({ ttl }: Fields, members: readonly Fields[], key: Key): Json {
  const items = members.map((fields) => writeItem(fields, key));
  const values = items.length === 1 ? (items[0] ?? null) : items;
  return ttl === undefined ? values : { ttl, values };
}

function writeItem({ content, priority, comment, disabled }: Fields, key: Key): Json {
  const text = jsonText(content);
  const extras: JsonObject = {
    ...(comment !== undefined && comment !== null && { comment }),
    ...(disabled === true && { disabled }),
  };
  const item = writeContent(text, priority, key);
  if (typeof item !== "string") return { ...item, ...extras };
  return Object.keys(extras).length === 0 ? item : { value: item, ...extras };
}

/** Returns the content of a record as a text, or as its parts by the names that a manifest has for them. */
function writeContent(content: string, priority: Json | undefined, key: Key): string | JsonObject {
  const { type = "" } = key;
  const parts = splitContent(content, partsOfItem(type));
  if (!isPrioritised(type)) return parts ?? (holdsText(type) ? bareText(content, key) : content);
  return typeof priority === "number" ? { priority, ...(parts ?? { value: content }) } : { value: content };
}

/** Returns the values of the parts of a content by their names; undefined if one of them cannot be written by itself. */
function splitContent(content: string, parts: readonly Part[]): JsonObject | undefined {
  if (parts.length === 0) return undefined;
  const words = splitWords(content);
  const values = parts.map((part, index) => readPart(part, words[index] ?? ""));
  if (words.length !== parts.length || values.includes(undefined)) return undefined;
  const all = parts.map(({ name }, index) => [name, values[index] ?? null] as const);
  return Object.fromEntries(all.filter((_, index) => words[index] !== parts[index]?.usual));
}

function readPart({ json, check, token }: Part, word: string): Json | undefined {
  // A host that is not one is refused where it stands.
  if (token !== "name" && check(word) !== undefined) return undefined;
  if (json !== "text") return json === "number" ? Number(word) : word;
  const text = decodeText(readString(word));
  // A control character has an escape in a quoted string only.
  return text === "" || text === undefined || /\p{Cc}/u.test(text) ? undefined : text;
}

/** Returns a text without its quotes, unless it would then mean another. */
function bareText(content: string, { type = "", zone = "" }: Key): string {
  const bytes = parseQuotedStrings(content);
  const text = bytes && decodeText(bytes);
  const records = recordTypeOf(type);
  const isSame = text !== undefined && records.normalise(text, zone) === content && records.check(text) === undefined;
  return isSame ? text : content;
}
