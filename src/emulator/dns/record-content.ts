import { isIPv4, isIPv6 } from "node:net";
import { readHostName } from "./host-name.ts";

interface Form {
  /** Completes "must be …". */
  readonly expected: string;
  /** The content as it is stored, or undefined when it is not of this form. */
  readonly read: (text: string) => string | undefined;
}

const uint = (text: string | undefined, maximum: number): boolean =>
  text !== undefined && /^\d{1,5}$/.test(text) && Number(text) <= maximum;

const isQuoted = (text: string | undefined): boolean => /^"(?:[^"\\]|\\.)*"$/.test(text ?? "");

/** The words of a presentation form, quoted parts with their quotes, or undefined when a quote is left open. */
function words(text: string): string[] | undefined {
  const found: string[] = text.match(/(?:"(?:[^"\\]|\\.)*"|[^\s"])+|"/g) ?? [];
  return found.includes('"') ? undefined : found;
}

const hostName: Form = {
  expected: "an absolute host name, such as www.example.com.",
  read: (text) => readHostName(text),
};

const hostNameOrRoot = (text: string | undefined): string | undefined =>
  text === "." ? "." : text && readHostName(text);

/** Words checked one by one, then a hexadecimal rest that may be split by spaces. */
const numbersAndHex = (
  expected: string,
  maxima: readonly number[],
  isLength: (digits: number, numbers: readonly string[]) => boolean,
): Form => ({
  expected,
  read: (text) => {
    const all = text.trim().split(/\s+/);
    const numbers = all.slice(0, maxima.length);
    const hex = all.slice(maxima.length).join("").toLowerCase();
    const valid = maxima.every((maximum, index) => uint(numbers[index], maximum));
    return valid && /^([0-9a-f]{2})+$/.test(hex) && isLength(hex.length, numbers)
      ? [...numbers, hex].join(" ")
      : undefined;
  },
});

const digestDigits: Readonly<Record<string, number>> = { "1": 40, "2": 64, "4": 96 };

const serviceBinding: Form = {
  expected: "`priority target [key=value …]`, without keys when the priority is 0, such as 1 . alpn=h2",
  read: (text) => {
    const [priority, target, ...parameters] = words(text) ?? [];
    const name = hostNameOrRoot(target);
    const valid = uint(priority, 65_535) && (Number(priority) > 0 || parameters.length === 0);
    const named = parameters.every((parameter) => /^([a-z0-9-]+(=.*)?|".*")$/.test(parameter));
    return valid && named && name !== undefined ? [priority, name, ...parameters].join(" ") : undefined;
  },
};

const hasControlCharacter = (text: string): boolean => /\p{Cc}/u.test(text.replaceAll("\t", ""));

/** RFC 1035 presentation forms by type; the priority of MX and SRV stands apart (API.md section 2). */
const forms: Readonly<Record<string, Form>> = {
  A: { expected: "an IPv4 address, such as 192.0.2.1", read: (text) => (isIPv4(text) ? text : undefined) },
  AAAA: {
    expected: "an IPv6 address, such as 2001:db8::1",
    read: (text) =>
      isIPv6(text) && !text.includes("%") ? new URL(`http://[${text}]`).hostname.slice(1, -1) : undefined,
  },
  ALIAS: hostName,
  CNAME: hostName,
  NS: hostName,
  PTR: hostName,
  MX: {
    expected: "an absolute host name, or . for none; its priority is a field of its own",
    read: (text) => hostNameOrRoot(text),
  },
  SRV: {
    expected: "`weight port target`, such as 5 5060 sip.example.com.; its priority is a field of its own",
    read: (text) => {
      const [weight, port, target, ...rest] = text.trim().split(/\s+/);
      const name = hostNameOrRoot(target);
      const valid = uint(weight, 65_535) && uint(port, 65_535) && rest.length === 0;
      return valid && name !== undefined ? [weight, port, name].join(" ") : undefined;
    },
  },
  CAA: {
    expected: '`flags tag "value"`, such as 0 issue "ca.example"',
    read: (text) => {
      const [flags, tag, value, ...rest] = words(text) ?? [];
      const valid = uint(flags, 255) && /^[A-Za-z0-9]{1,15}$/.test(tag ?? "") && isQuoted(value) && rest.length === 0;
      return valid ? [flags, tag?.toLowerCase(), value].join(" ") : undefined;
    },
  },
  DS: numbersAndHex(
    "`key_tag algorithm digest_type digest`, the digest hexadecimal and as long as its type",
    [65_535, 255, 255],
    (digits, [, , type = ""]) => digits === (digestDigits[type] ?? digits),
  ),
  SSHFP: numbersAndHex(
    "`algorithm type fingerprint`, the fingerprint hexadecimal",
    [255, 255],
    (digits) => digits >= 40,
  ),
  TLSA: numbersAndHex("`usage selector matching_type data`, the data hexadecimal", [255, 255, 255], () => true),
  NAPTR: {
    expected: '`order preference "flags" "service" "regexp" replacement`',
    read: (text) => {
      const [order, preference, flags, service, regexp, replacement, ...rest] = words(text) ?? [];
      const name = hostNameOrRoot(replacement);
      const valid = uint(order, 65_535) && uint(preference, 65_535) && [flags, service, regexp].every(isQuoted);
      return valid && rest.length === 0 && name !== undefined
        ? [order, preference, flags, service, regexp, name].join(" ")
        : undefined;
    },
  },
  URI: {
    expected: '`priority weight "target"`, such as 10 1 "https://example.com/"',
    read: (text) => {
      const [priority, weight, target, ...rest] = words(text) ?? [];
      const valid =
        uint(priority, 65_535) && uint(weight, 65_535) && isQuoted(target) && target !== '""' && rest.length === 0;
      return valid ? [priority, weight, target].join(" ") : undefined;
    },
  },
  HTTPS: serviceBinding,
  SVCB: serviceBinding,
  TXT: {
    expected: "text of at most 4096 bytes without control characters, quoted or not",
    // Kept exactly as sent: there is no telling whether a quote is part of the text.
    read: (text) => (Buffer.byteLength(text) <= 4096 && !hasControlCharacter(text) ? text : undefined),
  },
};

/** The content of a record as it is stored, or what it must be. */
export function readContent(type: string, text: string): { readonly content: string } | { readonly problem: string } {
  const form = forms[type];
  if (form === undefined) return { problem: `cannot be set: ${type} records are made by the platform` };
  const content = form.read(text);
  return content === undefined ? { problem: `must be ${form.expected}; it was ${JSON.stringify(text)}` } : { content };
}

/** What makes two contents of a type the same record: the text of TXT, however it is quoted or split. */
export function contentKey(type: string, content: string): string {
  if (type === "SOA") return "";
  const chunks =
    type === "TXT" ? content.match(/^\s*("(?:[^"\\]|\\.)*"\s*)+$/) && content.match(/"(?:[^"\\]|\\.)*"/g) : null;
  return chunks === null ? content : chunks.map((chunk) => chunk.slice(1, -1).replaceAll(/\\(.)/g, "$1")).join("");
}
