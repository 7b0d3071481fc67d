import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import type { SourceRecord } from "./source.ts";

interface RecordSet {
  readonly ttl?: number;
  readonly values: unknown[];
}
type Zone = Record<string, Record<string, RecordSet>>;

/** Writes a manifest of a file for each zone; also of zones that are left without a record. */
export function writeManifestFolder(folder: string, zones: readonly string[], records: readonly SourceRecord[]): void {
  mkdirSync(folder);
  writeFileSync(join(folder, "account.yaml"), stringify({ version: 1, name: "real-zones" }));
  const dns = new Map<string, Zone>(zones.map((zone) => [zone, {}]));
  for (const record of records) addTo(dns.get(record.zone) ?? {}, record);
  for (const [zone, sets] of dns) {
    writeFileSync(join(folder, `${zone}.yaml`), stringify({ dns: { [zone]: { records: sets } } }));
  }
}

function addTo(zone: Zone, record: SourceRecord): void {
  const { name, type, ttl } = record;
  const types = (zone[name === "" ? "@" : name] ??= {});
  const set = (types[type] ??= { ...(ttl !== undefined && { ttl }), values: [] });
  set.values.push(written(record));
}

/** The value in the manifest's words. Targets stay without their trailing dot where they have none. */
function written({ type, value }: SourceRecord): unknown {
  if (typeof value === "string") return type === "TXT" ? value.replaceAll(String.raw`\;`, ";") : value;
  return type === "MX" ? { priority: value["preference"], value: value["exchange"] } : value;
}
