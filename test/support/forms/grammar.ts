import fc, { type Arbitrary } from "fast-check";

/**
 * Contents of every record type, drawn from the grammars of the RFCs and from nothing of the client or the service: `good` is allowed by
 * the grammar, `bad` is not.
 */
export interface Forms {
  readonly good: Arbitrary<string>;
  readonly bad: Arbitrary<string>;
}

export const line = (...words: readonly (Arbitrary<string | number> | string)[]): Arbitrary<string> =>
  fc
    .tuple(...words.map((word) => (typeof word === "string" ? fc.constant(word) : word)))
    .map((parts) => parts.join(" "));
export const chars = (text: string) => fc.constantFrom(...text.split(""));
export const textOf = (text: string, minLength: number, maxLength: number) =>
  fc.string({ unit: chars(text), minLength, maxLength });

export const lower = "abcdefghijklmnopqrstuvwxyz";
export const digits = "0123456789";

/** A number up to `most`, its bounds often, zeros before it at times. */
export const upTo = (most: number) =>
  fc.oneof(fc.integer({ min: 0, max: most }).map(String), fc.constantFrom("0", String(most), "007"));
export const over = (most: number) =>
  fc.oneof(
    fc.integer({ min: most + 1, max: most * 10 }).map(String),
    fc.constantFrom("-1", "1.5", "x", "1e2", "0x1", "+1"),
  );
export const u8 = upTo(255);
export const u16 = upTo(65_535);
export const notU8 = over(255);
export const notU16 = over(65_535);

export const label = fc.oneof(
  fc
    .tuple(
      textOf(`${lower}${digits}_`, 1, 1),
      textOf(`${lower}${lower.toUpperCase()}${digits}_-`, 0, 20),
      textOf(`${lower}_`, 1, 1),
    )
    .map((parts) => parts.join("")),
  fc.constantFrom("www", "_sip", "_443", "xn--bcher-kva", "a", "0", "a".repeat(63), "A-B", "b--c"),
);
export const topLabel = fc.constantFrom("test", "example", "com", "COM", "x", "xn--p1ai");
/** RFC 1035 section 2.3.1 with underscores; at times a name of RFC 2317, at times as long as a name can be. */
export const hostName: Arbitrary<string> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.array(label, { minLength: 1, maxLength: 3 }), topLabel)
      .map(([labels, top]) => `${[...labels, top].join(".")}.`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "1.0/25.2.0.192.in-addr.arpa.",
      "128/26.2.0.192.in-addr.arpa.",
      "mx1.host.test",
      "localhost.",
    ),
  },
  { weight: 1, arbitrary: fc.constant(`${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(61)}.`) },
);
export const badHostName = fc.oneof(
  fc.constantFrom(
    "google.com/some/path",
    "https://example.com",
    "example.com/24",
    "host.example.com:443",
    "info@example.com",
    "192.0.2.1",
    "192.0.2.1.",
    "2001:db8::1",
    "1.2.3.",
    "-a.example.com.",
    "a-.example.com.",
    "a..example.com.",
    ".example.com.",
    "example.com..",
    "*.example.com.",
    "a*.example.com.",
    '"www.example.com."',
    "www.example.com.,",
    "(a).example.com.",
    `${"a".repeat(64)}.example.com.`,
    `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(62)}.`,
    "0/25/1.in-addr.arpa.",
    "a/b.in-addr.arpa.",
  ),
  fc.tuple(hostName, chars("!#$%&'+,;<=>?[]^`{|}~:@ ")).map(([name, char]) => `a${char}b.${name}`),
);
export const names: Forms = { good: hostName, bad: fc.oneof(badHostName, fc.constantFrom(".", "a.test. b.test.")) };

export const ipv4 = fc.ipV4();
export const badIpv4 = fc.oneof(
  fc.constantFrom(
    "192.0.2",
    "192.0.2.256",
    "192.0.2.1.1",
    "192.0.2.01",
    "0x7f.0.0.1",
    "::1",
    "192.0.2.1/24",
    "192.0.2.-1",
    "1",
    "host.test.",
  ),
  fc.integer({ min: 256, max: 999 }).map((part) => `192.${part}.2.1`),
);
export const ipv6 = fc.oneof(fc.ipV6(), fc.constantFrom("::", "::1", "2001:DB8::10", "::ffff:192.0.2.1", "fe80::1"));
export const badIpv6 = fc.oneof(
  fc.constantFrom(
    "192.0.2.1",
    "fe80::1%eth0",
    "fe80::1%1",
    ":::",
    "1::2::3",
    "2001:db8",
    "12345::",
    "g::",
    "[::1]",
    "::1/64",
    "1:2:3:4:5:6:7:8:9",
  ),
  fc.ipV6().map((address) => `${address}%25`),
);

export const hexDigits = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).chain((data) => {
    const text = Buffer.from(data).toString("hex");
    return fc.constantFrom(text, text.toUpperCase(), text.replaceAll(/(.{8})(?=.)/gu, "$1 "));
  });
export const anyHex = fc.integer({ min: 1, max: 80 }).chain(hexDigits);
export const badHex = fc.constantFrom("abc", "zz", "0x00", "", '"ab"', "ab-cd", "ab:cd");
export const digest = (lengths: Readonly<Record<number, number>>, free: readonly number[]) =>
  fc.oneof(
    ...Object.entries(lengths).map(([type, bytes]) => line(fc.constant(type), hexDigits(bytes))),
    ...free.map((type) => line(fc.constant(type), anyHex)),
  );
export const badDigest = (lengths: Readonly<Record<number, number>>) =>
  fc.oneof(
    ...Object.entries(lengths).flatMap(([type, bytes]) => [
      line(fc.constant(type), hexDigits(bytes - 1)),
      line(fc.constant(type), hexDigits(bytes + 1)),
      line(
        fc.constant(type),
        hexDigits(bytes).map((text) => text.replaceAll(" ", "").slice(1)),
      ),
      line(fc.constant(type), badHex),
    ]),
  );

/** RFC 4648: at times blanks between. */
export const base64Of = (min: number, max: number) =>
  fc.uint8Array({ minLength: min, maxLength: max }).chain((data) => {
    const text = Buffer.from(data).toString("base64");
    return fc.constantFrom(text, text.replaceAll(/(.{12})(?=.)/gu, "$1 "));
  });
export const badBase64 = fc.constantFrom(
  "",
  "A",
  "AA",
  "AAA",
  "AA=A",
  "=AAA",
  "AAAA=",
  "AA-_",
  "AAA!",
  '"AAAA"',
  "AAAAA===",
);

export const printable = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
/** A `<character-string>` (RFC 1035 section 5.1), quoted. */
export const quoted = (minLength: number, maxLength: number) =>
  fc
    .array(
      fc.oneof(
        { weight: 8, arbitrary: printable.map((char) => char.replace(/["\\]/u, String.raw`\$&`)) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 255 }).map((code) => `\\${String(code).padStart(3, "0")}`) },
        { weight: 1, arbitrary: fc.constantFrom("ä", "\\;", "\\a") },
      ),
      { minLength, maxLength },
    )
    .map((parts) => `"${parts.join("")}"`);
export const bare = textOf(`${lower}${digits}.;:=-/`, 1, 20);
export const badString = fc.constantFrom(
  '"open',
  'open"',
  '"a"b"',
  String.raw`"\256"`,
  String.raw`"\12"`,
  String.raw`"a\"`,
  '"a""b"',
);
