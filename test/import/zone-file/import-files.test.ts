import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { exits, noAccount, runInProcess } from "../../support/run-hostform.ts";
import { folderForTest } from "../../support/temporary-folder.ts";
import { writeFiles, type ZoneFiles } from "./judge.ts";

/** Imports the first of some files into a folder beside them; returns the end of the run, and the text that was written. */
async function importFirst(files: ZoneFiles, more: readonly string[] = [], prepare?: (folder: string) => void) {
  const { folder, first } = writeFiles(files);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  prepare?.(folder);
  const out = join(folder, "hosting");
  const ran = await runInProcess(noAccount, ["import", out, ...more, "--from", "zone-file", join(folder, first)]);
  const text = existsSync(out)
    ? readdirSync(out)
        .filter((name) => name.endsWith(".yaml"))
        .map((name) => `${name}:\n${readFileSync(join(out, name), "utf8")}`)
        .join("\n")
    : undefined;
  const clean = (said: string) => said.replaceAll(`${folder}/`, "").replaceAll(folder, ".");
  return { status: ran.status, said: clean(ran.stdout + ran.stderr), text: text && clean(text) };
}

const head = "$ORIGIN example.com.\n$TTL 2h\n@ SOA ns1 host 1 1 1 1 1\n NS ns1\n NS ns2\n";
const records = String.raw`@ MX 20 mx2.host.test.
  MX 10 mx1
*.dev 7200 A 192.0.2.1
www 300 IN A 192.0.2.1
 IN 400 A 192.0.2.2
t TXT "${"${env:KEY}"}"
spf TXT ( "v=spf1 "
 "-all" )
a\.b A 192.0.2.3
z AFSDB 1 x
short 1 A 192.0.2.1
_acme-challenge CNAME x.test.
other.test. A 192.0.2.1
`;

test("a zone file becomes the manifest that a person would have written", async () => {
  const { text, said } = exits(0, await importFirst({ "db.example.com": head + records }));
  expect(said).toMatchInlineSnapshot(`
    "Imported 7 resources to hosting (2 files). 3 left out: the comments in the manifest say which, and why.
    Valid: 7 resources in hosting.
    warning[not_imported]: The A record of other.test. is not in the manifest: it is outside the zone example.com.
      --> db.example.com:18:13
       |
    18 | other.test. A 192.0.2.1
       |             ^

    notice[managed_by_platform]: example.com: the records that the platform sets are left out (1 SOA, 2 NS)
     --> db.example.com:1:1

    warning[ttl_differs]: The A records of www.example.com. have the TTLs 300 and 400: the first is taken
      --> db.example.com:10:9

    2 warnings, 1 notice
    warning[not_imported]: dns_record/example.com/a\\.b/A was left out: a manifest cannot name it: expected labels of letters, digits, hyphens and underscores, not starting or ending with a hyphen (not "a\\") (db.example.com:14)

    warning[not_imported]: dns_record/example.com/z/AFSDB was left out: Hostform does not read the type AFSDB (db.example.com:15)

    warning[not_imported]: dns_record/example.com/short/A was left out: dns_record ttl cannot be 1: the contract v2026 does not allow it (expected a number of 30 or more and 604800 or less)

    3 warnings
    warning[target_missing]: MX @ in example.com points to mx1.example.com., for which no manifest declares an address record
     --> hosting/example.com.yaml:9:36
      |
    9 |           - { priority: 10, value: mx1.example.com. }
      |                                    ^^^^^^^^^^^^^^^^
      = expected: the zone example.com is not exclusive, so there may be one on the server
      = help: declare an address of it in example.com, or check the spelling

    1 warning
    "
  `);
  expect(text).toMatchInlineSnapshot(`
    "example.com.yaml:
    # yaml-language-server: $schema=./manifest.schema.json

    dns:
      example.com:
        ttl: 7200
        records:
          "@":
            MX:
              - { priority: 10, value: mx1.example.com. }
              - { priority: 20, value: mx2.host.test. }
          "*.dev":
            A: 192.0.2.1
          _acme-challenge:
            CNAME: x.test.
          spf:
            TXT: v=spf1 -all
          t:
            TXT: $\${env:KEY}
          www:
            A: { ttl: 300, values: [ 192.0.2.1, 192.0.2.2 ] }
          # dns_record/example.com/a\\.b/A is not managed here: a manifest cannot name it: expected labels of letters, digits, hyphens and underscores, not starting or ending with a hyphen (not "a\\") (db.example.com:14)
          #   192.0.2.3
          # dns_record/example.com/z/AFSDB is not managed here: Hostform does not read the type AFSDB (db.example.com:15)
          #   1 x
          # dns_record/example.com/short/A is not managed here: dns_record ttl cannot be 1: the contract v2026 does not allow it (expected a number of 30 or more and 604800 or less)
          #   { ttl: 1, values: 192.0.2.1 }

    hostform.yaml:
    # yaml-language-server: $schema=./manifest.schema.json

    version: 1
    name: example-com
    "
  `);
});

test("all mistakes of all files are named at once, each at its place, and nothing is written", async () => {
  const { status, text, said } = await importFirst({
    "example.com.zone": `${head}x A 1.2.3\ny MX 10 a..b c\n$INCLUDE more.inc\nz FOO bar\nv A (1.2.3.4\n`,
    "more.inc": 'a A 192.0.2.1\n b TXT "open\n A ::1 \n',
  });
  expect(said).toMatchInlineSnapshot(`
    "error[bad_zone_file]: 1.2.3 cannot stand here in a record of type A
     --> example.com.zone:6:5
      |
    6 | x A 1.2.3
      |     ^^^^^
      = expected: an IPv4 address, such as 192.0.2.10

    error[bad_zone_file]: c cannot stand here in a record of type MX
     --> example.com.zone:7:14
      |
    7 | y MX 10 a..b c
      |              ^
      = expected: the end of the record

    error[bad_zone_file]: A " is not closed
     --> more.inc:2:8
      |
    2 |  b TXT "open
      |        ^
      = expected: a " behind it on the same line

    error[bad_zone_file]: ::1 cannot stand here in a record of type A
     --> more.inc:3:4
      |
    3 |  A ::1 
      |    ^^^
      = expected: an IPv4 address, such as 192.0.2.10

    error[bad_zone_file]: FOO is not a type of record
     --> example.com.zone:9:3
      |
    9 | z FOO bar
      |   ^^^
      = expected: a type, such as A, or TYPE65280

    error[bad_zone_file]: A ( is not closed
      --> example.com.zone:10:5
       |
    10 | v A (1.2.3.4
       |     ^
       = expected: a ) behind it

    6 errors
    "
  `);
  expect([status, text]).toEqual([3, undefined]);
});

test.each([
  ["a path above the folder", "../../etc/hostname"],
  ["an absolute path", "/etc/hostname"],
  ["a link that leads out of the folder", "link"],
  ["a link to a folder outside", "out/hostname"],
  ["a folder", "sub"],
  ["the folder itself", "."],
  ["the file itself", "example.com.zone"],
  ["a file that is absent", "absent"],
])("an include of %s is refused", async (_, name) => {
  const { status, said } = await importFirst(
    { "example.com.zone": `${head}$INCLUDE ${name}\n`, "sub/a": "" },
    [],
    (folder) => {
      symlinkSync("/etc/hostname", join(folder, "link"));
      symlinkSync("/etc", join(folder, "out"));
    },
  );
  expect(status).toBe(3);
  expect(said).toContain("example.com.zone:6:10");
  expect(said).not.toContain(readFileSync("/etc/hostname", "utf8").trim());
});

test("a file whose lines end with a carriage return alone is refused for that", async () => {
  const { status, said } = await importFirst({ "example.com.zone": "$TTL 300\r@ A 192.0.2.1\rwww A 192.0.2.2\r" });
  expect(status).toBe(3);
  expect(said).toContain("Its lines end with a carriage return alone\n --> example.com.zone:1:9\n");
  // Millions of them after the one entry end the search as well.
  for (const ends of ["\r", "\r".repeat(2_000_000)])
    expect((await importFirst({ "example.com.zone": `@ 300 A 192.0.2.1${ends}` })).status).toBe(0);
});

test("included files are read ten deep, and a thousand in all", async () => {
  const chain = (length: number): ZoneFiles => ({
    "example.com.zone": `${head}$INCLUDE f1\n`,
    ...Object.fromEntries(Array.from({ length }, (_, at) => [`f${at + 1}`, `$INCLUDE f${at + 2}\n`])),
    [`f${length + 1}`]: "deep A 192.0.2.1\n",
  });
  expect((await importFirst(chain(8))).status).toBe(0);
  expect((await importFirst(chain(10))).said).toContain("included too deep");
  const many = { "example.com.zone": `${head}${"$INCLUDE a\n".repeat(5)}`, a: "$INCLUDE b\n".repeat(300), b: "" };
  expect((await importFirst(many)).said).toContain("is one file too many");
});

test("a folder that holds something is not written to", async () => {
  const { status, said } = await importFirst({ "example.com.zone": head, "hosting/a": "" });
  expect([status, said]).toEqual([3, expect.stringContaining("The folder hosting is not empty")]);
});

test("a file in the place of the folder is named as such", async () => {
  const { folder, first } = writeFiles({ "example.com.zone": head, hosting: "" });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const args = ["import", join(folder, "hosting"), "--from", "zone-file", join(folder, first)];
  const { stderr } = exits(3, await runInProcess(noAccount, args));
  expect(stderr).toContain("hosting is a file, not a folder");
});

test.each([
  [["--from", "zone-file"], "--from zone-file names no file"],
  [["--from", "zonefile", "x"], "--from zonefile"],
  [["--from"], "from"],
  [["--from", "zone-file", "x", "--live", "y"], "--live"],
])("%j is refused", async (args, text) => {
  const { status, stderr } = await runInProcess(noAccount, ["import", ...args]);
  expect([status, stderr]).toEqual([3, expect.stringContaining(text)]);
});

test("a zone has the TTL of its file, also where a new zone would have it, since the zone may exist with another", async () => {
  const { status, text } = await importFirst({ "example.com.zone": "$TTL 1h\nwww A 192.0.2.1\n" }, [
    "--layout",
    "single",
  ]);
  expect([status, text]).toEqual([0, expect.stringContaining("example.com:\n    ttl: 3600\n")]);
});

test.each(["", "; nothing but a comment\n", "$TTL 1h\n"])(
  "a file without a record is not an empty zone: %j",
  async (text) => {
    const file = join(folderForTest(), "shop.example.zone");
    writeFileSync(file, text);
    const ran = await runInProcess(noAccount, ["import", join(dirname(file), "out"), "--from", "zone-file", file]);
    expect(exits(3, ran).stderr).toContain("The zone file has no record");
  },
);

test("a zone without SOA record or origin has the name of its file", async () => {
  const { status, text } = await importFirst({ "example.com.zone": "www 60 A 192.0.2.1\n" }, ["--layout", "single"]);
  expect([status, text]).toEqual([0, expect.stringContaining("example.com:\n    ttl: 60\n")]);
  expect((await importFirst({ zone: "www 60 A 192.0.2.1\n" })).said).toContain("because there is no $ORIGIN before it");
});

test("two files of one zone are refused", async () => {
  const { folder } = writeFiles({ "a.zone": head, "b.zone": head });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "c"), "");
  const files = ["a.zone", "b.zone"].map((name) => join(folder, name));
  const { status, stderr } = await runInProcess(noAccount, [
    "import",
    join(folder, "out"),
    "--from",
    "zone-file",
    ...files,
  ]);
  expect([status, stderr]).toEqual([3, expect.stringContaining("stands in")]);
});

test("several zones become a file each, which names the schema beside them", async () => {
  const zones = { "a.zone": "a.test", "b.zone": "b.test", "c.zone": "sub.b.test" };
  const texts = Object.entries(zones).map(([file, zone]) => [file, head.replace("example.com", zone)]);
  const { folder } = writeFiles(Object.fromEntries(texts) as ZoneFiles);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const out = join(folder, "out");
  const files = Object.keys(zones).map((name) => join(folder, name));
  const { status, stdout } = await runInProcess(noAccount, ["import", out, "--from", "zone-file", ...files]);
  expect([status, stdout]).toEqual([0, expect.stringContaining("Valid: 3 resources")]);
  const names = ["a.test.yaml", "b.test.yaml", "hostform.yaml", "sub.b.test.yaml"];
  expect(readdirSync(out).toSorted()).toEqual([...names, "manifest.schema.json"].toSorted());
  for (const name of names) {
    expect(readFileSync(join(out, name), "utf8")).toMatch(
      /^# yaml-language-server: \$schema=\.\/manifest\.schema\.json\n/u,
    );
  }
});

test.each([["of an account"], ["of files", "--from", "zone-file", "absent.zone"]])(
  "an import %s writes no second manifest beside the one that is found",
  async (_, ...from) => {
    const { folder } = writeFiles({ "hostform.yaml": "version: 1\nname: a\n" });
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const hosting = join(folder, "hosting");
    const { status, stderr } = await runInProcess(noAccount, ["import", hosting, ...from]);
    expect([status, stderr]).toEqual([3, expect.stringMatching(/There is a manifest already: .*hostform\.yaml/u)]);
    expect(existsSync(hosting)).toBe(false);
  },
);
