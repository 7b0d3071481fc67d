import { rememberLast } from "../lib/collect.ts";
import { checkRecordSet } from "./dns/record-set-checks.ts";
import { jsonText, type Json, type JsonObject } from "../model/json.ts";
import type { Fields, Key } from "../model/resource.ts";
import type { Kind, WrittenMember } from "./kind.ts";
import { inWrittenCase } from "./shared/as-written.ts";
import { replaceBlanks, trimBlanks } from "./shared/blanks.ts";
import { normaliseBoolean, normaliseNumber, ofText } from "./shared/normal-forms.ts";
import { isInStrings } from "./dns/character-strings.ts";
import { checkSlashedLabels, checkZone, isPlainName, normaliseDomain } from "./shared/domain-name.ts";
import { plainKey } from "./shared/natural-key.ts";
import { isOpaque, isTypeName } from "./dns/numbered-type.ts";
import {
  hostsIn,
  inlinePriority,
  isPrioritised,
  recordTypeOf,
  recordTypes,
  withoutPriority,
} from "./dns/record-content.ts";
import { writeRRset } from "./dns/rrset-items.ts";
import { isWholeName, listsRelativeNames, nameInZone, relativeName } from "./dns/record-name.ts";

/** An RRset: all records of one name and type. Planned as a whole, called record by record. */
export const dnsRecord: Kind = {
  name: "dns_record",
  manifest: "dns.{zone}.records.{name}.{type}",
  scope: ["zone"],
  naming: {
    ...plainKey(["zone", "name", "type"]),
    normalise: ({ zone = "", name = "", type = "" }) => {
      const normalZone = normaliseZone(zone);
      return { zone: normalZone, name: relativeName(name, normalZone), type: typeNamed(type) };
    },
    check: ({ zone = "", name = "" }) => checkLastZone(zone) ?? checkName(name, zone),
    ofLive: (fields, scope, isRelative = false) => {
      const zone = scope["zone"] ?? "";
      const name = jsonText(fields["name"]);
      const isDoubled = isRelative && isWholeName(normaliseDomain(name), zone);
      return {
        zone,
        name: relativeName(isDoubled ? `${name}.${zone}.` : name, zone),
        type: typeNamed(jsonText(fields["type"])),
      };
    },
    toFields: (key) => ({ name: nameInZone(key), type: key["type"] ?? "" }),
    chosen: "name",
    relative: {
      field: "name",
      areListed: (names, scope) => listsRelativeNames(names, scope["zone"] ?? ""),
      otherReading: (key) => {
        const { zone = "", name = "" } = key;
        return name.endsWith(".")
          ? { ...key, name: relativeName(nameInZone(key), zone) }
          : { ...key, name: relativeName(`${name === "@" ? "" : `${name}.`}${zone}.${zone}.`, zone) };
      },
    },
  },
  listing: {
    correct: (fields) => {
      if ((fields["priority"] ?? null) !== null) return fields;
      const priority = inlinePriority(jsonText(fields["type"]).toUpperCase(), jsonText(fields["content"]));
      return priority === undefined ? fields : { ...fields, priority };
    },
  },
  fields: {
    name: { access: "mutable" },
    type: { access: "immutable", listed: { isWord: isTypeName } },
    content: {
      access: "mutable",
      from: "values",
      normalise: ofText((text, { type = "", zone = "" }) => recordTypeOf(type).normalise(text, zone)),
      sent: spellContent,
      check: checkContent,
    },
    ttl: { access: "mutable", fallback: { parent: "ttl", default: "ttl" }, normalise: normaliseNumber },
    priority: { access: "mutable", normalise: normaliseNumber },
    disabled: { access: "mutable", normalise: normaliseBoolean },
    comment: { access: "mutable", normalise: ofText((text) => (text === "" ? null : text)) },
    managed: { access: "read_only", normalise: normaliseBoolean },
  },
  members: {
    identity: "content",
    shared: ["ttl"],
    always: { disabled: false },
    read: readRRset,
    write: writeRRset,
    single: ({ type }) => type === "CNAME" || type === "DNAME",
    reusable: (live) => live["disabled"] !== true && (live["comment"] ?? null) === null,
  },
  relations: {
    requires: [[{ kind: "dns_zone", key: { name: "zone" } }]],
    uniqueNames: ({ zone, name, type = "" }) => [
      { name: `the name ${name} in ${zone}`, shared: type !== "CNAME" },
      ...(["A", "AAAA", "ALIAS"].includes(type)
        ? [{ name: `the addresses of ${name} in ${zone}`, shared: type !== "ALIAS" }]
        : []),
    ],
  },
  availability: {
    answers: {
      at: ({ zone = "", name = "", type = "" }) => ({
        zone,
        // A template would be held in two parts and, as a key of a map, whole as well.
        name: name === "@" ? zone : [nameInZone({ name, zone }), zone].join("."),
        type,
      }),
      counts: (member) => member["disabled"] !== true,
      targets: ({ type = "" }, member) => hostsIn(type, jsonText(member["content"])),
    },
  },
  serverMade: {
    ownFlag: "managed",
    // A zone answers for nothing without these, and most platforms list their own among the records.
    mayBeOwn: ({ name, type = "" }) => name === "@" && (type === "NS" || type === "SOA"),
  },
  check: (resource, lookup, census) => checkRecordSet(resource, lookup, census),
};

const normaliseZone = rememberLast(normaliseDomain);
const checkLastZone = rememberLast(checkZone);

const typeNames = new Map(Object.keys(recordTypes).map((name) => [name, name]));

/** Returns the normal form of the name of a type: of a known one always the same string, since there are as many as sets. */
const typeNamed = (word: string): string => typeNames.get(word) ?? word.toUpperCase();

function checkName(name: string, zone: string): string | undefined {
  if (name === "@") return undefined;
  if (name.endsWith(".") && !name.endsWith(`.${zone}.`)) return `a name in ${zone}; this one is in a foreign domain`;
  const relative = nameInZone({ name, zone });
  if (isPlainName(relative) && relative.length + zone.length + 1 <= 253) return undefined;
  const labels = relative.split(".");
  if (labels.slice(1).includes("*")) return "a wildcard only as the first label, such as *.dev";
  if (relative.length + zone.length + 1 > 253) return "a name that is at most 253 characters with its zone";
  return checkSlashedLabels(labels[0] === "*" ? labels.slice(1).concat("x") : labels);
}

const texts: ReadonlySet<string> = new Set(["TXT", "SPF"]);
/** Types whose words are host names, hexadecimal, keywords or quoted: servers take their letters in either case. */
const inAnyCase: ReadonlySet<string> = new Set(
  "AAAA ALIAS CAA CNAME DNAME DS HTTPS MX NAPTR NS PTR RP SMIMEA SRV SSHFP SVCB TLSA".split(" "),
);

/** Returns a content as it was written, as far as the API takes it: whole quoted strings, and letters in their written case. */
function spellContent(written: Json, normal: Json, { type = "" }: Key): Json {
  if (typeof written !== "string" || typeof normal !== "string") return normal;
  if (isOpaque(written)) return normal;
  if (texts.has(type)) return isInStrings(written) ? trimBlanks(written) : normal;
  if (type === "LOC") return replaceBlanks(trimBlanks(written), " ");
  return inAnyCase.has(type) ? inWrittenCase(written, normal) : normal;
}

/** RDATA of 65,535 bytes in hexadecimal, and the numbers before it. */
const longestContent = 140_000;

function checkContent(value: Json, key: Key): string | undefined {
  if (typeof value !== "string") return "a text";
  if (value.length > longestContent) return `a text of at most ${longestContent} characters`;
  if (value === "" && !texts.has(key["type"] ?? "")) return "text that is not empty";
  // The expected form may show how a name is written in full.
  return recordTypeOf(key["type"] ?? "")
    .check(value)
    ?.replace(".example.com.", `.${key["zone"]}.`);
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An item, a list of items, or the long form `{ttl, values}`. */
function readRRset(body: Json, { type = "" }: Key): { shared: Fields; members: WrittenMember[] } {
  const long = isObject(body) && "values" in body;
  const values: Json = long ? (body["values"] ?? null) : body;
  const mayHavePriority = isPrioritised(type);
  const read = (item: Json, path: WrittenMember["path"]) => {
    const fields = readItem(item);
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

/** The words of an item that its content is made of. */
const itemWords: ReadonlySet<string> = new Set(["value", "target", "weight", "port", "flags", "tag"]);

function readItem(item: Json): Record<string, Json> {
  if (!isObject(item)) return { content: item };
  const { value, target, weight, port, flags, tag } = item;
  const rest: Record<string, Json> = {};
  // To take the rest by destructuring takes several times as long.
  for (const name in item) if (!itemWords.has(name)) rest[name] = item[name] ?? null;
  if (target !== undefined) return { ...rest, content: [weight, port, target].map(jsonText).join(" ") };
  if (tag !== undefined)
    return {
      ...rest,
      content: `${jsonText(flags ?? 0)} ${jsonText(tag)} "${jsonText(value).replaceAll(/["\\]/gu, String.raw`\$&`)}"`,
    };
  return { ...rest, content: value ?? null };
}

/** The priority of an MX or SRV record stands in its bytes, or before a content that is written as text. */
function withPriority(fields: Record<string, Json>, type: string): Record<string, Json> {
  const content = fields["content"];
  if (typeof content !== "string" || fields["priority"] !== undefined) return fields;
  const priority = inlinePriority(type, content);
  if (priority === undefined) return fields;
  return { ...fields, content: isOpaque(content) ? content : withoutPriority(type, content), priority };
}
