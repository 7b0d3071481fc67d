import fc, { type Arbitrary } from "fast-check";

/** Service parameters as RFC 9460 has them, section 2.1 and appendix A: in any order, each key once, quoted or not. */
const quoteAtTimes = (value: Arbitrary<string>) =>
  fc.tuple(value, fc.boolean()).map(([text, quoted]) => (quoted ? `"${text}"` : text));
const list = (item: Arbitrary<string>) =>
  quoteAtTimes(fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(",")));
const withKey = (key: string, value: Arbitrary<string>) => value.map((text) => `${key}=${text}`);
const base64 = fc.uint8Array({ minLength: 1, maxLength: 40 }).map((data) => Buffer.from(data).toString("base64"));
const protocol = fc.oneof(
  fc.constantFrom("h2", "h3", "http/1.1", "h3-29"),
  fc.constantFrom(String.raw`f\\oo\\,bar`, String.raw`h\\\\2`, String.raw`\104\050`),
);
/** Keys without a name; those with one have smaller numbers. */
const privateKey = fc.integer({ min: 11, max: 65_534 }).map((number) => `key${number}`);

const known: Readonly<Record<string, Arbitrary<string>>> = {
  alpn: withKey("alpn", list(protocol)),
  "no-default-alpn": fc.constant("no-default-alpn"),
  port: withKey("port", quoteAtTimes(fc.integer({ min: 0, max: 65_535 }).map(String))),
  ipv4hint: withKey("ipv4hint", list(fc.ipV4())),
  ech: withKey("ech", quoteAtTimes(base64)),
  ipv6hint: withKey("ipv6hint", list(fc.ipV6())),
  dohpath: fc.constantFrom('dohpath="/dns-query{?dns}"', "dohpath=/q{?dns}"),
  ohttp: fc.constant("ohttp"),
};
/** Registered keys by their number: the value is the wire format of the key (RFC 9460 section 2.1). */
const numbered: Readonly<Record<string, Arbitrary<string>>> = {
  alpn: fc.constantFrom(String.raw`key1=\002h2`, String.raw`key1="\002h2\002h3"`),
  "no-default-alpn": fc.constant("key2"),
  port: fc.constantFrom(String.raw`key3=\001\187`, String.raw`key3="\000P"`, String.raw`key3=\"x`),
  ipv4hint: fc.constantFrom(String.raw`key4=\192\000\002\001`, "key4=abcdefgh"),
  ech: fc.constant("key5=x"),
  ipv6hint: fc.constant("key6=0123456789abcdef"),
  dohpath: fc.constant("key7=/q{?dns}"),
  ohttp: fc.constant("key8"),
};
const keysWithAlpn = Object.keys(known);

export const parameters: Arbitrary<string> = fc
  .tuple(
    fc.shuffledSubarray(keysWithAlpn),
    fc.boolean(),
    fc.uniqueArray(
      fc.tuple(
        privateKey,
        fc.constantFrom("", "=x", '="a b"', String.raw`="\000\255\""`, String.raw`=4\"43`, String.raw`=\"\"`),
      ),
      {
        selector: ([key]) => key,
        maxLength: 2,
      },
    ),
  )
  .chain(([keys, hasMandatory, others]) => {
    const names = keys.includes("no-default-alpn") && !keys.includes("alpn") ? [...keys, "alpn"] : keys;
    const drawn = names.map((key) =>
      fc.oneof(
        { weight: 4, arbitrary: known[key] ?? fc.constant(key) },
        { weight: 1, arbitrary: numbered[key] ?? fc.constant(key) },
      ),
    );
    const mandatory =
      hasMandatory && names.length > 0
        ? [
            fc
              .shuffledSubarray(names, { minLength: 1 })
              .chain((listed) => withKey("mandatory", quoteAtTimes(fc.constant(listed.join(","))))),
          ]
        : [];
    const all = [...mandatory, ...drawn, ...others.map(([key, value]) => fc.constant(key + value))];
    return fc
      .tuple(...all)
      .chain((texts) => fc.shuffledSubarray(texts, { minLength: texts.length, maxLength: texts.length }));
  })
  .map((texts) => texts.join(" "));

export const badParameters: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "alpn",
    'alpn=""',
    "alpn=h2,",
    "alpn=,h2",
    `alpn=${"a".repeat(256)}`,
    "ALPN=h2",
    "alpn=h2 alpn=h3",
    "alpn=h2 key1=x",
    "no-default-alpn=x alpn=h2",
    "port",
    "port=65536",
    "port=x",
    "port=-1",
    "port=443,444",
    "ipv4hint",
    "ipv4hint=192.0.2.256",
    "ipv4hint=2001:db8::1",
    "ipv4hint=192.0.2.1,",
    "ipv6hint=192.0.2.1",
    "ipv6hint=fe80::1%eth0",
    "ipv6hint=",
    "ech",
    "ech=!!!",
    "ech=AAA",
    "mandatory",
    "mandatory=alpn",
    "mandatory=mandatory",
    "mandatory=mandatory,alpn alpn=h2",
    "mandatory=alpn,alpn alpn=h2",
    "mandatory=alpn,port alpn=h2",
    "mandatory=alpn, alpn=h2",
    "mandatory=nothing alpn=h2",
    "key65535=x",
    "key65536=x",
    "key007=x",
    "key=x",
    "key-1=x",
    "keyx=x",
    "foo=bar",
    "=x",
    "=",
    '"alpn=h2"',
    'alpn="h2',
    'alpn="h2"x',
    String.raw`key12345="\256"`,
    "ohttp=x",
    "ohttp ohttp",
    "a_b=c",
    "tls-supported-groups=65536",
    "key0=alpn alpn=h2",
    String.raw`key0=\000\001`,
    String.raw`key0=\000\000 alpn=h2`,
    "key1=h2",
    "key1=",
    String.raw`key1=\000`,
    "key2=x",
    "key3=443",
    "key3",
    String.raw`key3=4\"43`,
    "key4=192.0.2.1",
    "key4",
    "key5",
    "key6=::1",
    "key7=",
    "key8=x",
    "key9=x",
  ),
  fc.tuple(privateKey).map(([key]) => `${key}=a ${key}=b`),
);
