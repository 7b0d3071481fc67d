import { isIPv4 } from "node:net";
import type { SourceRecord } from "./source.ts";

/** What becomes of a record of the source in a manifest. */
export type Verdict =
  | { readonly is: "written"; readonly record: SourceRecord }
  | { readonly is: "adapted"; readonly reason: string; readonly record: SourceRecord }
  | { readonly is: "refused"; readonly reason: string };

type Rule = (record: SourceRecord, zones: ReadonlySet<string>) => Exclude<Verdict, { is: "written" }> | undefined;

/** Decides as a user would who moves these zones: leave out what no hosting API takes, change what has an equal. */
export function declare(record: SourceRecord, zones: ReadonlySet<string>): Verdict {
  for (const rule of rules) {
    const verdict = rule(record, zones);
    if (verdict) return verdict;
  }
  return { is: "written", record };
}

/** API.md section 2: the platform's own, a write answers 403. The old provider's name servers would be wrong there. */
const apexNameServers: Rule = ({ name, type }) =>
  type === "NS" && name === "" ? { is: "refused", reason: "NS at the apex: the platform manages it" } : undefined;

/** RFC 1034 section 4.2.1: of a child zone that moves along, its parent holds the delegation. None of them here has glue. */
const belowChildZone: Rule = ({ zone, name, type }, zones) => {
  const labels = name.split(".");
  const child = labels.map((_, index) => labels.slice(index).join(".")).find((cut) => zones.has(`${cut}.${zone}`));
  return child === undefined || (child === name && (type === "NS" || type === "DS"))
    ? undefined
    : { is: "refused", reason: "at or below a zone of its own: it belongs there" };
};

/** `#civilmediation` is an entry that someone commented out; no resolver is ever asked for it. */
const noHostName: Rule = ({ name }) =>
  name.startsWith("#") ? { is: "refused", reason: "the name holds a #: no host name" } : undefined;

/** RFC 1035 section 3.3.12: a PTR holds a name. `relay0… PTR 10.27.9.39` would be looked up as a name below the root. */
const pointerToAddress: Rule = ({ type, value }) =>
  type === "PTR" && typeof value === "string" && isIPv4(value)
    ? { is: "refused", reason: "PTR to an IP address: it holds a name" }
    : undefined;

/**
 * An alias without a hosted zone points into its own zone, "" to the apex; any other target is absolute. The TTL is a placeholder,
 * as an alias has its target's. What is lost is the health check, which no other vendor has.
 */
const route53Alias: Rule = (record) => {
  const { type, value, zone } = record;
  if (type !== "Route53Provider/ALIAS" || typeof value === "string") return undefined;
  const target = String(value["name"]);
  const within = value["hosted-zone-id"] === null && !target.endsWith(".");
  const ownTarget = target === "" ? `${zone}.` : `${target}.${zone}.`;
  return {
    is: "adapted",
    reason: "Route53Provider/ALIAS: an ALIAS to the same target",
    record: { ...record, type: "ALIAS", ttl: undefined, value: within ? ownTarget : target },
  };
};

/** API.md section 2: 30 to 604800 s. A second more of caching is better than no record. */
const shortTtl: Rule = (record) =>
  record.ttl !== undefined && record.ttl < 30
    ? { is: "adapted", reason: "TTL below 30 s: raised to 30", record: { ...record, ttl: 30 } }
    : undefined;

const rules = [apexNameServers, belowChildZone, noHostName, pointerToAddress, route53Alias, shortTtl];
