import { lowerCase, type Fields } from "../fields.ts";
import { conflict } from "../refusal.ts";
import type { Objects, StoredObject } from "../store/objects.ts";
import type { Context, Kind } from "./kind.ts";
import { keepDkimRecord } from "./mail-settings.ts";

type Input = { readonly name: string; readonly ttl: number };

type StoredZone = Input & {
  readonly nameservers: readonly string[];
  readonly serial: number;
};

/** A DNS zone; its SOA and apex NS records are made and removed with it. */
export const dnsZone: Kind<Input, StoredZone & Fields> = {
  idPrefix: "zon",
  normalise: (input) => lowerCase(input, "name"),
  naturalKey: ({ name }) => `dns_zone ${name}`,
  make: (input, { now }) => ({
    record: { ...input, nameservers: ["ns1.host.test", "ns2.host.test"], serial: firstSerial(now), status: "active" },
  }),
  made(zone, _, context) {
    const { nameservers, serial } = zone.record as StoredZone;
    bringRecord(zone, "SOA", soaContent(nameservers, serial), context);
    for (const nameserver of nameservers) bringRecord(zone, "NS", `${nameserver}.`, context);
    keepDkimRecord(String(zone.record["name"]), context);
  },
  removing({ id, record }, { objects }) {
    const records = objects.inScope("dns_record", id);
    const own = records.filter(({ record }) => record["managed"] !== true).length;
    if (own > 0) throw conflict(`The zone ${String(record["name"])} still has ${own} records: delete them first.`);
    const dnssec = objects.byKey(`dnssec ${id}`);
    if (dnssec?.record["enabled"] === true) {
      throw conflict(
        `The zone ${String(record["name"])} is signed: disable DNSSEC and remove the DS records of the parent first.`,
      );
    }
    for (const object of dnssec === undefined ? records : [...records, dnssec]) objects.remove(object.id);
  },
};

/** The zone of an identifier that is known to be one. */
export function zoneRecord(id: string, objects: Objects): StoredZone {
  const zone = objects.byId("dns_zone", id);
  if (zone === undefined) throw new Error(`No zone has the identifier ${id}, which its records name.`);
  return zone.record as StoredZone;
}

/** Counts a change of a zone's records in its serial and its SOA record. */
export function bumpSerial(zoneId: string, context: Context): void {
  const zone = context.objects.byId("dns_zone", zoneId);
  if (zone === undefined) return;
  const { nameservers, serial } = zone.record as StoredZone;
  context.save({ ...zone, record: { ...zone.record, serial: serial + 1 } });
  context.objects.setField(`dns_record ${zoneId} @ SOA `, "content", soaContent(nameservers, serial + 1));
}

/** YYYYMMDD01 of a time in ms. */
const firstSerial = (now: number): number =>
  Number(`${new Date(now).toISOString().slice(0, 10).replaceAll("-", "")}01`);

const soaContent = (nameservers: readonly string[], serial: number): string =>
  `${nameservers[0] ?? ""}. hostmaster.${nameservers[0] ?? ""}. ${serial} 10800 3600 604800 3600`;

function bringRecord(zone: StoredObject, type: string, content: string, { bring }: Context): void {
  const { ttl } = zone.record as StoredZone;
  bring("dns_record", {
    scope: zone.id,
    record: { name: "@", type, content, ttl, priority: null, disabled: false, comment: null, managed: true },
  });
}
