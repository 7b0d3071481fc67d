import { jsonText } from "../../model/json.ts";
import { normaliseDomain } from "../../kinds/shared/domain-name.ts";
import type { WrittenResource } from "../read/read-resources.ts";
import { nearestNode, toJson } from "../yaml/written.ts";
import type { DeclaredZones } from "./declared-zones.ts";
import { absence, type LintFinding, type LintRule, nameOfRecord } from "./rule.ts";
import { targetTypes } from "./targets.ts";
import { nearest } from "../../model/nearest.ts";
import { spanOf } from "./declared-sets.ts";

/** A certificate for a name that leads to no server. */
export const certificateWithoutAddress: LintRule = {
  id: "certificate_without_address",
  find: ({ ofKind, zones }) => {
    const certificates = ofKind("certificate");
    if (certificates.length === 0) return [];
    const covered = new Set(zones.ownersOf([...targetTypes, "CNAME"]).map(nameAbove));
    return certificates.flatMap((each) =>
      domainsOf(each).flatMap(({ name, span }) =>
        withoutAddress(zones, covered, name).map((more) => ({ span, ...more })),
      ),
    );
  },
};

function domainsOf({ body }: WrittenResource) {
  const { node } = nearestNode(body, ["domains"]);
  if (node.type !== "list") return [];
  return node.items.map((item) => ({ name: normaliseDomain(jsonText(toJson(item))), span: item.span }));
}

/** @param covered the names that have a name with an address one label below. A wildcard in a certificate stands for one label. */
function withoutAddress(zones: DeclaredZones, covered: ReadonlySet<string>, name: string): Omit<LintFinding, "span">[] {
  const parent = name.startsWith("*.") ? name.slice(2) : undefined;
  if (parent !== undefined && covered.has(parent)) return [];
  const found = zones.look(name, targetTypes);
  if (found.is !== "absent") return [];
  const { clause, ...more } = absence(
    found.zone,
    found.surely,
    parent === undefined ? "address record" : "address record below it",
  );
  return [
    {
      summary: `A certificate is for ${name}, ${clause}`,
      ...more,
      hint: `declare A, AAAA, ALIAS or CNAME of ${name} in ${found.zone}, or take the name out of the certificate`,
    },
  ];
}

const nameAbove = (owner: string) => owner.slice(owner.indexOf(".") + 1);

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
