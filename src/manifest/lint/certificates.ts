import { jsonText } from "../../model/json.ts";
import { normaliseDomain } from "../../kinds/shared/domain-name.ts";

import { itemsOf, memberOf, toJson, type WrittenNode } from "../yaml/written.ts";
import { absence, type LintFinding, type LintRule, nameOfRecord } from "./rule.ts";
import { targetTypes } from "./names.ts";
import { didYouMean, nearest } from "../../model/nearest.ts";
import { type DeclaredZones, spanOf } from "./declared-zones.ts";

/** A certificate for a name that leads to no server. */
const certificateWithoutAddress: LintRule = {
  id: "certificate_without_address",
  find: ({ ofKind, zones }) => {
    const certificates = ofKind("certificate");
    if (certificates.length === 0) return [];
    const covered = new Set(zones.recordsOf([...targetTypes, "CNAME"]).map(({ owner }) => nameAbove(owner)));
    return certificates.flatMap(({ body }) =>
      itemsOf(memberOf(body, "domains")).flatMap((item) => withoutAddress(zones, covered, item)),
    );
  },
};

/** @param covered the names that have a name with an address one label below. A wildcard in a certificate stands for one label. */
function withoutAddress(zones: DeclaredZones, covered: ReadonlySet<string>, item: WrittenNode): LintFinding | [] {
  const name = normaliseDomain(jsonText(toJson(item)));
  const parent = name.startsWith("*.") ? name.slice(2) : undefined;
  if (parent !== undefined && covered.has(parent)) return [];
  const found = zones.look(name, targetTypes);
  if (found.is !== "absent") return [];
  const { clause, detail } = absence(found, parent === undefined ? "address record" : "address record below it");
  return {
    span: item,
    summary: `A certificate is for ${name}, ${clause}`,
    detail,
    hint: `declare A, AAAA, ALIAS or CNAME of ${name} in ${found.zone}, or take the name out of the certificate`,
  };
}

const nameAbove = (owner: string) => owner.slice(owner.indexOf(".") + 1);

/** The property tags of the IANA registry "Certification Authority Restriction Properties". */
const tags = ["contactemail", "contactphone", "iodef", "issue", "issuemail", "issuevmc", "issuewild"];

/** A CAA property that no authority knows: it restricts nothing, and if it is critical, it forbids everything. */
const unknownCaaTag: LintRule = {
  id: "unknown_caa_tag",
  find: ({ zones }) =>
    zones.recordsOf(["CAA"]).flatMap((record): LintFinding | [] => {
      const [, flags, tag] = /^(\d+)\s+(\S+)\s/u.exec(record.content ?? "") ?? [];
      if (tag === undefined || tags.includes(tag.toLowerCase())) return [];
      const isCritical = Number(flags) >= 128;
      return {
        span: spanOf(record),
        summary: `${nameOfRecord(record)} has the tag "${tag}", which no authority knows${isCritical ? ": as it is critical, no certificate is issued" : ""}`,
        detail: `one of ${tags.join(", ")}`,
        hint: didYouMean(nearest(tag.toLowerCase(), tags)) ?? "check the tag's spelling",
      };
    }),
};

/** The assigned numbers of each field (IANA, "DNS-Based Authentication of Named Entities"); 255 is for private use. */
const associationFields = [
  { name: "usage", most: 3 },
  { name: "selector", most: 1 },
  { name: "matching type", most: 2 },
];

const associationsIn = (zones: DeclaredZones) =>
  zones
    .recordsOf(["TLSA", "SMIMEA"])
    .flatMap((record) => (record.content === undefined ? [] : [{ record, words: record.content.split(" ") }]));

/** A certificate association with a number that no client knows: clients leave it out (RFC 6698 section 4.1). */
const unassignedTlsa: LintRule = {
  id: "unassigned_tlsa",
  find: ({ zones }) =>
    associationsIn(zones).flatMap(({ record, words }) =>
      associationFields.flatMap(({ name, most }, index): LintFinding | [] => {
        const value = Number(words[index]);
        if (!(value > most) || value === 255) return [];
        return {
          span: spanOf(record),
          summary: `${nameOfRecord(record)} has the ${name} ${value}, which is not assigned: clients ignore the record`,
          detail: `a ${name} from 0 to ${most}, or 255`,
          hint: `check the ${name}`,
        };
      }),
    ),
};

/** The matching type of a digest by its length in bytes. */
const digests: Readonly<Record<number, number>> = { 32: 1, 64: 2 };

/** A digest under matching type 0, which stands for a whole certificate or key. Other lengths are refused before. */
const tlsaLength: LintRule = {
  id: "tlsa_length",
  find: ({ zones }) =>
    associationsIn(zones).flatMap(({ record, words: [, , type, data = ""] }): LintFinding | [] => {
      const digest = digests[data.length / 2];
      if (type !== "0" || digest === undefined || isDer(Buffer.from(data, "hex"))) return [];
      return {
        span: spanOf(record),
        summary: `${nameOfRecord(record)} has the matching type 0 and ${data.length / 2} bytes, which are a digest and not a certificate or key`,
        hint: `write the matching type ${digest}`,
      };
    }),
};

/** Whether bytes are one DER sequence of fewer than 128 bytes. */
const isDer = (data: Buffer) => data[0] === 0x30 && data[1] === data.length - 2;

export const certificateRules: readonly LintRule[] = [unknownCaaTag, certificateWithoutAddress];
export const tlsaRules: readonly LintRule[] = [unassignedTlsa, tlsaLength];
