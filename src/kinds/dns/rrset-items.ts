import type { Json, JsonObject } from "../../model/json.ts";
import { jsonText } from "../../model/json.ts";
import type { Fields, Key } from "../../model/resource.ts";
import { decodeText, parseQuotedStrings, readString } from "./character-strings.ts";
import { splitWords } from "./content-fields.ts";
import { recordTypeOf } from "./record-content.ts";

/** Writes an RRset as a manifest has it: an item, a list of items, or the long form `{ttl, values}`. */
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
  if (type === "MX") return { ...(typeof priority === "number" && { priority }), value: content };
  if (type === "SRV") {
    const [weight, port, target = "", ...rest] = splitWords(content);
    if (typeof priority !== "number" || rest.length > 0) return { value: content };
    return { priority, weight: Number(weight), port: Number(port), target };
  }
  if (type === "CAA") return caaParts(content) ?? content;
  return type === "TXT" || type === "SPF" ? bareText(content, key) : content;
}

function caaParts(content: string): JsonObject | undefined {
  const [flags, tag = "", quoted = "", ...rest] = splitWords(content);
  const value = decodeText(readString(quoted));
  if (rest.length > 0 || value === undefined || value === "" || !/^[a-z0-9]+$/u.test(tag)) return undefined;
  // A control character has an escape in a quoted string only.
  return /\p{Cc}/u.test(value) ? undefined : { ...(flags !== "0" && { flags: Number(flags) }), tag, value };
}

/** Returns a text without its quotes, unless it would then mean another. */
function bareText(content: string, { type = "", zone = "" }: Key): string {
  const bytes = parseQuotedStrings(content);
  const text = bytes && decodeText(bytes);
  const records = recordTypeOf(type);
  const isSame = text !== undefined && records.normalise(text, zone) === content && records.check(text) === undefined;
  return isSame ? text : content;
}
