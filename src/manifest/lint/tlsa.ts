import type { DeclaredZones } from "./declared-zones.ts";
import { nameOfRecord, type LintFinding, type LintRule } from "./rule.ts";
import { spanOf } from "./declared-sets.ts";

/** The assigned numbers of each field (IANA, "DNS-Based Authentication of Named Entities"); 255 is for private use. */
const fields = [
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
      fields.flatMap(({ name, most }, index): LintFinding[] => {
        const value = Number(words[index]);
        if (!(value > most) || value === 255) return [];
        return [
          {
            span: spanOf(record),
            summary: `${nameOfRecord(record)} has the ${name} ${value}, which is not assigned: clients ignore the record`,
            detail: `a ${name} from 0 to ${most}, or 255`,
            hint: `check the ${name}`,
          },
        ];
      }),
    ),
};

/** The matching type of a digest by its length in bytes. */
const digests: Readonly<Record<number, number>> = { 32: 1, 64: 2 };

/** A digest under matching type 0, which stands for a whole certificate or key. Other lengths are refused before. */
const tlsaLength: LintRule = {
  id: "tlsa_length",
  find: ({ zones }) =>
    associationsIn(zones).flatMap(({ record, words: [, , type, data = ""] }): LintFinding[] => {
      const digest = digests[data.length / 2];
      if (type !== "0" || digest === undefined || isDer(Buffer.from(data, "hex"))) return [];
      return [
        {
          span: spanOf(record),
          summary: `${nameOfRecord(record)} has the matching type 0 and ${data.length / 2} bytes, which are a digest and not a certificate or key`,
          hint: `write the matching type ${digest}`,
        },
      ];
    }),
};

/** Whether bytes are one DER sequence of fewer than 128 bytes. */
const isDer = (data: Buffer) => data[0] === 0x30 && data[1] === data.length - 2;

export const tlsaRules: readonly LintRule[] = [unassignedTlsa, tlsaLength];
