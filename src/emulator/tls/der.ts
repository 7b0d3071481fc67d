/** DER (X.690), as much of it as a certificate needs. */

const tagged =
  (tag: number) =>
  (...contents: readonly Uint8Array[]): Buffer => {
    const content = Buffer.concat(contents);
    return Buffer.concat([Buffer.from([tag]), lengthOf(content), content]);
  };

function lengthOf(content: Buffer): Buffer {
  if (content.length < 0x80) return Buffer.from([content.length]);
  const hex = content.length.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

export const sequence = tagged(0x30);
export const set = tagged(0x31);
export const octets = tagged(0x04);
/** A bit string without unused bits. */
export const bits = (bytes: Uint8Array): Buffer => tagged(0x03)(Buffer.of(0), bytes);
/** A bit string of flags: the names of KeyUsage count from the highest bit. */
export const bitFlags = (...numbers: readonly number[]): Buffer => {
  const byte = numbers.reduce((sum, number) => sum | (0x80 >> number), 0);
  return tagged(0x03)(Buffer.of(7 - Math.max(...numbers), byte));
};
export const boolean = (value: boolean): Buffer => tagged(0x01)(Buffer.of(value ? 0xff : 0));
/** A whole number from its bytes, which are taken as positive. */
export const integer = (bytes: Uint8Array): Buffer =>
  tagged(0x02)((bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes);
export const utf8 = (text: string): Buffer => tagged(0x0c)(Buffer.from(text));
/** [number] with primitive content, IMPLICIT. */
export const implicit = (number: number, content: Uint8Array): Buffer => tagged(0x80 | number)(content);
/** [number] around whole values, EXPLICIT. */
export const explicit = (number: number, ...contents: readonly Uint8Array[]): Buffer =>
  tagged(0xa0 | number)(...contents);

/** A time to the second: UTCTime until 2049 and GeneralizedTime after, as RFC 5280 section 4.1.2.5 requires. */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]/g, "").slice(0, 14);
  const short = digits < "2050";
  return tagged(short ? 0x17 : 0x18)(Buffer.from(`${short ? digits.slice(2) : digits}Z`));
}

/** An object identifier from its dotted form, such as "2.5.29.15". */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tagged(0x06)(Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(number: number): number[] {
  const low = number & 0x7f;
  const high: number[] = [];
  for (let rest = number >> 7; rest > 0; rest >>= 7) high.unshift((rest & 0x7f) | 0x80);
  return [...high, low];
}
