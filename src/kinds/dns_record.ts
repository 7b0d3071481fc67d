import { rememberLast } from "../lib/collect.ts";
import { jsonText, type Json } from "../model/json.ts";
import type { Key } from "../model/resource.ts";
import { isNumber } from "./dns/content-form.ts";
import { isOpaque, isTypeName } from "./dns/numbered-type.ts";
import { hostsIn, inlinePriority, recordTypeOf } from "./dns/record-content.ts";
import { isWholeName, listsRelativeNames, nameInZone, relativeName } from "./dns/record-name.ts";
import { checkRecordSet } from "./dns/record-set-checks.ts";
import { holdsText, recordTypes } from "./dns/record-types.ts";
import { readRRset, writeRRset, wrongPart } from "./dns/rrset-items.ts";
import type { Kind } from "./kind.ts";
import { inWrittenCase, normaliseBoolean, normaliseNumber, ofText } from "./shared/normal-forms.ts";
import { checkSlashedLabels, checkZone, isPlainName, normaliseDomain } from "./shared/domain-name.ts";
import { plainKey } from "./shared/natural-key.ts";

/** An RRset: all records of one name and type. Planned as a whole, called record by record. */
export const dnsRecord: Kind = {
  name: "dns_record",
  manifest: "dns.{zone}.records.{name}.{type}",
  scope: ["zone"],
  naming: {
    ...plainKey(["zone", "name", "type"]),
    normalise: ({ zone = "", name = "", type = "" }) => {
      const normalZone = normaliseZone(zone);
      return { zone: normalZone, name: relativeName(name, normalZone), type: type.toUpperCase() };
    },
    check: ({ zone = "", name = "" }) => checkLastZone(zone) ?? checkName(name, zone),
    ofLive: (fields, scope, isRelative = false) => {
      const zone = scope["zone"] ?? "";
      const name = jsonText(fields["name"]);
      const isDoubled = isRelative && isWholeName(normaliseDomain(name), zone);
      return {
        zone,
        name: relativeName(isDoubled ? `${name}.${zone}.` : name, zone),
        type: jsonText(fields["type"]).toUpperCase(),
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
    priority: { access: "mutable", normalise: normaliseNumber, check: checkPriority },
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
    wrongPart,
    single: ({ type = "" }) => recordTypes.get(type)?.isSingle === true,
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
        name: name === "@" ? zone : `${nameInZone({ name, zone })}.${zone}`,
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
  check: checkRecordSet,
};

const normaliseZone = rememberLast(normaliseDomain);
const checkLastZone = rememberLast(checkZone);

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

/** Returns a content as it was written, as far as the API takes it: whole quoted strings, and letters in their written case. */
function spellContent(written: Json, normal: Json, { type = "" }: Key): Json {
  if (typeof written !== "string" || typeof normal !== "string") return normal;
  if (isOpaque(written)) return normal;
  const [part] = recordTypes.get(type)?.parts ?? [];
  if (!part) return normal;
  return part.sent ? part.sent(written, normal) : inWrittenCase(written, normal);
}

function checkPriority(value: Json, { type = "" }: Key): string | undefined {
  if (typeof value === "number" && isNumber(String(value), 65_535)) return undefined;
  const written = type === "SRV" ? "0 5 5060 sip.example.com." : "10 mx1.host.test.";
  return `a priority from 0 to 65535 before the content, such as ${written}, or beside it as priority:`;
}

function checkContent(value: Json, key: Key): string | undefined {
  if (typeof value !== "string") return "a text";
  if (value === "" && !holdsText(key["type"] ?? "")) return "text that is not empty";
  // The expected form may show how a name is written in full.
  return recordTypeOf(key["type"] ?? "")
    .check(value)
    ?.replace(".example.com.", `.${key["zone"]}.`);
}
