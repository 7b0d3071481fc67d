import { contentKey, hasPriority, priorityIn, readContent } from "../dns/record-content.ts";
import { lowerCase } from "../fields.ts";
import { forbidden, conflict, type FieldErrors } from "../refusal.ts";
import { bumpSerial, zoneRecord } from "./dns-zone.ts";
import type { Context, Draft, Kind } from "./kind.ts";

type Input = {
  readonly name: string;
  readonly type: string;
  readonly content: string;
  readonly ttl?: number;
  readonly priority: number | null;
};

export type DnsRecord = Input & { readonly id?: string; readonly ttl: number; readonly managed: boolean };

/** A DNS record. Its scope is the identifier of its zone. */
export const dnsRecord: Kind<Input, DnsRecord> = {
  idPrefix: "rec",
  normalise: (input) => lowerCase(input, "name"),
  checks: [
    {
      fields: ["type", "content"],
      run({ type, content }): FieldErrors {
        const reading = readContent(type, content);
        return "problem" in reading ? { content: [reading.problem] } : {};
      },
    },
    { fields: ["type", "priority", "content"], run: checkPriority },
    {
      fields: ["name", "type"],
      run: ({ name, type }): FieldErrors =>
        type === "DS" && name === "@" ? { name: ["must not be @: the DS of a zone stands in its parent"] } : {},
    },
    { fields: ["name"], run: checkLength },
  ],
  naturalKey: ({ name, type, content }, zone) => `dns_record ${zone} ${name} ${type} ${contentKey(type, content)}`,
  scope: (_, zone) => zone,
  make: (input, context, scope) => draft({ ...input, managed: false }, context, scope, undefined),
  change: (before, input, context, scope) => draft({ ...input, managed: before.managed }, context, scope, before),
  guard({ record }) {
    if (record["managed"] === true) {
      throw forbidden(
        `The ${String(record["type"])} record at "${String(record["name"])}" is managed by the platform.`,
      );
    }
  },
  touched: ({ scope }, context) => bumpSerial(scope, context),
};

function draft(
  input: Input & { managed: boolean },
  { objects }: Context,
  zone: string,
  before: DnsRecord | undefined,
): Draft<DnsRecord> {
  const reading = readContent(input.type, input.content);
  const ttl = input.ttl ?? zoneRecord(zone, objects).ttl;
  const content = "problem" in reading ? input.content : reading.content;
  const record = { ...input, content, ttl };
  const self = before?.id;
  const others = objects
    .byKeyPrefix(`dns_record ${zone} ${record.name} `)
    .filter(({ id }) => id !== self)
    .map((object) => object.record as DnsRecord);
  guardNeighbours(record, others);
  return { record, scope: zone };
}

function checkPriority({ type, priority, content }: Input): FieldErrors {
  const needed = hasPriority(type);
  if (needed && priority === null) return { priority: [`is required for ${type}, as a number from 0 to 65535`] };
  if (!needed && priority !== null) return { priority: [`must be null for ${type}; it was ${priority}`] };
  const inContent = priorityIn(type, content);
  if (inContent !== undefined && inContent !== priority)
    return { priority: [`must be ${inContent}, as the content says; it was ${priority}`] };
  if (type === "MX" && content === "." && priority !== 0)
    return { priority: [`must be 0 for the null MX; it was ${priority}`] };
  return {};
}

function checkLength({ name }: Input, { objects }: Context, scope: string): FieldErrors {
  const zone = zoneRecord(scope, objects).name;
  const length = name === "@" ? zone.length : name.length + 1 + zone.length;
  return length > 253 ? { name: [`must have at most 253 characters together with the zone; it had ${length}`] } : {};
}

const addresses = ["A", "AAAA", "CNAME"];

/**
 * Refuses (409) a record that cannot stand beside the others of its name: a CNAME is alone at its name and never at the
 * apex (RFC 1034 section 3.6.2), a name has one DNAME (RFC 6672 section 2.4), an ALIAS does not stand beside A, AAAA or CNAME. Disabled records count as well, so
 * that enabling one can never break a zone.
 */
function guardNeighbours(record: Pick<DnsRecord, "name" | "type">, neighbours: readonly DnsRecord[]): void {
  const { name, type } = record;
  if (type === "CNAME" && name === "@") {
    throw conflict("A CNAME cannot stand at the apex, where SOA and NS are; use ALIAS, or A and AAAA.");
  }
  const rival = neighbours.find((other) => excludes(type, other.type) || excludes(other.type, type));
  if (rival !== undefined) {
    throw conflict(`The ${type} record at "${name}" excludes the ${rival.type} record ${rival.content} that is there.`);
  }
}

function excludes(type: string, other: string): boolean {
  return type === "CNAME" || (type === "DNAME" && other === "DNAME") || (type === "ALIAS" && addresses.includes(other));
}
