import fc from "fast-check";
import {
  line,
  chars,
  textOf,
  lower,
  u8,
  u16,
  notU8,
  notU16,
  hostName,
  badHostName,
  anyHex,
  badHex,
  digest,
  badDigest,
  quoted,
  badString,
  type Forms,
} from "./grammar.ts";
import { badParameters, parameters } from "./service-parameters.ts";
import { anyUrl } from "../any-character.ts";

export const hashed = { 1: 32, 2: 64 };
export const association: Forms = {
  good: line(u8, u8, digest(hashed, [0, 3, 255])),
  bad: fc.oneof(
    line(notU8, u8, digest(hashed, [0])),
    line(u8, notU8, digest(hashed, [0])),
    line(u8, u8, notU8, anyHex),
    line(u8, u8, badDigest(hashed)),
    line(u8, u8, "0", badHex),
    line(u8, u8),
  ),
};

export const binding: Forms = {
  good: fc.oneof(
    line(fc.constantFrom("0", "00"), fc.oneof(hostName, fc.constant("."))),
    line(fc.integer({ min: 1, max: 65_535 }), fc.oneof(hostName, fc.constant(".")), parameters).map((text) =>
      text.trimEnd(),
    ),
  ),
  bad: fc.oneof(
    line("0", hostName, "alpn=h2"),
    line("0", ".", "port=443"),
    line(notU16, hostName),
    line("1", badHostName),
    line("1"),
    line(hostName, "alpn=h2"),
    line(hostName),
    line("1", ".", badParameters),
    line("1", hostName, badParameters),
  ),
};

export const hundredths = (most: number) =>
  fc.oneof(
    fc.integer({ min: 0, max: most }),
    fc.double({ min: 0, max: most - 1, noNaN: true }).map((value) => value.toFixed(2)),
  );
export const metres = (most: number) =>
  fc.tuple(hundredths(most), fc.constantFrom("", "m")).map((parts) => parts.join(""));
export const angle = (most: number, letters: string) =>
  fc.oneof(
    line(fc.integer({ min: 0, max: most }), chars(letters)),
    line(fc.integer({ min: 0, max: most - 1 }), fc.integer({ min: 0, max: 59 }), chars(letters)),
    line(
      fc.integer({ min: 0, max: most - 1 }),
      fc.integer({ min: 0, max: 59 }),
      fc.oneof(
        fc.integer({ min: 0, max: 59 }),
        fc.integer({ min: 0, max: 59_999 }).map((thousandths) => (thousandths / 1000).toFixed(3)),
      ),
      chars(letters),
    ),
  );
export const latitude = angle(90, "NS");
export const longitude = angle(180, "EW");
export const altitude = fc.oneof(metres(42_849_672), fc.constantFrom("-100000.00m", "-0.5", "42849672.95m", "0"));
export const location: Forms = {
  good: fc.oneof(
    line(latitude, longitude, altitude),
    line(latitude, longitude, altitude, metres(90_000_000)),
    line(latitude, longitude, altitude, metres(90_000_000), metres(90_000_000)),
    line(latitude, longitude, altitude, metres(9000), metres(10), metres(90_000_000)),
  ),
  bad: fc.oneof(
    line(
      fc.constantFrom(
        "91 N",
        "-1 N",
        "52 60 N",
        "52 0 60 N",
        "52 0 0.1234 N",
        "N",
        "52",
        "52 N N",
        "52 E",
        "1 2 3 4 N",
        "52.5 N",
      ),
      longitude,
      altitude,
    ),
    line(latitude, fc.constantFrom("181 E", "4 60 E", "4 1 60.0 W", "E", "4 N", "x E"), altitude),
    line(latitude, longitude),
    line(latitude, longitude, fc.constantFrom("-100000.01m", "42849672.96", "10km", "10 m m", "1.234m", "x", '"10m"')),
    line(latitude, longitude, "1m", fc.constantFrom("-1m", "90000001m", "1.234", "x")),
    line(latitude, longitude, "1m 1m 1m 1m 1m"),
  ),
};

export const delimited = fc
  .tuple(
    chars("!/#|:~"),
    textOf(`${lower}^$.*()`, 1, 10),
    textOf(`${lower}:@.`, 0, 12),
    fc.constantFrom("", "i"),
    fc.boolean(),
  )
  .map(([sign, pattern, replacement, flag, reference]) => {
    const without = (text: string) => text.replaceAll(sign, "");
    return `"${sign}${without(pattern) || "x"}${sign}${without(replacement)}${reference ? String.raw`\\1` : ""}${sign}${flag}"`;
  });
export const naptrFlags = fc.constantFrom('"u"', '"S"', '"A"', '""', '"P"', "s", '"u1"');
export const naptrService = fc.constantFrom(
  '"E2U+sip"',
  '"SIP+D2U"',
  '""',
  '"x-eng:sip"',
  "SIPS+D2T",
  '"E2U+email:mailto"',
);
export const naptr: Forms = {
  good: fc.oneof(
    line(u16, u16, naptrFlags, naptrService, delimited, "."),
    line(u16, u16, naptrFlags, naptrService, '""', fc.oneof(hostName, fc.constant("."))),
  ),
  bad: fc.oneof(
    line(notU16, u16, naptrFlags, naptrService, '""', hostName),
    line(u16, notU16, naptrFlags, naptrService, '""', hostName),
    line(u16, u16, fc.constantFrom('"-"', '"u s"', '"ä"'), naptrService, '""', hostName),
    line(u16, u16, badString, naptrService, '""', hostName),
    line(
      u16,
      u16,
      naptrFlags,
      naptrService,
      fc.constantFrom('"x"', '"!a!b"', '"!a!b!x"', '"1a1b1"', '"!!b!"', '"!a!b!c!"', String.raw`"\\a\\b\\"`),
      ".",
    ),
    line(u16, u16, naptrFlags, naptrService, delimited, hostName),
    line(u16, u16, naptrFlags, naptrService, '""', badHostName),
    line(u16, u16, naptrFlags, naptrService, '""'),
    line(u16, u16, naptrFlags, naptrService, quoted(256, 260), "."),
    line(u16, u16, naptrFlags, naptrService, '""', hostName, "x"),
  ),
};

export const uriTarget = fc.oneof(
  anyUrl.map((url) => `"${url}"`),
  fc
    .tuple(
      fc.constantFrom("https", "ftp", "sips", "x-y.z+1"),
      hostName,
      fc.constantFrom("", ":443", ":"),
      fc.constantFrom("", "/", "/a/b?c=d#e"),
    )
    .map(([scheme, host, port, path]) => `"${scheme}://${host}${port}${path}"`),
  fc.constantFrom(
    '"mailto:info@example.com"',
    '"https://[2001:db8::1]:8443/x"',
    '"https://user:pw@www.example.com/"',
    '"file:///etc/hosts"',
    '"tel:+34-91"',
    '"urn:isbn:1"',
  ),
);
export const uri: Forms = {
  good: line(u16, u16, uriTarget),
  bad: fc.oneof(
    line(notU16, u16, uriTarget),
    line(u16, notU16, uriTarget),
    line(
      u16,
      u16,
      fc.constantFrom(
        '""',
        '"www.example.com"',
        '"//example.com/"',
        '"https:"',
        '"1http://a.test/"',
        '"https://a b.test/"',
        '"https://a.test:99999/"',
        '"https://a.test:x/"',
        '"https://[::g]/"',
        '"https://[::1/"',
        '"https://a<b>.test/"',
        '"/path"',
      ),
    ),
    line(u16, u16, badString),
    line(u16, uriTarget),
    line(u16, u16, uriTarget, uriTarget),
  ),
};

export const generic: Forms = {
  good: fc.oneof(
    fc.constant(String.raw`\# 0`),
    fc.uint8Array({ minLength: 1, maxLength: 60 }).chain((data) => {
      const text = Buffer.from(data).toString("hex");
      return fc
        .constantFrom(text, text.toUpperCase(), text.replaceAll(/(.{8})(?=.)/gu, "$1 "))
        .map((hex) => String.raw`\# ${data.length} ${hex}`);
    }),
  ),
  bad: fc.constantFrom(
    String.raw`\# 4 0a0000`,
    String.raw`\# 3 0a000001`,
    String.raw`\# 1`,
    String.raw`\# 1 0`,
    String.raw`\# 1 zz`,
    String.raw`\# 0 00`,
    String.raw`\# 65536 00`,
    String.raw`\# -1 00`,
    String.raw`\#1 00`,
    "0a",
    "# 1 00",
    "10.0.0.1",
    String.raw`\# x 00`,
  ),
};

export const text: Forms = {
  good: fc.oneof(
    fc
      .string({
        unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
        minLength: 1,
        maxLength: 300,
      })
      .map((plain) => plain.replaceAll(/["\\]/gu, ".")),
    fc.array(quoted(1, 100), { minLength: 1, maxLength: 4 }).map((strings) => strings.join(" ")),
    fc.constantFrom(
      "x".repeat(4096),
      "v=spf1 mx -all",
      `"${"a".repeat(255)}" "${"b".repeat(255)}"`,
      "größe",
      'half "quoted',
    ),
  ),
  bad: fc.oneof(
    fc.constantFrom(
      "x".repeat(4097),
      "ü".repeat(2049),
      "line\nbreak",
      "bell\u0007",
      String.raw`"\256"`,
      String.raw`"\2"`,
      `"${"x".repeat(4097)}"`,
      '"a\u0000b"',
    ),
    fc.integer({ min: 256, max: 999 }).map((code) => `"a\\${code}"`),
  ),
};
