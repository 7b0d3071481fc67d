import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const zoneCount = 20;
const ttl = 3600;
const changedTtl = 7200;

/** Bodies of POST requests as hostform sends them: of every five records two share a name and type. */
const shapes = [
  (n) => ({ name: `www${n}`, type: "A", content: address(n), priority: null }),
  (n) => ({ name: `www${n}`, type: "A", content: address(n + 128), priority: null }),
  (n) => ({
    name: `_dmarc.www${n}`,
    type: "TXT",
    content: `"v=DMARC1; p=reject; rua=mailto:${n}@example.com"`,
    priority: null,
  }),
  (n) => ({ name: `shop${n}`, type: "CNAME", content: `www${n}.example.com.`, priority: null }),
  (n) => ({ name: `mail${n}`, type: "MX", content: "mx1.host.test.", priority: 10 }),
];

const address = (n) => `192.0.${(n >> 8) % 256}.${n % 256}`;

/** Returns twenty zones that share the records among them. */
export function makeZones(recordCount) {
  const perZone = recordCount / zoneCount;
  return Array.from({ length: zoneCount }, (_, zone) => ({
    name: `zone${zone}.example`,
    records: Array.from({ length: perZone }, (_none, index) => ({
      ...shapes[index % shapes.length](Math.floor(index / shapes.length)),
      ttl,
      disabled: false,
    })),
  }));
}

/** Returns the zones with another TTL of one record in a hundred. */
export function changeOnePercent(zones) {
  let number = 0;
  const change = (record) => {
    number += 1;
    return number % 100 === 5 ? { ...record, ttl: changedTtl } : record;
  };
  return zones.map((zone) => ({ ...zone, records: zone.records.map(change) }));
}

/** Returns the zones with another TTL of every record of the first half of them. */
export const changeHalf = (zones) =>
  zones.map((zone, index) =>
    index < zoneCount / 2 ? { ...zone, records: zone.records.map((record) => ({ ...record, ttl: changedTtl })) } : zone,
  );

/** Returns the zones without the records of the second half of them. */
export const emptyHalf = (zones) =>
  zones.map((zone, index) => (index < zoneCount / 2 ? zone : { ...zone, records: [] }));

/** Writes a manifest of a file for each zone, as a person lays it out. */
export function writeManifests(folder, zones) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "account.yaml"), `version: 1\nname: bench\ndefaults: { ttl: ${ttl} }\n`);
  for (const { name, records } of zones) {
    const lines = records.length === 0 ? " {}" : `\n${recordLines(records).join("\n")}`;
    writeFileSync(join(folder, `${name}.yaml`), `dns:\n  ${name}:\n    records:${lines}\n`);
  }
}

function recordLines(records) {
  return [...groupByName(records)].map(([name, set]) => `      ${name}: { ${set[0].type}: ${writtenSet(set)} }`);
}

function writtenSet(set) {
  const values = `[${set.map(written).join(", ")}]`;
  return set[0].ttl === ttl ? values : `{ ttl: ${set[0].ttl}, values: ${values} }`;
}

function groupByName(records) {
  const groups = new Map();
  for (const record of records) groups.set(record.name, [...(groups.get(record.name) ?? []), record]);
  return groups;
}

function written({ content, priority }) {
  if (priority !== null) return `{ priority: ${priority}, value: ${content} }`;
  return content.startsWith('"') ? `'${content.slice(1, -1)}'` : content;
}

/** Returns the seed of a service that holds the zones, and their records if `withRecords`. */
export function makeSeed(zones, withRecords = true) {
  return {
    dns_zone: zones.map(({ name }) => ({ name, ttl })),
    dns_record: withRecords
      ? zones.flatMap(({ name, records }) => records.map((record) => ({ zone: name, ...record })))
      : [],
  };
}
