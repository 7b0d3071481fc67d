import type { SourceRecord } from "./source.ts";

/**
 * Records that no resolver gets to see, because the zone delegates their name or one above it (RFC 1034 section 4.2.1). They are
 * valid and stay; the addresses of a delegation's own name servers are its glue, and not hidden.
 */
export function hiddenRecords(records: readonly SourceRecord[]): SourceRecord[] {
  const delegations = records.filter(({ type, name }) => type === "NS" && name !== "");
  const cuts = new Set(delegations.map(({ zone, name }) => `${name}.${zone}`));
  const glue = new Set(delegations.map(({ value }) => (typeof value === "string" ? value.replace(/\.$/u, "") : "")));
  return records.filter(({ zone, name, type }) => {
    const full = `${name}.${zone}`;
    if (["A", "AAAA"].includes(type) && glue.has(full)) return false;
    const above = ancestors(full, zone);
    return above.some((ancestor) => cuts.has(ancestor)) || (cuts.has(full) && type !== "NS" && type !== "DS");
  });
}

/** The names above a name, up to its zone and without it. */
function ancestors(name: string, zone: string): string[] {
  const parent = name.slice(name.indexOf(".") + 1);
  return parent.length > zone.length ? [parent, ...ancestors(parent, zone)] : [];
}
