import { isWithin } from "../contract/taken-values.ts";
import { dnsRecord } from "../kinds/dns_record.ts";
import { dnsZone } from "../kinds/dns_zone.ts";
import { recordTypeOf } from "../kinds/dns/record-content.ts";
import { recordTypes } from "../kinds/dns/record-types.ts";
import { isNumberedType } from "../kinds/dns/numbered-type.ts";
import { countEach, groupBy } from "../lib/collect.ts";
import { toAddress, type Address } from "../model/address.ts";
import type { Contract } from "../model/contract.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { jsonText, type Json } from "../model/json.ts";
import type { Fields, Key } from "../model/resource.ts";
import { writtenValueText } from "../model/template-text.ts";
import { type Block, type Declared, type Omission, sortBlocks } from "./block.ts";
import { manifestPlaceOf } from "./manifest-place.ts";
import type { FileZone, ZoneRecord } from "./zone.ts";

export interface ZonesDraft {
  readonly declared: Declared;
  readonly diagnostics: readonly Diagnostic[];
}

interface DeclareZonesOptions {
  readonly contract: Contract;
  readonly isWanted: (address: Address) => boolean;
}

/** Declares zones that files hold: the zone itself, and a block for each RRset that a manifest can express. */
export function declareZones(zones: readonly FileZone[], options: DeclareZonesOptions): ZonesDraft {
  const parts = zones.map((zone) => declareZone(zone, options));
  return {
    declared: {
      blocks: parts.flatMap(({ blocks }) => blocks),
      ignores: [],
      omissions: parts.flatMap(({ omissions }) => omissions),
    },
    diagnostics: [...zones.flatMap(cnamesOf), ...twice(zones), ...parts.flatMap(({ diagnostics }) => diagnostics)],
  };
}

/** All records of one name and type. */
type FileRecordSet = readonly [ZoneRecord, ...ZoneRecord[]];

function declareZone(zone: FileZone, { contract, isWanted }: DeclareZonesOptions) {
  const platforms = zone.records.filter((record) => isPlatforms(zone, record));
  const own = groupBy(
    zone.records.filter((record) => !isPlatforms(zone, record)),
    ({ name, type }) => `${name} ${type}`,
  );
  const sets = [...own.values()];
  const ttl = zone.ttl ?? mostCommon(sets.flatMap(([first]) => first.ttl ?? []));
  const zoneTtl = ttl !== undefined && isUsable(contract, ttl) ? ttl : undefined;
  const omissions: Omission[] = [];
  const blocks: Block[] = [];
  for (const set of sets) {
    const key = dnsRecord.naming.normalise({ zone: zone.name, name: set[0].name, type: set[0].type });
    const address = toAddress(dnsRecord.name, dnsRecord.naming.addressParts(key));
    if (!isWanted(address)) continue;
    const made = declareSet(address, key, set, zoneTtl);
    if ("reason" in made) omissions.push(made);
    else blocks.push(made);
  }
  const { name } = zone;
  const address = toAddress(dnsZone.name, [name]);
  // A zone that exists may have another TTL than a new one gets.
  const body: Json = zoneTtl === undefined ? {} : { ttl: zoneTtl };
  const self: Block[] =
    isWanted(address) || blocks.length > 0 ? [{ address, ...manifestPlaceOf(dnsZone, { name }), body }] : [];
  return {
    blocks: sortBlocks([...self, ...blocks]),
    omissions,
    diagnostics: [...noticeOf(zone, platforms), ...sets.flatMap(differentTtl)],
  };
}

/** Whether the API takes a TTL for zones, where they have one, and for the records that have it from them. */
const isUsable = ({ kinds }: Contract, ttl: number) =>
  [dnsZone, dnsRecord].every(({ name }) => !kinds[name] || isWithin(kinds[name], "ttl", ttl));

/** Types whose records a server that signs a zone makes by itself. */
const ofSigner = new Set(["CDNSKEY", "CDS", "DNSKEY", "NSEC", "NSEC3", "NSEC3PARAM", "RRSIG", "ZONEMD"]);

const isPlatforms = (zone: FileZone, { name, type }: ZoneRecord) =>
  ofSigner.has(type) || type === "SOA" || (type === "NS" && name === `${zone.name}.`);

function noticeOf({ name, file }: FileZone, platforms: readonly ZoneRecord[]): Diagnostic[] {
  if (platforms.length === 0) return [];
  const listed = [...countEach(platforms.map(({ type }) => type))].map(([type, count]) => `${count} ${type}`);
  return [
    {
      severity: "notice",
      code: "managed_by_platform",
      summary: `${name}: the records that the platform sets are left out (${listed.join(", ")})`,
      at: { file, line: 1, col: 1 },
    },
  ];
}

/** A set has one TTL (RFC 2181 section 5.2). */
function differentTtl(records: FileRecordSet): Diagnostic[] {
  const [{ ttl: first }] = records;
  const other = records.find(({ ttl }) => ttl !== first);
  if (!other) return [];
  const { name, type, ttl, at } = other;
  const summary = `The ${type} records of ${name} have the TTLs ${first ?? "of the zone"} and ${ttl ?? "of the zone"}: the first is taken`;
  return [{ severity: "warning", code: "ttl_differs", summary, at }];
}

const mostCommon = (values: readonly number[]): number | undefined =>
  [...countEach(values)].toSorted(([, a], [, b]) => b - a)[0]?.[0];

function declareSet(address: Address, key: Key, records: FileRecordSet, usual: number | undefined): Block | Omission {
  const [{ ttl, at }] = records;
  const { zone = "", type = "" } = key;
  const place = manifestPlaceOf(dnsRecord, key);
  const omit = (reason: string): Omission => ({
    of: address,
    reason: `${reason} (${at.file}:${at.line})`,
    values: records.map(({ content, priority }) => (priority === undefined ? content : `${priority} ${content}`)),
    ...place,
  });
  if (!recordTypes.has(type) && !isNumberedType(type)) return omit(`Hostform does not read the type ${type}`);
  const wrongName = dnsRecord.naming.check(key);
  if (wrongName !== undefined) return omit(`a manifest cannot name it: expected ${wrongName}`);
  const wrong = records.flatMap(({ content }) => recordTypeOf(type).check(content) ?? [])[0];
  if (wrong !== undefined) return omit(`a manifest cannot have its data: expected ${wrong}`);
  const members = new Map<string, Fields>();
  for (const { content, priority } of records) {
    const normal = recordTypeOf(type).normalise(content, zone);
    members.set(`${priority} ${normal}`, { content: normal, ...(priority !== undefined && { priority }) });
  }
  const shared: Fields = ttl === undefined || ttl === usual ? {} : { ttl };
  const sorted = [...members.values()].toSorted((a, b) => Number(a["priority"] ?? 0) - Number(b["priority"] ?? 0));
  return { address, ...place, body: writtenValueText(dnsRecord.members?.write(shared, sorted, key) ?? null) };
}

const singleTypes = [...recordTypes].flatMap(([type, { isSingle }]) => (isSingle === true ? type : []));

/** Finds names that hold a CNAME beside other records, or several of it. */
function cnamesOf({ records }: FileZone): Diagnostic[] {
  return [...groupBy(records, ({ name }) => name).values()].flatMap((list) => {
    const cname = list.find(({ type }) => type === "CNAME");
    const other = list.find(({ type }) => cname && type !== "CNAME" && !ofSigner.has(type));
    if (other) return [badSet(other, `The CNAME of ${other.name} stands beside a record of type ${other.type}`)];
    return singleTypes.flatMap((single) => {
      const [first, ...rest] = list.filter(({ type }) => type === single);
      const second = rest.find(({ content }) => jsonText(content) !== jsonText(first?.content));
      return second ? [badSet(second, `${second.name} has two records of type ${single}`)] : [];
    });
  });
}

/** Finds zones that several files hold. */
function twice(zones: readonly FileZone[]): Diagnostic[] {
  const seen = new Map<string, string>();
  return zones.flatMap(({ name, file }): Diagnostic | [] => {
    const before = seen.get(name);
    seen.set(name, before ?? file);
    if (before === undefined) return [];
    const summary = `The zone ${name} stands in ${before} as well`;
    const at = { file, line: 1, col: 1 };
    return { severity: "error", code: "bad_zone_file", summary, detail: "one file for each zone", at };
  });
}

const badSet = ({ at }: ZoneRecord, summary: string): Diagnostic => ({
  severity: "error",
  code: "bad_zone_file",
  summary,
  detail: "one CNAME or DNAME, and nothing beside a CNAME (RFC 1034 section 3.6.2)",
  at,
});
