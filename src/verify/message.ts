import dnsPacket, { type DecodedPacket } from "dns-packet";
import types from "dns-packet/types.js";
import { isNumberedType } from "../kinds/dns/numbered-type.ts";
import { inlinePriority, readWireData, recordTypeOf } from "../kinds/dns/record-content.ts";
import { recordTypes } from "../kinds/dns/record-types.ts";

/** A question about a name in lower case, without the final dot. */
export interface Question {
  readonly name: string;
  readonly type: string;
}

/** A record of an answer. */
interface AnsweredRecord {
  readonly name: string;
  readonly type: number;
  /** Seconds. */
  readonly ttl: number;
  /** The data without compressed names; empty where it cannot be read. */
  readonly data: Buffer;
}

/** An answer to one question. Everything in it is foreign. */
export interface Answer {
  /** Such as `NOERROR`. */
  readonly code: string;
  readonly isAuthoritative: boolean;
  /** Whether a resolver gave it: its TTLs are counted down. */
  readonly isCached: boolean;
  readonly isTruncated: boolean;
  /** The records of all sections: those of a delegation are no answer in the sense of DNS. */
  readonly records: readonly AnsweredRecord[];
  /** The zone that an answer without records names as its own. */
  readonly zone: string | undefined;
  readonly serial: number | undefined;
}

const others: Readonly<Record<string, number>> = { SOA: 6, DNSKEY: 48 };

/** Returns the number of a type; undefined if Hostform cannot ask for it. */
export function numberOfType(type: string): number | undefined {
  if (isNumberedType(type)) return Number(type.slice("TYPE".length));
  return recordTypes.get(type)?.number ?? others[type];
}

/** Returns a question as bytes. `isRecursive`: a resolver may ask others for the answer. */
export const writeQuestion = ({ name, type }: Question, id: number, isRecursive: boolean): Buffer =>
  dnsPacket.encode({
    type: "query",
    id,
    flags: isRecursive ? dnsPacket.RECURSION_DESIRED : 0,
    questions: [{ name, type: `UNKNOWN_${numberOfType(type)}` as "A", class: "IN" }],
  });

/** Reads the answer to a question; undefined if it is the answer to another, or not one at all. */
export function readAnswer(bytes: Buffer, { name, type }: Question, id: number): Answer | undefined {
  const packet = decode(bytes);
  const [asked, ...more] = packet?.questions ?? [];
  if (!packet || !asked || packet.id !== id || !packet.flag_qr || more.length > 0) return undefined;
  if (wholeName(asked.name) !== name || types.toType(asked.type) !== numberOfType(type)) return undefined;
  const all = [...(packet.answers ?? []), ...(packet.authorities ?? []), ...(packet.additionals ?? [])];
  const soa = all.find((record) => record.type === "SOA");
  return {
    code: packet.rcode,
    isAuthoritative: packet.flag_aa,
    isCached: packet.flag_ra && !packet.flag_aa,
    isTruncated: packet.flag_tc,
    records: all.flatMap((record) => {
      if (record.type === "OPT" || record.type === "SOA" || !("data" in record)) return [];
      const { name, ttl = 0, type, data } = record;
      return { name: wholeName(name), type: types.toType(type), ttl, data: dataOf(type, data) };
    }),
    zone: soa && wholeName(soa.name),
    serial: soa?.data.serial,
  };
}

/** Returns the message that bytes hold; undefined if they hold none. The library throws for those. */
function decode(bytes: Buffer): DecodedPacket | undefined {
  try {
    return dnsPacket.decode(bytes);
  } catch {
    return undefined;
  }
}

const wholeName = (name: string): string => name.toLowerCase().replace(/(?<=.)\.$/u, "");

function dataOf(type: string, data: unknown): Buffer {
  try {
    return dnsPacket.record(type).encode(data).subarray(2);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Returns the records of a name and type in an answer, each in the normal form of zone files. */
export const recordsOf = (answer: Answer, { name, type }: Question): readonly { text: string; ttl: number }[] =>
  answer.records
    .filter((record) => record.name === name && record.type === numberOfType(type))
    .map(({ data, ttl }) => ({ text: zoneFileText(type, data), ttl }));

function zoneFileText(type: string, data: Buffer): string {
  const opaque = String.raw`\# ${data.length} ${data.toString("hex")}`.trim();
  const text = isNumberedType(type) ? opaque : readWireData(type, data);
  if (text === undefined) return opaque;
  const priority = inlinePriority(type, text);
  const content = recordTypeOf(type).normalise(text, "");
  return priority === undefined ? content : `${priority} ${content}`;
}
