import { createHash } from "node:crypto";
import { numberOfType, type Answer } from "./message.ts";

const hashes: Readonly<Record<number, string>> = { 1: "sha1", 2: "sha256", 4: "sha384" };
const sha256 = 2;

interface Key {
  readonly algorithm: number;
  readonly tag: number;
  /** The DS data that leads to it, by the type of its digest: in the form of zone files. */
  readonly ds: (digestType: number) => string;
}

/** Returns the keys of a zone in an answer to which a DS record may lead: not those that are revoked. */
export const keysIn = (answer: Answer, zone: string): readonly Key[] =>
  answer.records
    .filter(({ name, type, data }) => name === zone && type === numberOfType("DNSKEY") && data.length > 4)
    .filter(({ data }) => (data.readUInt16BE() & 0x180) === 0x100)
    .map(({ data }) => {
      const [algorithm, tag] = [data[3] ?? 0, tagOf(data)];
      const ds = (digestType: number) => {
        const hash = hashes[digestType];
        const digest = hash && createHash(hash).update(wireName(zone)).update(data).digest("hex");
        return `${tag} ${algorithm} ${digestType} ${digest ?? "any"}`;
      };
      return { algorithm, tag, ds };
    });

/** Whether DS data leads to a key. A digest of a type that cannot be computed here is believed. */
export const leadsTo = (ds: string, { ds: write }: Key): boolean => {
  const digestType = Number(ds.split(" ")[2]);
  return write(digestType).replace(/any$/u, ds.split(" ")[3] ?? "") === ds;
};

/** Returns the DS data that a parent should have for a key. */
export const wantedDs = ({ ds }: Key): string => ds(sha256);

/** The key tag of RFC 4034 appendix B. */
function tagOf(data: Buffer): number {
  const sum = data.reduce((total, byte, index) => total + (index % 2 === 0 ? byte << 8 : byte), 0);
  return (sum + Math.floor(sum / 65_536)) % 65_536;
}

const wireName = (name: string): Buffer =>
  Buffer.concat([
    ...name.split(".").map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)])),
    Buffer.of(0),
  ]);
