import { openValue } from "../../model/body.ts";
import { clearValue } from "../../model/clear-values.ts";
import { jsonText, type Json } from "../../model/json.ts";
import type { Kind, Problem, Census } from "../kind.ts";
import { isOpaque } from "./numbered-type.ts";
import { inlinePriority } from "./record-content.ts";
import { recordTypes } from "./record-types.ts";
import { type RecordSetCheck, unknownBesideCname } from "./set-rules.ts";
import { toAddress, type Address } from "../../model/address.ts";
import type { Key, Resource } from "../../model/resource.ts";
import { nameInZone } from "./record-name.ts";
import { getOrMake } from "../../lib/collect.ts";

const none: readonly Problem[] = [];

const valuesAreDistinct: RecordSetCheck = ({ key, members = [] }) => {
  if (members.length < 2) return none;
  const seen = new Set<Json>();
  const twice = members.filter(({ fields }) => {
    const content = clearValue(fields["content"]);
    return content !== undefined && seen.size === seen.add(content).size;
  });
  return twice.map(({ fields }) => ({
    code: "duplicate_value",
    summary: `${key["type"]} ${key["name"]} in ${key["zone"]} holds ${jsonText(openValue(fields["content"]) ?? "(sensitive)")} twice`,
    detail: "each value once (in normal form)",
  }));
};

/** The bytes of an MX or SRV record hold its priority, which is written beside them as well, or not at all. */
const samePriority: RecordSetCheck = ({ key: { zone, name, type = "" }, members = [] }) =>
  members.flatMap(({ fields }): Problem | [] => {
    const content = fields["content"]?.is === "known" ? fields["content"].written : undefined;
    const priority = openValue(fields["priority"]);
    const inBytes = typeof content === "string" && isOpaque(content) ? inlinePriority(type, content) : undefined;
    if (inBytes === undefined || priority === undefined || inBytes === priority) return [];
    return {
      code: "priority_differs",
      summary: `${type} ${name} in ${zone} has the priority ${jsonText(priority)}, and ${inBytes} in its bytes`,
      hint: `write priority: ${inBytes}, or write the record in its usual form instead of \\# bytes`,
    };
  });

const oneTarget: RecordSetCheck = ({ key: { zone, name, type }, members = [] }) =>
  members.length < 2
    ? none
    : [
        {
          code: "several_targets",
          summary: `${type} ${name} in ${zone} has ${members.length} targets`,
          detail: "one item: a CNAME, DNAME or ALIAS has one target only",
          path: ["values"],
        },
      ];

/** The checks of each type in their order. */
const checks: ReadonlyMap<string, readonly RecordSetCheck[]> = new Map(
  [...recordTypes].map(([type, { setRule, isAlias = false, hasPriority = false }]) => [
    type,
    [
      ...(setRule ? [setRule] : []),
      ...(isAlias ? [oneTarget] : []),
      valuesAreDistinct,
      ...(hasPriority ? [samePriority] : []),
      checkZoneCut,
    ],
  ]),
);
const ofUnknownType = [unknownBesideCname, valuesAreDistinct, checkZoneCut];
const types = [...checks.keys()];

/** Returns the mistakes that can be seen in a record set only beside others, or as a whole. */
export const checkRecordSet: NonNullable<Kind["check"]> = (resource, lookup, census) => {
  let found = none;
  for (const check of checks.get(resource.key["type"] ?? "") ?? ofUnknownType) {
    const problems = check(resource, lookup, census, types);
    if (problems.length > 0) found = found.concat(problems);
  }
  return found;
};

/**
 * Finds the problem of a record set that stands where its zone ends. It is an error at or below a child zone that is declared as well.
 * At or below a name that its zone delegates, or below a DNAME, it is a warning: the set is valid, but no resolver asks there. A zone holds
 * of such a name the delegation (NS, DS) and its glue, the addresses of its name servers, and nothing else (RFC 1034 section 4.2.1).
 */
export function checkZoneCut(
  { key: written, address }: Resource,
  lookup: (address: Address) => Resource | undefined,
  census?: Census,
): readonly Problem[] {
  if (census && !mayBeCut(written["zone"] ?? "", census.lastPartsBeside(address), census)) return none;
  const name = nameInZone(written);
  const key: Key = { ...written, name };
  const { zone = "", type = "" } = key;
  const nameServersAt = (cut: string) => toAddress("dns_record", [zone, cut, "NS"]);
  const isAllowed = (cut: string) =>
    (name === cut && (type === "NS" || type === "DS")) || isGlue(key, lookup(nameServersAt(cut)));
  const cuts = namesDownTo(name);
  const child = cuts.find((cut) => lookup(childZone(cut, zone)));
  if (child !== undefined) return isAllowed(child) ? [] : [belowChildZone(key, child)];
  const isServed = (address: Address) =>
    lookup(address)?.members?.some(({ fields }) => openValue(fields["disabled"]) !== true) === true;
  const delegated = cuts.find((cut) => isServed(nameServersAt(cut)));
  if (delegated !== undefined) return isAllowed(delegated) ? [] : [hidden(key, delegated, nameServersAt(delegated))];
  const redirection = ["@", ...cuts]
    .filter((cut) => cut !== name)
    .map((cut) => toAddress("dns_record", [zone, cut, "DNAME"]))
    .find(isServed);
  return redirection === undefined ? none : [redirected(key, redirection)];
}

const mayBeCut = (zone: string, types: ReadonlySet<string>, { isAboveZone }: Census): boolean =>
  types.has("NS") || types.has("DNAME") || isAboveZone(zone);

/** The names between the apex and a name, and the name itself, from above: `c.b.a` gives `a`, `b.a`, `c.b.a`. */
function namesDownTo(name: string): string[] {
  const labels = name.split(".");
  return name === "@" ? [] : labels.map((_, index) => labels.slice(-index - 1).join("."));
}

function isGlue({ zone, name, type = "" }: Key, delegation: Resource | undefined): boolean {
  if (type !== "A" && type !== "AAAA") return false;
  return delegation !== undefined && nameServersOf(delegation).has(`${name}.${zone}.`);
}

// A cache only: a delegation may have as many name servers as it has glue records, and each glue record asks.
const nameServers = new WeakMap<Resource, ReadonlySet<unknown>>();

const nameServersOf = (delegation: Resource): ReadonlySet<unknown> =>
  getOrMake(
    nameServers,
    delegation,
    () => new Set((delegation.members ?? []).map(({ fields }) => clearValue(fields["content"]))),
  );

const childZone = (cut: string, zone: string) => toAddress("dns_zone", [`${cut}.${zone}`]);

function belowChildZone({ zone = "", name = "", type = "" }: Key, cut: string): Problem {
  const inChild = name === cut ? "@" : name.slice(0, -cut.length - 1);
  return {
    code: "below_child_zone",
    summary: `${type} ${name} in ${zone} belongs to the zone ${cut}.${zone}, which is declared as well`,
    detail: `of ${cut} only NS, DS and the addresses of its name servers stand in ${zone}`,
    hint: `move it there, as ${JSON.stringify(inChild)}`,
    related: [{ address: childZone(cut, zone), message: "the child zone is declared here" }],
  };
}

/** Names below a DNAME are those of its target (RFC 6672 section 2.4). */
const redirected = ({ zone = "", name = "", type = "" }: Key, redirection: Address): Problem => ({
  code: "hidden_by_dname",
  rule: "hidden_by_dname",
  severity: "warning",
  summary: `${type} ${name} in ${zone} is occluded: a DNAME above it redirects its name to another domain`,
  hint: "remove the record or the DNAME",
  related: [{ address: redirection, message: "the DNAME is declared here" }],
});

const hidden = ({ zone = "", name = "", type = "" }: Key, cut: string, delegation: Address): Problem => ({
  code: "hidden_by_delegation",
  rule: "hidden_by_delegation",
  severity: "warning",
  summary: `${type} ${name} in ${zone} is occluded: ${cut} is delegated to other name servers`,
  hint: `put it into the zone ${cut}.${zone} at those name servers, or take it out`,
  related: [{ address: delegation, message: "delegated here" }],
});
