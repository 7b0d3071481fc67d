import { nearest } from "../../model/nearest.ts";
import { spanOf } from "./span-of.ts";
import { nameOfRecord, type LintRule } from "./rule.ts";

/** The property tags of the IANA registry "Certification Authority Restriction Properties". */
const tags = ["contactemail", "contactphone", "iodef", "issue", "issuemail", "issuevmc", "issuewild"];

/** A CAA property that no authority knows: it restricts nothing, and if it is critical, it forbids everything. */
export const unknownCaaTag: LintRule = {
  id: "unknown_caa_tag",
  find: ({ zones }) =>
    zones.recordsOf(["CAA"]).flatMap((record) => {
      const [, flags, tag] = /^(\d+)\s+(\S+)\s/u.exec(record.content ?? "") ?? [];
      if (tag === undefined || tags.includes(tag.toLowerCase())) return [];
      const near = nearest(tag.toLowerCase(), tags);
      const isCritical = Number(flags) >= 128;
      return [
        {
          span: spanOf(record),
          summary: `${nameOfRecord(record)} has the tag "${tag}", which no authority knows${isCritical ? ": as it is critical, no certificate is issued" : ""}`,
          detail: `one of ${tags.join(", ")}`,
          hint: near === undefined ? "check the tag's spelling" : `did you mean "${near}"?`,
        },
      ];
    }),
};
