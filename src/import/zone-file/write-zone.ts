import { dnsRecord } from "../../kinds/dns_record.ts";
import { dnsZone } from "../../kinds/dns_zone.ts";
import { nameInZone } from "../../kinds/dns/record-name.ts";
import { isPrioritised } from "../../kinds/dns/record-content.ts";
import { escapeZoneFile } from "../../lib/escape.ts";
import { openValue } from "../../model/body.ts";
import type { Contract } from "../../model/contract.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { jsonText, type Json } from "../../model/json.ts";
import type { Body, Desired, Resource } from "../../model/resource.ts";

/** A zone as a text (RFC 1035 section 5), and all that a zone file cannot say. */
export interface WrittenZone {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** Returns the names of the zones that a manifest declares. */
export function zonesIn({ resources }: Desired): string[] {
  const names = [...resources.values()].flatMap(({ kind, key }) => {
    if (kind === dnsZone.name) return key["name"] ?? [];
    return kind === dnsRecord.name ? (key["zone"] ?? []) : [];
  });
  return [...new Set(names)].toSorted();
}

/** TTL of a zone for which neither the manifest nor the contract has one, in seconds. */
const usualTtl = 3600;

/**
 * Writes a zone that a manifest declares. A zone file needs an SOA and an NS record, which belong to the platform: both are placeholders
 * that lead nowhere.
 */
export function writeZone(zone: string, { name, resources }: Desired, contract: Contract | undefined): WrittenZone {
  const all = [...resources.values()];
  const own = all.find(({ kind, key }) => kind === dnsZone.name && key["name"] === zone);
  const ttl = openValue(own?.fields["ttl"]) ?? contract?.kinds[dnsZone.name]?.fields["ttl"]?.default ?? usualTtl;
  const sets = all.filter(({ kind, key }) => kind === dnsRecord.name && key["zone"] === zone);
  const written = sets.map((set) => writeSet(set, ttl));
  const head = [
    `; The zone ${zone} as the manifest ${name} declares it. The platform sets the SOA and NS records: these are placeholders.`,
    `$ORIGIN ${zone}.`,
    `$TTL ${jsonText(ttl)}`,
    "@\tIN\tSOA\tns.invalid. hostmaster.invalid. 1 10800 3600 604800 3600",
    "@\tIN\tNS\tns.invalid.",
  ];
  return {
    text: escapeZoneFile(`${[...head, ...written.flatMap(({ lines }) => lines)].join("\n")}\n`),
    diagnostics: written.flatMap(({ diagnostics }) => diagnostics),
  };
}

function writeSet(set: Resource, zoneTtl: Json): { readonly lines: string[]; readonly diagnostics: Diagnostic[] } {
  const { key, fields, members = [] } = set;
  const ttl = openValue(fields["ttl"]);
  const start = [
    nameInZone(key),
    ...(ttl === undefined || ttl === zoneTtl ? [] : [jsonText(ttl)]),
    "IN",
    key["type"] ?? "",
  ];
  const lines: string[] = [];
  const reasons = new Set<string>();
  for (const member of members) {
    const read = writeData(member, key["type"] ?? "");
    if ("reason" in read) reasons.add(read.reason);
    else lines.push([...start, read.data].join("\t"));
    if (!("reason" in read) && openValue(member.fields["comment"]))
      reasons.add("a zone file has no place for its comment");
  }
  return { lines, diagnostics: [...reasons].map((reason) => notExported(set, reason)) };
}

function writeData({ fields }: Body, type: string): { readonly data: string } | { readonly reason: string } {
  if (type === "ALIAS") return { reason: "zone files have no such type" };
  if (openValue(fields["disabled"]) === true) return { reason: "it is disabled" };
  const content = openValue(fields["content"]);
  if (typeof content !== "string") return { reason: "its value is secret, or not known before an apply" };
  if (!isPrioritised(type)) return { data: content };
  const priority = openValue(fields["priority"]);
  return typeof priority === "number" ? { data: `${priority} ${content}` } : { reason: "it has no priority" };
}

const notExported = ({ address, at }: Resource, reason: string): Diagnostic => ({
  severity: "warning",
  code: "not_exported",
  summary: `${address} is not in the zone file, or not whole: ${reason}`,
  at,
});
