/** Manifests that grow in one direction each; all of them are valid. */
const zone = (records: string) => `version: 1\nname: large\ndns:\n  example.com:\n    records:\n${records}`;
const each = (count: number, write: (index: number) => string, between = "") =>
  Array.from({ length: count }, (_, index) => write(index)).join(between);

const address = (index: number) => `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
const digest = (index: number) => index.toString(16).padStart(64, "0");
const priority = (index: number) => index % 65_536;

/** One value of each record type, different for every index. */
const values: Readonly<Record<string, (index: number) => string>> = {
  A: address,
  AAAA: (index) => `"2001:db8::${index.toString(16)}"`,
  MX: (index) => `{ priority: ${priority(index)}, value: h${index}.example.com. }`,
  TXT: (index) => `"v=spf1 include:h${index}.example.com -all"`,
  NS: (index) => `ns${index}.example.com.`,
  SRV: (index) => `{ priority: 1, weight: 2, port: 3, target: h${index}.example.com. }`,
  CAA: (index) => `{ tag: x, value: "ca${index}.test" }`,
  TLSA: (index) => `"3 1 1 ${digest(index)}"`,
  SSHFP: (index) => `"1 2 ${digest(index)}"`,
  DS: (index) => `"${priority(index)} 8 2 ${digest(index)}"`,
  PTR: (index) => `h${index}.example.com.`,
  NAPTR: (index) => `"1 ${priority(index)} \\"u\\" \\"\\" \\"\\" h${index}.example.com."`,
  URI: (index) => `"1 1 \\"https://h${index}.test/\\""`,
  HTTPS: (index) => `"1 h${index}.example.com."`,
  RP: (index) => `"m${index}.example.com. ."`,
};

const sets = Object.entries(values).flatMap(
  ([type, write]) =>
    [
      [
        `${type}: one set on one line`,
        (count: number) => zone(`      _a._tcp: { ${type}: [${each(count, write, ", ")}] }\n`),
      ],
      [
        `${type}: one set on many lines`,
        (count: number) =>
          zone(`      _a._tcp:\n        ${type}:\n${each(count, (index) => `          - ${write(index)}\n`)}`),
      ],
    ] as const,
);

const owners = "services: { example.com: {} }\ndomains: { example.com: {} }\n";

/** Returns the manifest of each shape with `count` of its parts. */
export const largeManifests: Readonly<Record<string, (count: number) => string>> = {
  ...Object.fromEntries(sets),
  "names on one line": (count) =>
    zone("").replace(
      "records:\n",
      `records: { ${each(count, (index) => `h${index}: { A: ${address(index)} }`, ", ")} }\n`,
    ),
  "one record a zone": (count) =>
    `version: 1\nname: large\ndns:\n${each(count, (index) => `  z${index}.test: { records: { "@": { A: 10.0.0.1 }, www: { CNAME: z${index + 1}.test. } } }\n`)}`,
  "children with their glue": (count) =>
    zone(
      each(
        count,
        (index) => `      c${index}: { NS: ns.c${index}.example.com. }\n      ns.c${index}: { A: 10.0.0.1 }\n`,
      ),
    ),
  "one child with all glue": (count) =>
    zone(
      `      c: { NS: [${each(count, (index) => `n${index}.c.example.com.`, ", ")}] }\n${each(count, (index) => `      n${index}.c: { A: 10.0.0.1 }\n`)}`,
    ),
  "a chain of CNAMEs, and mail to each": (count) =>
    zone(
      each(
        count,
        (index) =>
          `      c${index}: { CNAME: c${index + 1}.example.com. }\n      m${index}: { MX: [{ priority: 1, value: c${index}.example.com. }] }\n`,
      ),
    ),
  "mail to one name with many records": (count) =>
    zone(
      `      t: { A: [${each(count, address, ", ")}], TXT: [${each(count, (index) => `"v=spf1 ip4:10.0.0.1 ${index}"`, ", ")}] }\n${each(count, (index) => `      c${index}: { MX: [{ priority: 1, value: t.example.com. }] }\n      s${index}: { TXT: "v=spf1 include:t.example.com -all" }\n`)}`,
    ),
  "a chain of SPF includes": (count) =>
    zone(
      each(
        count,
        (index) =>
          `      a${index}: { TXT: "v=spf1 include:a${index + 1}.example.com include:a${index + 2}.example.com -all" }\n`,
      ),
    ),
  "mailboxes on one line": (count) =>
    `version: 1\nname: large\n${owners}mail: { example.com: { mailboxes: { ${each(count, (index) => `u${index}: { password: "\${env:P}" }`, ", ")} } } }\n`,
  "certificates with wildcards": (count) =>
    `version: 1\nname: large\n${owners}certificates: { example.com: [${each(count, (index) => `{ domains: ["*.h${index}.example.com"] }`, ", ")}] }\ndns: { example.com: { records: { ${each(count, (index) => `h${index}: { A: 10.0.0.1 }`, ", ")} } } }\n`,
  "domains that sign their mail": (count) =>
    `version: 1\nname: large\ndomains: { ${each(count, (index) => `z${index}.test: {}`, ", ")} }\nmail: { ${each(count, (index) => `z${index}.test: { settings: { dkim: { enabled: true } } }`, ", ")} }\ndns: { ${each(count, (index) => `z${index}.test: { records: { www: { A: 10.0.0.1 } } }`, ", ")} }\n`,
};
