import type { FormOfParts } from "./content-form.ts";
import { base64, hex, host, hostOrNone, ipv4, ipv6, longText, type Part, uint16, uint8 } from "./parts.ts";
import {
  aliasStandsAlone,
  apexHasNoDs,
  apexNsIsThePlatforms,
  cnameStandsAlone,
  nullMxStandsAlone,
  type RecordSetCheck,
} from "./set-rules.ts";
import * as special from "./special-parts.ts";

/** A record type. All forms of its data follow from its parts: in manifests, contracts, zone files, octoDNS and as opaque bytes. */
export interface RecordType extends FormOfParts {
  /** Its number (IANA, "Resource Record TYPEs"). Without one it has no opaque bytes, and zone files have no such type. */
  readonly number?: number;
  readonly parts: readonly Part[];
  /** Whether a priority stands before the parts in zone files and bytes; it is a field of its own in the API. */
  readonly hasPriority?: boolean;
  /** Whether a manifest writes an item as an object of its parts. */
  readonly isObject?: boolean;
  /** The names of octoDNS, in the order of a zone file, if they are not those of the parts. The priority is the first part. */
  readonly octodns?: readonly (string | readonly string[])[];
  /** Whether its name has what the host has that it names. */
  readonly isAlias?: boolean;
  /** Records without which it is of no use at the host that it names; `own_address`: not behind a CNAME (RFC 2181 section 10.3, RFC 2782). */
  readonly needs?: "any_record" | "address" | "own_address";
  /** Whether a set of it has one record at most. */
  readonly isSingle?: boolean;
  /** The rule for a set beside others, or as a whole. */
  readonly setRule?: RecordSetCheck;
}

const target = { expected: "a host name", parts: [host("target")] };
const texts = { expected: "a text", parts: [special.strings] };

/** The length of a hash is that of its type, in bytes; a type that is not listed may have any. */
const digestOf =
  (bytesByType: Readonly<Record<string, number>>): NonNullable<RecordType["rule"]> =>
  (words) => {
    const [type = "", digits] = words.slice(-2);
    const bytes = bytesByType[type];
    if (bytes === undefined || digits?.length === 2 * bytes) return undefined;
    return `a digest of type ${type} has ${2 * bytes} hexadecimal digits, not ${digits?.length}`;
  };

/** A certificate association (RFC 6698 section 2.2, RFC 8162 section 2). */
const association: Omit<RecordType, "number"> = {
  expected: "usage, selector, matching type and data",
  parts: [uint8("usage"), uint8("selector"), uint8("matching_type"), hex("certificate", "data")],
  rule: digestOf({ "1": 32, "2": 64 }),
  octodns: ["certificate_usage", "selector", "matching_type", "certificate_association_data"],
};

/** A service binding (RFC 9460). octoDNS has its parameters in a map. */
const binding: Omit<RecordType, "number" | "expected"> = {
  parts: [uint16("priority"), hostOrNone("target"), special.parameters],
  rule: ([priority, , parameters]) =>
    priority === "0" && parameters !== undefined ? "no parameters after priority 0, which makes an alias" : undefined,
  needs: "any_record",
  octodns: ["svcpriority", "targetname"],
};

/** Every record type that Hostform reads. */
export const recordTypes: ReadonlyMap<string, RecordType> = new Map(
  Object.entries<RecordType>({
    A: { number: 1, expected: "an IPv4 address, such as 192.0.2.10", parts: [ipv4] },
    AAAA: { number: 28, expected: "an IPv6 address, such as 2001:db8::10", parts: [ipv6] },
    ALIAS: { ...target, isAlias: true, needs: "address", setRule: aliasStandsAlone },
    CAA: {
      number: 257,
      expected: 'flags, tag and value, such as 0 issue "letsencrypt.org"',
      parts: [{ ...uint8("flags"), usual: "0" }, special.tag, longText("value")],
      isObject: true,
    },
    CNAME: { number: 5, ...target, isAlias: true, needs: "any_record", isSingle: true, setRule: cnameStandsAlone },
    DHCID: {
      number: 49,
      expected: "an identifier in base64",
      parts: [base64("identifier")],
      rule: ([data = ""]) => {
        const bytes = Buffer.from(data, "base64");
        return bytes.length < 4 || (bytes[2] === 1 && bytes.length !== 35)
          ? "two bytes of type, one of digest type, and the digest (of 32 bytes for type 1)"
          : undefined;
      },
    },
    DNAME: { number: 39, ...target, isAlias: true, isSingle: true },
    DS: {
      number: 43,
      expected: "key tag, algorithm, digest type and digest",
      parts: [uint16("key_tag"), special.algorithm, uint8("digest_type"), hex("digest")],
      rule: digestOf({ "1": 20, "2": 32, "3": 32, "4": 48, "5": 32, "6": 32 }),
      setRule: apexHasNoDs,
    },
    HTTPS: { number: 65, expected: "priority, target and parameters, such as 1 . alpn=h2", ...binding },
    LOC: {
      number: 29,
      expected: "latitude, longitude and altitude",
      parts: [special.location],
      octodns: (
        "lat_degrees lat_minutes lat_seconds lat_direction long_degrees long_minutes long_seconds long_direction " +
        "altitude size precision_horz precision_vert"
      ).split(" "),
    },
    MX: {
      number: 15,
      expected: "a host name, or . for none",
      parts: [hostOrNone("target")],
      hasPriority: true,
      needs: "own_address",
      octodns: [
        ["preference", "priority"],
        ["exchange", "value"],
      ],
      setRule: nullMxStandsAlone,
    },
    NAPTR: {
      number: 35,
      expected: 'order, preference, "flags", "service", "regexp" and replacement',
      parts: [
        uint16("order"),
        uint16("preference"),
        special.flagsText,
        special.serviceText,
        special.regexp,
        hostOrNone("replacement"),
      ],
      rule: ([, , , , expression, replacement]) =>
        expression !== '""' && replacement !== "."
          ? 'either a regexp or a replacement; the other is empty ("" or .)'
          : undefined,
    },
    NS: { number: 2, ...target, needs: "own_address", setRule: apexNsIsThePlatforms },
    OPENPGPKEY: { number: 61, expected: "a key in base64", parts: [base64("key")] },
    PTR: { number: 12, ...target },
    RP: {
      number: 17,
      expected: "mailbox and the name of a TXT record, such as info.example.com. text.example.com.",
      parts: [special.mailbox, special.nameOfText],
    },
    SMIMEA: { number: 53, ...association },
    SPF: { number: 99, ...texts },
    SRV: {
      number: 33,
      expected: "weight, port and target",
      parts: [uint16("weight"), uint16("port"), hostOrNone("target")],
      hasPriority: true,
      needs: "own_address",
      isObject: true,
    },
    SSHFP: {
      number: 44,
      expected: "algorithm, fingerprint type and fingerprint",
      parts: [uint8("algorithm"), uint8("type", "fingerprint type"), hex("fingerprint")],
      rule: digestOf({ "1": 20, "2": 32 }),
      octodns: ["algorithm", "fingerprint_type", "fingerprint"],
    },
    SVCB: { number: 64, expected: "priority, target and parameters, such as 1 svc.example.com. alpn=h2", ...binding },
    TLSA: { number: 52, ...association },
    TXT: { number: 16, ...texts },
    URI: {
      number: 256,
      expected: 'priority, weight and "target"',
      parts: [uint16("priority"), uint16("weight"), special.uri],
    },
  }),
);

/** Whether records of a type are text: quoted strings, whose content may be written without quotes. */
export const holdsText = (type: string): boolean => recordTypes.get(type)?.parts[0] === special.strings;

const typesWhere = (holds: (row: RecordType) => boolean): readonly string[] =>
  [...recordTypes].flatMap(([type, row]) => (holds(row) ? type : []));

/** Types whose name has what the host has that they name. */
export const aliasTypes = typesWhere(({ isAlias }) => isAlias === true);

/** Returns the types that need one of these at the host that they name. */
export const typesThatNeed = (...needs: readonly NonNullable<RecordType["needs"]>[]): readonly string[] =>
  typesWhere((row) => row.needs !== undefined && needs.includes(row.needs));
