import { normaliseDomain } from "../../kinds/shared/domain-name.ts";
import {
  decodeText,
  formatQuotedStrings,
  normaliseQuoted,
  parseQuotedStrings,
} from "../../kinds/dns/character-strings.ts";
import { isOpaque } from "../../kinds/dns/numbered-type.ts";
import { respellHost, withoutPriority } from "../../kinds/dns/record-content.ts";
import { holdsText } from "../../kinds/dns/record-types.ts";
import { isWholeName } from "../../kinds/dns/record-name.ts";
import type { Codec } from "../../model/contract.ts";
import type { Json } from "../../model/json.ts";
import { isContent, type SpellingContext } from "./special-fields.ts";

/** One way in which an API spells values. Total in both directions: a value that it is not made for stays as it is. */
interface CodecSpelling {
  readonly encode: (value: Json, place: SpellingContext) => Json;
  readonly decode: (value: Json, place: SpellingContext) => Json;
}

type OfText = (text: string, place: SpellingContext) => Json;

/** Spells each text: the value itself, or the items of a list. */
const ofTexts =
  (spell: OfText) =>
  (value: Json, place: SpellingContext): Json => {
    if (Array.isArray(value)) return value.map((item) => (typeof item === "string" ? spell(item, place) : item));
    return typeof value === "string" ? spell(value, place) : value;
  };

const texts = (encode: OfText, decode: OfText): CodecSpelling => ({ encode: ofTexts(encode), decode: ofTexts(decode) });
const asItIs = <T>(value: T): T => value;

/** Returns a number that a text holds in its shortest form; other texts stay. */
function toNumber(text: string): Json {
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? number : text;
}

const isWholeNumber = (value: Json): value is number => typeof value === "number" && Number.isSafeInteger(value);

const toInteger: OfText = (text) => {
  const number = toNumber(text);
  return isWholeNumber(number) ? number : text;
};

const digits = (value: Json): Json => (typeof value === "number" ? String(value) : value);

const bytesInMb = 1_048_576;

const apex = "@";

/** Returns a name relative to its zone, so that no reader takes it for a whole one: one that looks whole is written whole. */
const unmistakable = (relative: string, zone: string) =>
  isWholeName(relative, zone) ? `${relative}.${zone}.` : relative;

/** Spells host names: a name, the items of a list, or the name at the end of a content. */
const hosts =
  (respell: (host: string) => string): OfText =>
  (text, { kind, field, type }) => {
    if (!isContent(kind, field)) return respell(text);
    return isOpaque(text) ? text : respellHost(type, text, respell);
  };

const withoutDot = hosts((host) => (/[^.]\.$/u.test(host) ? host.slice(0, -1) : host));
const withDot = hosts((host) => (host === "" || host === apex || host.endsWith(".") ? host : `${host}.`));

/** Every codec, in the order in which those of a field are applied to a value that is sent. */
export const codecs: Readonly<Record<Codec, CodecSpelling>> = {
  bytes: {
    encode: (value) => (typeof value === "number" ? value * bytesInMb : value),
    decode: (value, { kind, field }) => {
      const size = typeof value === "string" ? toNumber(value.trim()) : value;
      if (typeof size !== "number") return value;
      // A limit is compared to the byte; how much is used is shown.
      const isShown = kind.fields[field]?.access === "read_only";
      return isShown ? Math.ceil(size / bytesInMb) : size / bytesInMb;
    },
  },
  local_part: texts(
    (text, { key }) => {
      const end = `@${key["domain"] ?? ""}`;
      return text.length > end.length && text.toLowerCase().endsWith(end) ? text.slice(0, -end.length) : text;
    },
    (text, { key }) => (text === "" || text.includes("@") ? text : `${text}@${key["domain"] ?? ""}`),
  ),
  whole_name: texts(
    (name, { key: { zone = "" } }) => {
      if (name === apex || name === "") return zone;
      return name.endsWith(".") ? name.slice(0, -1) : `${name}.${zone}`;
    },
    (name, { key: { zone = "" } }) => {
      const whole = normaliseDomain(name);
      if (whole === zone) return apex;
      if (whole.endsWith(`.${zone}`)) return unmistakable(whole.slice(0, -zone.length - 1), zone);
      return whole.includes(".") && !name.endsWith(".") ? `${name}.` : name;
    },
  ),
  relative_name: texts(
    (name, { key: { zone = "" } }) =>
      name.endsWith(`.${zone}.`) ? name.slice(0, -zone.length - 2) : name === `${zone}.` ? apex : name,
    (name, { key: { zone = "" } }) => {
      if (name === "" || name === apex || name.endsWith(".")) return name === "" ? apex : name;
      return unmistakable(normaliseDomain(name), zone);
    },
  ),
  empty_apex: {
    encode: (value) => (value === apex ? "" : value),
    decode: (value) => (value === "" || value === null ? apex : value),
  },
  plain_text: texts(
    (content, { type }) => {
      const held = holdsText(type) ? parseQuotedStrings(content) : undefined;
      return (held && decodeText(held)) ?? content;
    },
    // Quotes that a server holds are part of the text that it publishes.
    (content, { type }) => (holdsText(type) ? formatQuotedStrings(Buffer.from(content, "utf8")) : content),
  ),
  quoted_text: texts((content, { type }) => (holdsText(type) ? normaliseQuoted(content) : content), asItIs),
  // A host in a content has its dot in normal form; another name has none.
  final_dot: texts(withDot, (text, place) => (isContent(place.kind, place.field) ? text : withoutDot(text, place))),
  no_final_dot: texts(withoutDot, asItIs),
  // Its other half is the field `priority`: see spell-body.ts.
  priority_inside: texts(asItIs, (content, { type }) => (isOpaque(content) ? content : withoutPriority(type, content))),
  integer: {
    encode: ofTexts(toInteger),
    decode: (value) => (Array.isArray(value) ? value.map(digits) : digits(value)),
  },
  string: {
    encode: (value) => (typeof value === "number" || typeof value === "boolean" ? String(value) : value),
    decode: ofTexts((text) => (text === "true" || text === "false" ? text === "true" : toNumber(text))),
  },
};

const order = Object.keys(codecs) as Codec[];

export const sortCodecs = (names: readonly Codec[]): Codec[] => order.filter((name) => names.includes(name));
