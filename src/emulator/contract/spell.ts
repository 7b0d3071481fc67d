import { isFields } from "../fields.ts";
import type { KindName } from "../kinds/kind-name.ts";
import { textOf, type KeyParts } from "./account.ts";
import { changeHost, plainText, quotedText } from "./contents.ts";
import type { FieldEntry } from "./contract.ts";
import { getAt, putAt } from "./json.ts";

/** The place of a value, on which its spelling may depend. `type`: of a DNS record. */
export interface SpellingPlace {
  readonly kind: KindName;
  readonly field: string;
  readonly parts: KeyParts;
  readonly type: string;
}

type Spell = (value: unknown, place: SpellingPlace) => unknown;

const inTexts =
  (spell: (text: string, place: SpellingPlace) => unknown): Spell =>
  (value, place) =>
    Array.isArray(value)
      ? (value as unknown[]).map((item) => (typeof item === "string" ? spell(item, place) : item))
      : typeof value === "string"
        ? spell(value, place)
        : value;

const same: Spell = (value) => value;
const megabyte = 1_048_576;
const readOnlySizes = new Set(["usage_mb", "size_mb", "resources.disk_used_mb"]);

const isContent = ({ kind, field }: SpellingPlace): boolean => kind === "dns_record" && field === "content";
const hosts = (change: (host: string) => string): Spell =>
  inTexts((text, place) => (isContent(place) ? changeHost(place.type, text, change) : change(text)));
const undotted = (host: string): string => (host.length > 1 ? host.replace(/\.$/, "") : host);
const dotted = (host: string): string => (host === "" || host === "@" || host.endsWith(".") ? host : `${host}.`);

/** Each codec: encodes a stored value, and decodes a sent one. In the order in which a value is encoded. */
const codecs: Readonly<Record<string, readonly [encode: Spell, decode: Spell]>> = {
  bytes: [
    (value) => (typeof value === "number" ? value * megabyte : value),
    (value, { field }) => {
      const size = typeof value === "string" ? Number(value) : value;
      if (typeof size !== "number" || Number.isNaN(size)) return value;
      return readOnlySizes.has(field) ? Math.ceil(size / megabyte) : size / megabyte;
    },
  ],
  local_part: [
    inTexts((text) => text.replace(/@[^@]*$/, "")),
    inTexts((text, { parts }) => (text.includes("@") ? text : `${text}@${parts["domain"] ?? ""}`)),
  ],
  whole_name: [
    inTexts((name, { parts: { zone = "" } }) =>
      name === "@" ? zone : name.endsWith(".") ? undotted(name) : `${name}.${zone}`,
    ),
    inTexts((name, { parts: { zone = "" } }) => relativeTo(undotted(name.toLowerCase()), zone)),
  ],
  relative_name: [inTexts((name, { parts: { zone = "" } }) => relativeTo(name, `${zone}.`)), same],
  empty_apex: [(value) => (value === "@" ? "" : value), (value) => (value === "" || value === null ? "@" : value)],
  plain_text: [
    inTexts((content, { type }) => plainText(type, content)),
    inTexts((content, { type }) => quotedText(type, content)),
  ],
  final_dot: [hosts(dotted), (value, place) => (isContent(place) ? value : hosts(undotted)(value, place))],
  no_final_dot: [hosts(undotted), (value, place) => (isContent(place) ? hosts(dotted)(value, place) : value)],
  integer: [
    inTexts((text) => (/^-?(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text)),
    (value) => (typeof value === "number" ? String(value) : value),
  ],
  string: [
    (value) => (typeof value === "number" || typeof value === "boolean" ? String(value) : value),
    inTexts((text) => (text === "true" || text === "false" ? text === "true" : numberIn(text))),
  ],
};

const codecsOf = ({ as = [] }: FieldEntry) =>
  Object.entries(codecs).filter(([name]) => as.some((codec) => codec === name));

const relativeTo = (name: string, zone: string): string => {
  if (name === zone) return "@";
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name;
};

const numberIn = (text: string): unknown => (String(Number(text)) === text ? Number(text) : text);

/** Returns a stored value as the contract's API returns it. */
export function encodeValue(field: FieldEntry, place: SpellingPlace, value: unknown): unknown {
  const { map, sentinel, keys, item: at } = field;
  if (value === null && sentinel !== undefined) return sentinel;
  if (keys !== undefined && Array.isArray(value)) {
    const { keys: _, ...bare } = field;
    const items = (value as unknown[]).flatMap((item) => encodeValue(bare, place, [item]) as unknown[]);
    return Object.fromEntries(items.map((item, index) => [keys.replace("{n}", String(index + 1)), item]));
  }
  if (Array.isArray(value) && at !== undefined) {
    const { item: _, ...bare } = field;
    return (value as unknown[]).map((item) => putAt({}, at, encodeValue(bare, place, item)));
  }
  if (map !== undefined && Array.isArray(value))
    return (value as unknown[]).map((item) => encodeValue(field, place, item));
  const word = map !== undefined && Object.hasOwn(map, String(value)) ? map[String(value)] : undefined;
  if (word !== undefined) return Array.isArray(word) ? (word as unknown[])[0] : word;
  return codecsOf(field).reduce((encoded, [, [encode]]) => encode(encoded, place), value);
}

const isSameWord = (one: unknown, other: unknown): boolean =>
  one === other || (textOf(one) !== "" && textOf(one) === textOf(other));

const numeric = new Set(["ttl", "priority", "quota_mb", "timeout_s", "period_years", "algorithm"]);

/** Returns a value that was sent as it is stored. */
export function readValue(field: FieldEntry, place: SpellingPlace, value: unknown): unknown {
  const { map, sentinel, keys, item: at } = field;
  if (sentinel !== undefined && isSameWord(value, sentinel)) return null;
  if (keys !== undefined && isFields(value)) {
    const { keys: _, ...bare } = field;
    const numbered = Object.keys(value).map((_key, index) => value[keys.replace("{n}", String(index + 1))]);
    const items = numbered.filter((item) => item !== undefined && item !== null);
    return items.flatMap((item) => readValue(bare, place, [item]) as unknown[]);
  }
  if (at !== undefined && Array.isArray(value)) {
    const { item: _, ...bare } = field;
    return (value as unknown[]).map((item) => readValue(bare, place, getAt(item, at)));
  }
  if (map !== undefined && Array.isArray(value))
    return (value as unknown[]).map((item) => readValue(field, place, item));
  const ours = Object.entries(map ?? {}).find(([, words]) =>
    (Array.isArray(words) ? (words as unknown[]) : [words]).some((word) => isSameWord(word, value)),
  )?.[0];
  if (ours !== undefined) return typed(ours, place);
  return codecsOf(field).reduceRight((read, [, [, decode]]) => decode(read, place), value);
}

function typed(word: string, { field }: SpellingPlace): unknown {
  if (word === "true" || word === "false") return word === "true";
  if (word === "null") return null;
  return numeric.has(field) ? numberIn(word) : word;
}
