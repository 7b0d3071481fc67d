import { aliasTypes, typesThatNeed } from "../../kinds/dns/record-types.ts";
import { absence, circleFinding, nameOfRecord, type LintFinding, type LintRule } from "./rule.ts";
import { longestChain, spanOf, type DeclaredRecord, type DeclaredZones, type Lookup } from "./declared-zones.ts";
import { isWholeName } from "../../kinds/dns/record-name.ts";
import { partNamed } from "../read/read-resources.ts";
import { positionOf, type Span } from "../yaml/written.ts";

export const targetTypes = ["A", "AAAA", "ALIAS"];

/** Types whose target must have an address; that of the others may be anything. */
const needAddress = typesThatNeed("address", "own_address");
const needRecord = typesThatNeed("any_record");

/** A target inside a declared zone that has no record there. */
const targetMissing: LintRule = {
  id: "target_missing",
  find: ({ zones }) =>
    zones
      .recordsOf([...needAddress, ...needRecord])
      .flatMap((record) => record.targets.flatMap((target) => missingTarget(zones, record, target))),
};

function missingTarget(zones: DeclaredZones, record: DeclaredRecord, target: string): LintFinding | [] {
  const what = needAddress.includes(record.type) ? "address" : "record";
  // The apex has at least its SOA record.
  if (what === "record" && zones.zoneOf(target) === target) return [];
  const found: Lookup = zones.look(target, what === "address" ? targetTypes : undefined);
  if (found.is !== "absent") return [];
  const { clause, detail } = absence(found, what === "address" ? "address record" : "record");
  return {
    span: spanOf(record),
    summary: `${nameOfRecord(record)} points to ${target}., ${clause}`,
    detail,
    hint: `declare ${what === "address" ? "an address of it" : "it"} in ${found.zone}, or check the spelling`,
  };
}

const noAliases = typesThatNeed("own_address");

/** A mail exchange, name server or service that is an alias (RFC 2181 section 10.3, RFC 2782). */
const targetIsCname: LintRule = {
  id: "target_is_cname",
  find: ({ zones }) =>
    zones.recordsOf(noAliases).flatMap((record) =>
      record.targets.flatMap((target): LintFinding | [] => {
        const alias = zones.recordFor(target, "CNAME");
        if (!alias) return [];
        return {
          span: spanOf(record),
          summary: `${nameOfRecord(record)} points to ${target}., which is a CNAME`,
          detail: "a name with an address of its own (RFC 2181 section 10.3)",
          hint: alias.targets[0] === undefined ? "point to the target of the CNAME" : `point to ${alias.targets[0]}.`,
          related: [{ at: positionOf(spanOf(alias)), message: "the CNAME is declared here" }],
        };
      }),
    ),
};

/** A name that leads to itself, at once or over others (CNAME, ALIAS and DNAME). */
const targetCircle: LintRule = {
  id: "target_circle",
  find: ({ zones }) => {
    const reported = new Set<DeclaredRecord>();
    return zones.recordsOf(aliasTypes).flatMap((record) => {
      const circle = reported.has(record) ? undefined : circleFrom(zones, record);
      if (!circle) return [];
      for (const each of circle) reported.add(each);
      const places = circle.map((each) => ({ span: spanOf(each), name: each.owner }));
      return circleFinding(
        places,
        `${nameOfRecord(record)} points to itself`,
        "point it to a name that has an address",
      );
    });
  },
};

/** Returns the records on the way from a record back to itself. */
function circleFrom(zones: DeclaredZones, start: DeclaredRecord): DeclaredRecord[] | undefined {
  const path: DeclaredRecord[] = [];
  // Below a DNAME every name is rewritten: one stands for all.
  let name = start.type === "DNAME" ? `${anyLabel}.${start.owner}` : start.owner;
  let record: DeclaredRecord | undefined = start;
  for (let steps = 0; record && steps < longestChain; steps += 1) {
    path.push(record);
    const [target] = record.targets;
    if (target === undefined) return undefined;
    name = record.type === "DNAME" ? name.slice(0, -record.owner.length) + target : target;
    record = aliasAt(zones, name);
    if (record === start) return path;
    if (record && path.includes(record) && record.type !== "DNAME") return undefined;
  }
  return undefined;
}

const anyLabel = "any-label-at-all";

/** Returns the record that sends whoever asks for a name to another: the name's own, or a DNAME above it. */
function aliasAt(zones: DeclaredZones, name: string): DeclaredRecord | undefined {
  const rewriting = zones.rewritingAt(name);
  if (rewriting) return rewriting;
  return zones.recordFor(name, "CNAME") ?? zones.recordFor(name, "ALIAS");
}

export const targetRules: readonly LintRule[] = [targetMissing, targetIsCname, targetCircle];

/** A name server at or below the name that it serves: without its address in the zone above, no resolver finds it (RFC 9471). */
export const glueMissing: LintRule = {
  id: "glue_missing",
  find: ({ zones }) =>
    zones
      .recordsOf(["NS"])
      .filter(({ owner, zone }) => owner !== zone)
      .flatMap((record) => record.targets.flatMap((target) => missingGlue(zones, record, target))),
};

function missingGlue(zones: DeclaredZones, record: DeclaredRecord, target: string): LintFinding | [] {
  if (target !== record.owner && !target.endsWith(`.${record.owner}`)) return [];
  const found = zones.held(record.zone, target, ["A", "AAAA"]);
  if (found.is !== "absent") return [];
  const { clause, detail } = absence(found, `address record in ${found.zone}`);
  return {
    span: spanOf(record),
    summary: `${nameOfRecord(record)} delegates to ${target}., ${clause}`,
    detail,
    hint: `declare A or AAAA of ${target} in ${found.zone}: only the address there leads to this name server`,
  };
}

/** A record name that ends in its zone's name without a final dot: other tools put the zone's name behind it once more. */
export const ambiguousName: LintRule = {
  id: "ambiguous_name",
  find: ({ ofKind }) => {
    const reported = new Set<Span>();
    return ofKind("dns_record").flatMap(({ resource, kind, part }): LintFinding | [] => {
      const name = partNamed(part, kind.naming.chosen);
      const zone = resource.key["zone"];
      // Nearly all stand there as they are in the key, which never ends in the zone's name without a final dot.
      if (!name || name.text === resource.key["name"] || zone === undefined || reported.has(name.span)) return [];
      const text = name.text.trim();
      if (text.endsWith(".") || !isWholeName(text.toLowerCase(), zone)) return [];
      reported.add(name.span);
      const short = resource.key["name"] ?? "@";
      return {
        span: name.span,
        summary: `"${text}" in ${zone} is read as the whole name ${text}., not as ${text}.${zone}.`,
        hint: `write "${short}" or "${text}." if that is meant, and "${text}.${zone}." if not`,
      };
    });
  },
};
