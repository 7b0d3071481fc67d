import dnsPacket from "dns-packet";
import { isNumberedType } from "../kinds/dns/numbered-type.ts";
import { inlinePriority, readWireData, recordTypeOf } from "../kinds/dns/record-content.ts";
import { recordTypes } from "../kinds/dns/record-types.ts";
import { orUndefined } from "../lib/or-undefined.ts";

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
  /** The data without compressed names. */
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

/** Whether a server could not answer, so that no records mean nothing. */
export const isFailure = ({ code }: Answer): boolean => code !== "NOERROR" && code !== "NXDOMAIN";

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

/** Reads the answer to a question; undefined if it is the answer to another, or not one at all. The library throws for bytes that are none. */
export const readAnswer = (bytes: Buffer, question: Question, id: number): Answer | undefined =>
  orUndefined(() => read(bytes, question, id));

function read(bytes: Buffer, { name, type }: Question, id: number): Answer | undefined {
  const packet = dnsPacket.decode(withoutRecords(bytes));
  const [asked] = packet.questions ?? [];
  if (!asked || packet.id !== id || !packet.flag_qr || wholeName(asked.name) !== name) return undefined;
  const start = afterName(bytes, headerBytes);
  const isAsked = bytes.readUInt16BE(start) === numberOfType(type) && bytes.readUInt16BE(start + 2) === internet;
  if (!isAsked || bytes.readUInt16BE(4) !== 1) return undefined;
  const records = packet.flag_tc ? [] : readRecords(bytes, start + 4);
  const soa = records.find((record) => record.type === numberOfType("SOA"));
  return {
    code: packet.rcode,
    isAuthoritative: packet.flag_aa,
    isCached: packet.flag_ra && !packet.flag_aa,
    isTruncated: packet.flag_tc,
    records,
    zone: soa?.name,
    serial: soa?.data.readUInt32BE(soa.data.length - 20),
  };
}

const internet = 1;
const headerBytes = 12;

/** Returns a message as one that has only its question: the library refuses some data, and a message that was cut off. */
const withoutRecords = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, 6), Buffer.alloc(6), bytes.subarray(headerBytes)]);

function afterName(bytes: Buffer, at: number): number {
  dnsPacket.name.decode(bytes, at);
  return at + dnsPacket.name.decode.bytes;
}

/** The types in whose data names may be compressed, by their numbers: the data of others is taken byte by byte. */
const compressed = new Map(
  ["CNAME", "DNAME", "MX", "NS", "PTR", "SRV"].map((type) => [numberOfType(type), dnsPacket.record(type)]),
);

function readRecords(bytes: Buffer, first: number): AnsweredRecord[] {
  const counts = [6, 8, 10].map((place) => bytes.readUInt16BE(place));
  let at = first;
  return Array.from({ length: counts.reduce((sum, count) => sum + count) }, () => {
    const name = wholeName(dnsPacket.name.decode(bytes, at));
    const start = at + dnsPacket.name.decode.bytes;
    const [type, ttl] = [bytes.readUInt16BE(start), bytes.readUInt32BE(start + 4)];
    at = start + 10 + bytes.readUInt16BE(start + 8);
    if (at > bytes.length) throw new RangeError("a record ends behind its message");
    const codec = compressed.get(type);
    const data = codec?.encode(codec.decode(bytes, start + 8)).subarray(2) ?? bytes.subarray(start + 10, at);
    return { name, type, ttl, data };
  });
}

const wholeName = (name: string): string => name.toLowerCase().replace(/(?<=.)\.$/u, "");

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
