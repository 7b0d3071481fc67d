import { domainToUnicode } from "node:url";
import fc, { type Arbitrary } from "fast-check";

/** For each sort of value the other ways to write one that means the same. */

/** Each letter in either case, in ASCII only. */
export const respellCase = (text: string): Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((uppers) =>
      text.replaceAll(/[a-z]/gu, (letter, index: number) => (uppers[index] === true ? letter.toUpperCase() : letter)),
    );

/** A host or domain name: case, Unicode for Punycode, a final dot. */
export const respellName = (name: string): Arbitrary<string> =>
  fc
    .tuple(fc.boolean(), fc.constantFrom("", "."), fc.boolean())
    .chain(([unicode, dot, ideographic]) =>
      respellCase(unicode ? toUnicode(name, ideographic ? "。" : ".") : name).map(
        (text) => text.replace(/[.。]$/u, "") + dot,
      ),
    );

const toUnicode = (name: string, dot: string) => {
  const labels = name.split(".").map((label) => domainToUnicode(label) || label);
  return labels.length > 1 && labels.some((label) => /\P{ASCII}/u.test(label)) ? labels.join(dot) : name;
};

/** The name of a record: relative, whole, and the apex in all its forms. */
export const respellRecordName = (name: string, zone: string): Arbitrary<string> =>
  name === "@"
    ? fc.oneof(fc.constantFrom("@", `${zone}.`), respellCase(`${zone}.`))
    : fc.oneof(
        respellCase(name),
        respellCase(`${name}.${zone}`).map((text) => `${text}.`),
      );

export const respellMailAddress = (address: string): Arbitrary<string> => {
  const at = address.lastIndexOf("@");
  return fc
    .tuple(respellCase(address.slice(0, at)), respellName(address.slice(at + 1)))
    .map(([local, host]) => `${local}@${host}`);
};

/** A list whose order and repetitions mean nothing. */
export const respellSet = (
  items: readonly string[],
  respellItem: (item: string) => Arbitrary<string>,
): Arbitrary<string[]> =>
  fc
    .tuple(...items.map(respellItem))
    .chain((spelt) => fc.shuffledSubarray(spelt, { minLength: spelt.length, maxLength: spelt.length }));

export const respellIPv6 = (address: string): Arbitrary<string> => {
  const [head = "", tail] = address.split("::");
  const groups = (text: string | undefined) => (text === undefined || text === "" ? [] : text.split(":"));
  const left = tail === undefined ? [] : Array<string>(8 - groups(head).length - groups(tail).length).fill("0");
  const whole = [...groups(head), ...left, ...groups(tail)];
  const long = fc
    .tuple(...whole.map((group) => fc.integer({ min: group.length, max: 4 }).map((size) => group.padStart(size, "0"))))
    .map((padded) => padded.join(":"));
  return fc.oneof(fc.constant(address), long).chain(respellCase);
};

/** A TXT record's text: bare, or in quoted strings of any length, with any character escaped. */
export const respellText = (text: string): Arbitrary<string> => {
  const bytes = [...Buffer.from(text)];
  const quoted = fc
    .tuple(
      fc.array(fc.boolean(), { minLength: bytes.length, maxLength: bytes.length }),
      fc.uniqueArray(fc.integer({ min: 1, max: Math.max(1, bytes.length - 1) }), { maxLength: 3 }),
    )
    .map(([escaped, cuts]) => {
      const chars = bytes.map((byte, index) => {
        const char = String.fromCharCode(byte);
        if (byte > 0x7e || byte < 0x20 || (escaped[index] ?? false)) return `\\${String(byte).padStart(3, "0")}`;
        return char === '"' || char === "\\" ? `\\${char}` : char;
      });
      const ends = [...new Set([...cuts.filter((cut) => cut < bytes.length), bytes.length])].sort((a, b) => a - b);
      return ends.map((end, index) => `"${chars.slice(ends[index - 1] ?? 0, end).join("")}"`).join(" ");
    });
  return fc.oneof(fc.constant(text), quoted);
};

/** A hexadecimal digest at the end of a record: case, and blanks between digits. */
export const respellDigest = (fields: string, digest: string): Arbitrary<string> =>
  fc
    .tuple(respellCase(digest), fc.integer({ min: 4, max: 70 }), respellBlanks(fields))
    .map(([text, size, head]) => `${head} ${(text.match(new RegExp(`.{1,${size}}`, "gu")) ?? []).join(" ")}`);

/** Base64 with blanks between its characters. */
export const respellBase64 = (text: string): Arbitrary<string> =>
  fc.integer({ min: 4, max: 70 }).map((size) => (text.match(new RegExp(`.{1,${size}}`, "gu")) ?? []).join(" "));

/** Blanks between fields, and zeros before numbers. */
export const respellBlanks = (fields: string): Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(" ", "  ", "\t"), fc.boolean())
    .map(([blank, zero]) =>
      fields.replaceAll(" ", blank).replaceAll(/(?<=^|\s)(\d{1,4})(?=\s|$)/gu, zero ? "0$1" : "$1"),
    );

/** Parameters of HTTPS and SVCB in any order, quoted or not. */
export const respellParameters = (parameters: readonly string[]): Arbitrary<string> =>
  fc
    .tuple(
      ...parameters.map((parameter) =>
        // Keys are lower case by RFC 9460 section 2.1, and the API refuses others.
        fc.constantFrom(parameter, parameter.replace(/=(.*)$/u, '="$1"')),
      ),
    )
    .chain((spelt) => fc.shuffledSubarray(spelt, { minLength: spelt.length, maxLength: spelt.length }))
    .map((spelt) => spelt.join(" "));

/** A quoted word that needs no quotes. */
export const respellQuoted = (word: string): Arbitrary<string> => fc.constantFrom(word, `"${word}"`);

/** Five fields whose words are `text`'s: macros, names of months and days, zeros, steps of one, lists in any order. */
export const respellSchedule = (schedules: readonly string[]): Arbitrary<string> =>
  fc.constantFrom(...schedules).chain((schedule) => respellBlanks(schedule).chain(respellCase));

export const respellTime = (time: string): Arbitrary<string> =>
  fc.integer({ min: -12, max: 14 }).map((hours) => {
    const local = new Date(Date.parse(time) + hours * 3_600_000).toISOString();
    const offset = `${hours < 0 ? "-" : "+"}${String(Math.abs(hours)).padStart(2, "0")}:00`;
    return hours === 0 ? local : local.replace("Z", offset);
  });
