import { jsonText } from "../../model/json.ts";
import { normaliseDomain } from "../../kinds/shared/domain-name.ts";
import type { WrittenResource } from "../read/read-resources.ts";
import { nearestNode, toJson } from "../yaml/written.ts";
import type { DeclaredZones } from "./declared-zones.ts";
import { absence, type LintFinding, type LintRule } from "./rule.ts";
import { targetTypes } from "./targets.ts";

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
