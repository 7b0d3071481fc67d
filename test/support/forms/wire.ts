/**
 * The wire format of contents in presentation form, written from the RFCs and with nothing of the client or the service: RFC 1035, and
 * the RFC of each type. The priority of MX and SRV stands in front.
 */
export function encode(type: string, content: string): Buffer {
  const words = content.match(/(?:"(?:[^"\\]|\\.)*"|\\.|[^ "\\])+/gsu) ?? [];
  const write = encoders[type];
  if (!write) throw new Error(`no wire format of ${type}`);
  return Buffer.concat(write(words, content));
}

/** Bytes as RFC 3597 section 5 has them. */
export const opaque = (data: Buffer) => `\\# ${data.length}${data.length > 0 ? ` ${data.toString("hex")}` : ""}`;

type Encoder = (words: readonly string[], content: string) => Buffer[];

const u8 = (text = "") => Buffer.from([Number(text)]);
const u16 = (text: string | number = "") => Buffer.from([Number(text) >> 8, Number(text) & 255]);
const u32 = (value: number) => Buffer.from([value / 2 ** 24, value / 2 ** 16, value / 2 ** 8, value].map(Math.floor));
const rest = (words: readonly string[], from: number) => words.slice(from).join("");
const hex = (text: string) => Buffer.from(text, "hex");

/** The bytes of a string, its quotes and escapes resolved. */
function bytesOf(text = ""): Buffer {
  const inner = /^".*"$/su.test(text) ? text.slice(1, -1) : text;
  const parts = [...inner.matchAll(/\\(\d{3})|\\?([^]|$)/gu)];
  return Buffer.concat(
    parts.map(([, code, char = ""]) => (code === undefined ? Buffer.from(char) : Buffer.from([Number(code)]))),
  );
}
const counted = (data: Buffer) => Buffer.concat([Buffer.from([data.length]), data]);
const string = (text = "") => counted(bytesOf(text));

function name(text = ""): Buffer {
  const labels = text === "." ? [] : (text.replace(/(?<!\\)\.$/u, "").match(/(?:\\.|[^\\.])+/gu) ?? []);
  return Buffer.concat([...labels.map(string), Buffer.from([0])]);
}

function strings(content: string): Buffer[] {
  const quoted = content.trim().startsWith('"') ? content.match(/"(?:[^"\\]|\\.)*"/gsu) : null;
  return (quoted ?? [content]).flatMap((text) => {
    const data = quoted ? bytesOf(text) : Buffer.from(text);
    const chunks = Math.max(1, Math.ceil(data.length / 255));
    return Array.from({ length: chunks }, (_, index) => counted(data.subarray(index * 255, (index + 1) * 255)));
  });
}

const ipv4 = (text = "") => Buffer.from(text.split(".").map(Number));
function ipv6(text = ""): Buffer {
  const plain = text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/u, (_, ...parts: string[]) => {
    const [a, b, c, d] = parts.map(Number) as [number, number, number, number];
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = "", tail] = plain.split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const after = tail === undefined ? [] : groups(tail);
  const zeros = Array<string>(8 - groups(head).length - after.length).fill("0");
  return Buffer.concat([...groups(head), ...zeros, ...after].map((group) => u16(Number.parseInt(group, 16))));
}

const algorithms: Readonly<Record<string, string>> = {
  RSASHA256: "8",
  ECDSAP256SHA256: "13",
  ED25519: "15",
  ED448: "16",
};

const keys = "mandatory alpn no-default-alpn port ipv4hint ech ipv6hint dohpath ohttp tls-supported-groups".split(" ");
const keyNumber = (key: string) => (keys.includes(key) ? keys.indexOf(key) : Number(key.slice(3)));

/** Items of a list between commas; a backslash takes a comma or a backslash into an item (RFC 9460 appendix A.1). */
function items(value: Buffer): string[] {
  const found = value.toString("latin1").match(/(?:\\[\\,]|[^,])+/gu) ?? [];
  return found.map((item) => item.replaceAll(/\\([\\,])/gu, "$1"));
}

const values: Readonly<Record<string, (value: Buffer) => Buffer[]>> = {
  mandatory: (value) =>
    items(value)
      .map(keyNumber)
      .sort((a, b) => a - b)
      .map(u16),
  alpn: (value) => items(value).map((item) => counted(Buffer.from(item, "latin1"))),
  port: (value) => [u16(value.toString())],
  ipv4hint: (value) => items(value).map(ipv4),
  ech: (value) => [Buffer.from(value.toString(), "base64")],
  ipv6hint: (value) => items(value).map(ipv6),
  "tls-supported-groups": (value) => items(value).map(u16),
};

function parameters(words: readonly string[]): Buffer[] {
  const read = words.map((word) => {
    const [, key = word, value = ""] = /^([^=]+)=(.*)$/su.exec(word) ?? [];
    const data = Buffer.concat((values[key] ?? ((bytes: Buffer) => [bytes]))(bytesOf(value)));
    return { number: keyNumber(key), data };
  });
  return read.sort((a, b) => a.number - b.number).flatMap(({ number, data }) => [u16(number), u16(data.length), data]);
}

function location(_: readonly string[], content: string): Buffer[] {
  const [, latitude = "", north, longitude = "", east, metres = ""] =
    /^([\d. ]+) ([NS]) ([\d. ]+) ([EW]) (.*)$/iu.exec(content) ?? [];
  const angle = (text: string, sign: number) => {
    const [degrees = 0, minutes = 0, seconds = 0] = text.split(" ").map(Number);
    return u32(2 ** 31 + sign * Math.round((degrees * 3600 + minutes * 60 + seconds) * 1000));
  };
  const [altitude, size = 100, horizontal = 1_000_000, vertical = 1000] = metres
    .split(" ")
    .map((text) => Math.round(Number(text.replace(/m$/iu, "")) * 100));
  return [
    u8("0"),
    ...[size, horizontal, vertical].map(precision),
    angle(latitude, /s/iu.test(north ?? "") ? -1 : 1),
    angle(longitude, /w/iu.test(east ?? "") ? -1 : 1),
    u32(10_000_000 + (altitude ?? 0)),
  ];
}

/** A length whose only digit other than zero is its first: others have no wire format of their own. */
function precision(centimetres: number): Buffer {
  const digits = String(centimetres);
  if (!/^\d0*$/u.test(digits)) throw new NotInWireFormat(`${centimetres} cm`);
  return Buffer.from([Number(digits[0]) * 16 + (centimetres === 0 ? 0 : digits.length - 1)]);
}

/** A content means more than its wire format holds. */
export class NotInWireFormat extends Error {}

const oneName: Encoder = ([host]) => [name(host)];
const association: Encoder = ([usage, selector, type, ...data]) => [
  u8(usage),
  u8(selector),
  u8(type),
  hex(data.join("")),
];
const base64: Encoder = (words) => [Buffer.from(rest(words, 0), "base64")];
const texts: Encoder = (_, content) => strings(content);
const binding: Encoder = ([priority, target, ...more]) => [u16(priority), name(target), ...parameters(more)];

const encoders: Readonly<Record<string, Encoder>> = {
  A: ([address]) => [ipv4(address)],
  AAAA: ([address]) => [ipv6(address)],
  CAA: ([flags, tag, value]) => [u8(flags), string(tag), bytesOf(value)],
  CNAME: oneName,
  DHCID: base64,
  DNAME: oneName,
  DS: (words) => [u16(words[0]), u8(algorithms[words[1] ?? ""] ?? words[1]), u8(words[2]), hex(rest(words, 3))],
  HTTPS: binding,
  LOC: location,
  MX: ([priority, host]) => [u16(priority), name(host)],
  NAPTR: ([order, preference, flags, service, expression, host]) => [
    u16(order),
    u16(preference),
    ...[flags, service, expression].map(string),
    name(host),
  ],
  NS: oneName,
  OPENPGPKEY: base64,
  PTR: oneName,
  RP: ([mailbox, text]) => [name(mailbox), name(text)],
  SMIMEA: association,
  SPF: texts,
  SRV: ([priority, weight, port, host]) => [u16(priority), u16(weight), u16(port), name(host)],
  SSHFP: (words) => [u8(words[0]), u8(words[1]), hex(rest(words, 2))],
  SVCB: binding,
  TLSA: association,
  TXT: texts,
  URI: ([priority, weight, target]) => [u16(priority), u16(weight), bytesOf(target)],
};
