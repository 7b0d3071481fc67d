import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { exits, noAccount, runInProcess } from "../../support/run-hostform.ts";
import { writeFiles, type ZoneFiles } from "../zone-file/judge.ts";

const real = fileURLToPath(new URL("../../../../shared/real/octodns-k8s/", import.meta.url));

/** Imports a folder of octoDNS; returns the end of the run, and the text of each file that was written. */
async function importFolder(source: string) {
  const { folder } = writeFiles({ a: "" });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const out = join(folder, "out");
  const { status, stdout, stderr } = await runInProcess(noAccount, ["import", out, "--from", "octodns", source]);
  const names = existsSync(out) ? readdirSync(out).filter((name) => name.endsWith(".yaml")) : [];
  const texts = names.map((name) => [name, readFileSync(join(out, name), "utf8")]);
  const said = (stdout + stderr).replaceAll(out, "out").replaceAll(`${source}/`, "");
  return { status, said, texts: Object.fromEntries(texts) as ZoneFiles };
}

/** Imports files as a folder of octoDNS. */
function importFiles(files: ZoneFiles) {
  const { folder } = writeFiles(files);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return importFolder(folder);
}

test.skipIf(!existsSync(real))(
  "the zones of Kubernetes are imported whole (skipped if ../shared/real is absent)",
  async () => {
    const { said, texts } = exits(0, await importFolder(real));
    expect(said).toMatchInlineSnapshot(`
      "Imported 166 resources to out (5 files).
      Valid: 166 resources in out.
      warning[target_missing]: CNAME testgrid-data in kubernetes.io points to testgrid-data.k8s.io., for which no manifest declares a record
         --> out/kubernetes.io.yaml:113:16
          |
      113 |         CNAME: testgrid-data.k8s.io.
          |                ^^^^^^^^^^^^^^^^^^^^^
          = expected: the zone k8s.io is not exclusive, so there may be one on the server
          = help: declare it in k8s.io, or check the spelling

      1 warning
      "
    `);
    expect(Object.keys(texts)).toEqual([
      "etcd.io.yaml",
      "hostform.yaml",
      "k8s.io.yaml",
      "kubernetes.dev.yaml",
      "kubernetes.io.yaml",
    ]);
    expect(texts["kubernetes.dev.yaml"]).toMatchInlineSnapshot(`
      "# yaml-language-server: $schema=./manifest.schema.json

      dns:
        kubernetes.dev:
          ttl: 3600
          records:
            "@":
              A: 104.198.14.52
              TXT: google-site-verification=UxFPOMk_vLiVIXmJ4IDFqIX0ISJBLMBrgTYcUFBpmiw
            www:
              CNAME: kubernetes-contributor.netlify.app.
      "
    `);
  },
);

const everyType = `
'':
  - { type: A, ttl: 60, values: [192.0.2.1, 192.0.2.2] }
  - { type: CAA, values: [{ flags: 0, tag: issue, value: "letsencrypt.org; a=b" }, { tag: iodef, value: "mailto:a@b.test" }] }
  - { type: MX, values: [{ preference: 10, exchange: mx1.test. }, { priority: 20, value: mx2.test. }] }
  - type: NS
    values: [ns1.test.]
  - { type: TXT, values: ['v=DKIM1\\; k=rsa', '"a" "b"', 'say "x"', "ä", "C:\\\\dir"] }
'*.dev': { type: CNAME, value: example.com. }
alias: { type: ALIAS, value: example.com. }
_sip._tcp: { type: SRV, value: { priority: 1, weight: 2, port: 3, target: sip.test. } }
sub: [{ type: NS, value: ns1.test. }, { type: DS, value: { key_tag: 1, algorithm: 8, digest_type: 1, digest: 00112233445566778899aabbccddeeff00112233 } }]
naptr: { type: NAPTR, value: { order: 1, preference: 2, flags: U, service: "E2U+sip", regexp: "!^.*$!sip:a@b.c!", replacement: . } }
loc: { type: LOC, value: { lat_degrees: 31, lat_minutes: 58, lat_seconds: 52.1, lat_direction: S, long_degrees: 115, long_minutes: 49, long_seconds: 11.7, long_direction: E, altitude: 20, size: 10, precision_horz: 10, precision_vert: 2 } }
ssh: { type: SSHFP, value: { algorithm: 4, fingerprint_type: 1, fingerprint: 00112233445566778899aabbccddeeff00112233 } }
_443._tcp: { type: TLSA, value: { certificate_usage: 3, selector: 1, matching_type: 0, certificate_association_data: 0a0b } }
svc: { type: HTTPS, value: { svcpriority: 1, targetname: ., svcparams: { alpn: [h2, h3], no-default-alpn: '', port: 443 } } }
uri: { type: URI, value: { priority: 1, weight: 2, target: "https://a.test/" } }
10: { type: PTR, value: a.test. }
`;

test("each type of record is read", async () => {
  const { said, texts } = exits(0, await importFiles({ "example.com.yaml": everyType }));
  expect(said).toMatchInlineSnapshot(`
    "Imported 17 resources to out (2 files).
    Valid: 17 resources in out.
    notice[managed_by_platform]: example.com: the records that the platform sets are left out (1 NS)
     --> example.com.yaml:1:1

    1 notice
    "
  `);
  expect(texts["example.com.yaml"]).toMatchInlineSnapshot(`
    "# yaml-language-server: $schema=./manifest.schema.json

    dns:
      example.com:
        ttl: 3600
        records:
          "@":
            A: { ttl: 60, values: [ 192.0.2.1, 192.0.2.2 ] }
            CAA:
              - { tag: issue, value: letsencrypt.org; a=b }
              - { tag: iodef, value: mailto:a@b.test }
            MX: [ { priority: 10, value: mx1.test. }, { priority: 20, value: mx2.test. } ]
            TXT: [ v=DKIM1; k=rsa, ab, say "x", ä, C:\\dir ]
          "*.dev":
            CNAME: example.com.
          "10":
            PTR: a.test.
          _443._tcp:
            TLSA: 3 1 0 0a0b
          _sip._tcp:
            SRV: { priority: 1, weight: 2, port: 3, target: sip.test. }
          alias:
            ALIAS: example.com.
          loc:
            LOC: 31 58 52.1 S 115 49 11.7 E 20m 10m 10m 2m
          naptr:
            NAPTR: 1 2 "u" "e2u+sip" "!^.*$!sip:a@b.c!" .
          ssh:
            SSHFP: 4 1 00112233445566778899aabbccddeeff00112233
          sub:
            DS: 1 8 1 00112233445566778899aabbccddeeff00112233
            NS: ns1.test.
          svc:
            HTTPS: 1 . alpn=h2,h3 no-default-alpn port=443
          uri:
            URI: 1 2 "https://a.test/"
    "
  `);
});

test("a zone of several files is one zone, and a folder of names too", async () => {
  const { status, texts } = await importFiles({
    "a.test._0_base.yaml": "www: { type: A, value: 192.0.2.1 }",
    "a.test._1_more.yaml": "ftp: { type: A, value: 192.0.2.1 }",
    "b.test./www.yaml": "www: { type: A, value: 192.0.2.1 }",
    "b.test./$b.test.yaml": "'': { type: A, value: 192.0.2.1 }",
    "config.yaml": "providers: {}",
    "notes.md": "",
  });
  expect(status).toBe(0);
  expect(texts["a.test.yaml"]).toContain("ftp:\n        A: 192.0.2.1\n      www:\n        A: 192.0.2.1\n");
  expect(texts["b.test.yaml"]).toContain('"@":\n        A: 192.0.2.1\n      www:\n        A: 192.0.2.1\n');
});

test("a type of one provider becomes a comment, and what octoDNS ignores is left out", async () => {
  const { said, texts } = exits(
    0,
    await importFiles({
      "a.test.yaml": `'': { type: Route53Provider/ALIAS, values: [{ type: A, name: www }] }
old: { type: A, value: 192.0.2.2, octodns: { ignored: true } }
www: { type: A, value: 192.0.2.1 }
`,
    }),
  );
  expect(said).toContain("Hostform does not read the type ROUTE53PROVIDER/ALIAS");
  expect(said).toContain("The A record of old is not in the manifest: octoDNS ignores it");
  expect(texts["a.test.yaml"]).toMatch(/ www:\n {8}A: 192\.0\.2\.1\n {6}# dns_record.*\n.*"name":"www"/u);
  expect(texts["a.test.yaml"]).not.toContain("old");
});

test.each([
  ["b", "b", "values: []"],
  ["''", "example.com", "value: []"],
])("a record of %s without a value is a mistake of %s, and is not left out silently", async (key, shown, empty) => {
  const files = { "example.com.yaml": `a: { type: A, value: 192.0.2.1 }\n${key}: { type: A, ${empty} }\n` };
  const { said } = exits(3, await importFiles(files));
  expect(said).toContain(`The A record of ${shown} has no value\n --> example.com.yaml:2:`);
});

test("all mistakes are named at once, each at its place", async () => {
  const { status, said } = await importFiles({
    "example.com.yaml": `a: { type: A, value: 192.0.2 }
b: { type: CNAME, value: b.test }
c: { type: MX, values: [{ preference: x, exchange: a.test. }] }
d: { type: A }
e: text
f: { value: 192.0.2.1 }
g: { type: MX, value: a.test. }
h: { type: A, ttl: soon, value: 192.0.2.1 }
a..b: { type: A, value: 192.0.2.1 }
geo: { type: A, value: 192.0.2.1, geo: { NA: [192.0.2.2] } }
url: { type: URLFWD, value: { path: / } }
`,
    "other.test.yaml": "a: { type: A, value: 192.0.2.1\nb: {",
    "twice.test.yaml": "a: { type: A, value: 192.0.2.1 }\na: { type: A, value: 192.0.2.1 }",
  });
  expect(said).toMatchInlineSnapshot(`
    "error[bad_octodns_file]: This cannot be the value of a record of type A
     --> example.com.yaml:1:22
      |
    1 | a: { type: A, value: 192.0.2 }
      |                      ^
      = expected: an IPv4 address, such as 192.0.2.10

    error[bad_octodns_file]: This cannot be the value of a record of type CNAME
     --> example.com.yaml:2:26
      |
    2 | b: { type: CNAME, value: b.test }
      |                          ^
      = expected: a whole name, with a final dot

    error[bad_octodns_file]: This cannot be the value of a record of type MX
     --> example.com.yaml:3:39
      |
    3 | c: { type: MX, values: [{ preference: x, exchange: a.test. }] }
      |                                       ^
      = expected: the priority is a number from 0 to 65535

    error[bad_octodns_file]: The A record of d has no value
     --> example.com.yaml:4:4
      |
    4 | d: { type: A }
      |    ^
      = expected: value or values

    error[bad_octodns_file]: e has no record
     --> example.com.yaml:5:4
      |
    5 | e: text
      |    ^
      = expected: a map with type and value

    error[bad_octodns_file]: A record of f has no type
     --> example.com.yaml:6:4
      |
    6 | f: { value: 192.0.2.1 }
      |    ^
      = expected: type: A

    error[bad_octodns_file]: This cannot be the value of a record of type MX
     --> example.com.yaml:7:23
      |
    7 | g: { type: MX, value: a.test. }
      |                       ^
      = expected: a map of preference, exchange

    error[bad_octodns_file]: This is not a TTL
     --> example.com.yaml:8:20
      |
    8 | h: { type: A, ttl: soon, value: 192.0.2.1 }
      |                    ^
      = expected: seconds, such as 3600

    error[bad_octodns_file]: a..b cannot be a name
     --> example.com.yaml:9:7
      |
    9 | a..b: { type: A, value: 192.0.2.1 }
      |       ^
      = expected: a name without empty labels

    warning[not_imported]: geo of the A record of geo is not in the manifest: only its fixed values are
      --> example.com.yaml:10:40
       |
    10 | geo: { type: A, value: 192.0.2.1, geo: { NA: [192.0.2.2] } }
       |                                        ^

    error[bad_octodns_file]: This is not YAML: Flow map in block collection must be sufficiently indented and end with a }
     --> other.test.yaml:2:1
      |
    2 | b: {
      | ^

    error[bad_octodns_file]: This is not YAML: Flow map in block collection must be sufficiently indented and end with a }
     --> other.test.yaml:2:5
      |
    2 | b: {
      |     ^

    error[bad_octodns_file]: This is not YAML: Map keys must be unique
     --> twice.test.yaml:2:1
      |
    2 | a: { type: A, value: 192.0.2.1 }
      | ^

    12 errors, 1 warning
    "
  `);
  expect(status).toBe(3);
});

test("aliases that multiply, and texts that are no zone, are mistakes", async () => {
  const bomb = [
    "a: &a [x, x, x, x, x, x, x, x, x, x]",
    ..."bcdefghi"
      .split("")
      .map((name, at) => `${name}: &${name} [${Array(10).fill(`*${"abcdefghi"[at]}`).join(", ")}]`),
  ];
  expect((await importFiles({ "example.com.yaml": bomb.join("\n") })).status).toBe(3);
  expect((await importFiles({ "example.com.yaml": "- a" })).said).toContain("This is not a zone");
  const { status, stderr } = await runInProcess(noAccount, ["import", "x", "--from", "octodns", "/absent"]);
  expect([status, stderr]).toEqual([3, expect.stringContaining("not a folder that holds zone files")]);
});

test.each<Record<string, string>>([{}, { "notes.md": "" }, { ".hidden.yaml": "" }])(
  "a folder of %j is refused because it holds no zone file",
  async (files) => {
    const ran = await importFiles(files);
    expect([ran.status, ran.said]).toEqual([3, expect.stringContaining("not a folder that holds zone files")]);
    expect(ran.said).toContain("help: name one with files such as example.com.yaml");
  },
);
