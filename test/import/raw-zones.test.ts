import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { size } from "../proofs/size.ts";
import { isPresent, readSource, type SourceRecord } from "../real/source.ts";
import { draftOf, leftOver, nothingToDo, planOf } from "./draft.ts";

/** Reasons for which records of real zones are left out. */
const causes: Readonly<Record<string, RegExp>> = {
  "name servers of the zone": /^The NS records at the apex of /u,
  "a type of another vendor": /^There is no key "ROUTE53PROVIDER\/ALIAS"/u,
  "a PTR to an IP address": /^dns_record content cannot be "[\d.]+" \(expected a host name/u,
  "a TTL below 30 seconds": /^dns_record ttl cannot be \d: .* \(expected a number of 30 or more/u,
  "in a zone of its own": /belongs to the zone \S+, which is declared as well \(expected /u,
  "no name": /does not name a dns_record \(expected /u,
};

/** The zones of these files as they stand, and how many RRsets are imported and left out. */
const known = [
  { file: "k8s.json", blocks: 164, leftOut: {} },
  {
    file: "moj.json",
    blocks: 4000,
    leftOut: {
      "name servers of the zone": 405,
      "a type of another vendor": 204,
      "a PTR to an IP address": 3,
      "a TTL below 30 seconds": 1,
      "in a zone of its own": 2,
      "no name": 1,
    },
  },
];

/** A record as an API that checks nothing would list it. */
function listed({ name, type, ttl = 3600, value }: SourceRecord, index: number): JsonObject {
  const common = {
    id: `r${index}`,
    name: name === "" ? "@" : name,
    ttl,
    comment: null,
    disabled: false,
    managed: false,
  };
  if (typeof value === "string")
    return { ...common, type, priority: null, content: type === "TXT" ? value.replaceAll(String.raw`\;`, ";") : value };
  const { preference, exchange, priority, weight, port, target, flags, tag } = value;
  const more: Record<string, JsonObject> = {
    MX: { priority: preference ?? null, content: exchange ?? "" },
    SRV: { priority: priority ?? null, content: `${weight} ${port} ${target}` },
    CAA: { priority: null, content: `${flags} ${tag} "${value["value"]}"` },
  };
  return { ...common, type, priority: null, content: String(value["name"] ?? ""), ...more[type] };
}

const tried = known.filter(({ file }) => file === "k8s.json" || size.largestZones);

describe.each(tried)("the zones of $file", ({ file, ...sums }) => {
  test.skipIf(!isPresent(file))("are imported as they stand, and all that is left out is named", async () => {
    const source = readSource(file);
    const zones = [...new Set(source.map(({ zone }) => zone))];
    const lists: Record<string, JsonObject[]> = {
      "/dns/zones": zones.map((name, index) => ({ id: `z${index}`, etag: `e${index}`, name, ttl: 3600 })),
    };
    for (const [index, zone] of zones.entries())
      lists[`/dns/zones/z${index}/records`] = source.filter((record) => record.zone === zone).map(listed);
    const draft = await draftOf(lists);
    expect(planOf(draft)).toMatchObject(nothingToDo);
    expect(leftOver(draft)).toEqual([]);
    const { blocks, omissions } = draft.declared;
    const leftOut: Record<string, number> = {};
    for (const { reason } of omissions) {
      const cause = Object.keys(causes).find((each) => causes[each]?.test(reason)) ?? reason;
      leftOut[cause] = (leftOut[cause] ?? 0) + 1;
    }
    expect({ blocks: blocks.length, leftOut }).toEqual(sums);
    expect(new Set(omissions.map(({ of }) => of)).size).toBe(omissions.length);
  });
});
