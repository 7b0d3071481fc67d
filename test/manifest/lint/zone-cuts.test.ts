import { describe, expect, test } from "vitest";
import { checkZoneCut } from "../../../src/kinds/dns/record-set-checks.ts";
import { readDesired } from "../../../src/manifest/read/desired.ts";
import { secretReader } from "../../../src/manifest/read/secrets.ts";
import { toAddress } from "../../../src/model/address.ts";
import type { Diagnostic } from "../../../src/model/diagnostic.ts";
import { loadBody } from "../load-text.ts";

/** `code line:col, line:col` of everything told of a manifest whose first zone begins in line 4: the place and those that take part. */
async function told(...zones: string[]): Promise<string[]> {
  return (await diagnose(zones)).map(({ code, at, related = [] }) =>
    [`${code} ${at?.line}:${at?.col}`, ...related.map(({ at: { line, col } }) => `${line}:${col}`)].join(", "),
  );
}

async function diagnose(zones: readonly string[]): Promise<readonly Diagnostic[]> {
  const { tree, diagnostics } = await loadBody(`dns:\n${zones.map((zone) => `  ${zone}\n`).join("")}`);
  if (!tree || diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics));
  return readDesired(
    tree,
    secretReader({}, "/nowhere", () => undefined),
  ).diagnostics;
}

const parent = (records: string) => `example.com: { records: { ${records} } }`;
const child = "sub.example.com: {}";

test("each zone has delegations of its own, whichever zones stand before and behind it", async () => {
  const zone = (name: string, records: string) => `${name}: { records: { ${records} } }`;
  const below = "www.cut: { A: 192.0.2.1 }";
  const cut = "cut: { NS: ns.other.test. }";
  expect(
    await told(
      zone("a.example", below),
      zone("b.example", `${below}, ${cut}`),
      zone("c.example", below),
      zone("d.example", `${below}, ${cut}`),
      zone("e.example", below),
    ),
  ).toEqual([
    expect.stringMatching(/^hidden_by_delegation 5:\d+, 5:\d+$/u),
    expect.stringMatching(/^hidden_by_delegation 7:\d+, 7:\d+$/u),
  ]);
});

describe("a parent of a declared child zone", () => {
  test("holds its delegation and the addresses of its name servers", async () => {
    const records =
      'sub: { NS: [ns1.sub.example.com., ns.other.test.], DS: "1 13 2 00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff" }, ns1.sub: { A: 192.0.2.1, AAAA: "2001:db8::1" }';
    expect(await told(parent(records), child)).toEqual([]);
  });

  test.each([
    ["another type at the cut", "sub: { TXT: x }"],
    ["a name below it", "www.sub: { A: 192.0.2.1 }"],
    ["a name far below it", "a.b.c.sub: { A: 192.0.2.1 }"],
    ["a wildcard below it", '"*.sub": { A: 192.0.2.1 }'],
    ["a delegation below it", "x.sub: { NS: ns.other.test. }"],
    ["another spelling", "WWW.Sub.EXAMPLE.com.: { A: 192.0.2.1 }"],
  ])("and not %s: both places are reported", async (_, records) => {
    const [diagnostic] = await told(parent(records), child);
    expect(diagnostic).toMatch(/^below_child_zone 4:\d+, 5:3$/u);
  });

  test("holds no address that none of its name servers has, and no other type of one that has", async () => {
    const records = "sub: { NS: ns1.sub.example.com. }, ns1.sub: { TXT: x }, ns2.sub: { A: 192.0.2.2 }";
    expect((await told(parent(records), child)).map((text) => text.split(" ")[0])).toEqual([
      "below_child_zone",
      "below_child_zone",
      "glue_missing",
    ]);
  });

  test("has a hint what to do", async () => {
    const [diagnostic] = await diagnose([parent("a.b.sub: { A: 192.0.2.1 }"), child]);
    expect(diagnostic).toMatchObject({
      severity: "error",
      summary: expect.stringContaining("the zone sub.example.com"),
      hint: 'move it there, as "a.b"',
    });
  });

  test("may hold names that only end like it", async () => {
    expect(await told(parent("my-sub: { A: 192.0.2.1 }, sub.my: { A: 192.0.2.1 }"), child)).toEqual([]);
  });

  test("hears of the uppermost where child zones stand in each other", async () => {
    const [diagnostic] = await diagnose([parent("x.y.sub: { A: 192.0.2.1 }"), child, "y.sub.example.com: {}"]);
    expect(diagnostic?.summary).toContain("the zone sub.example.com");
  });
});

describe("a record below a delegation of its own zone", () => {
  test("is a warning that names both places, once for a record set", async () => {
    const records = "sub: { NS: [ns.a.test., ns.b.test.] }, x.sub: { A: [192.0.2.1, 192.0.2.2] }";
    expect(await told(parent(records))).toEqual(["hidden_by_delegation 4:77, 4:36"]);
    expect((await diagnose([parent(records)]))[0]?.severity).toBe("warning");
  });

  test.each([
    [
      "the delegation's DS",
      'sub: { NS: ns.a.test., DS: "1 13 2 00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff" }',
      0,
    ],
    ["its glue", "sub: { NS: ns.sub.example.com. }, ns.sub: { A: 192.0.2.1 }", 0],
    ["glue at the cut itself", "sub: { NS: sub.example.com., A: 192.0.2.1 }", 0],
    ["an address at the cut that is no glue", "sub: { NS: ns.a.test., A: 192.0.2.1 }", 1],
    ["a delegation below a delegation", "sub: { NS: ns.a.test. }, x.sub: { NS: ns.b.test. }, y.x.sub: { TXT: x }", 2],
    ["a name below a DNAME", "sub: { DNAME: example.net. }, a.b.sub: { A: 192.0.2.1 }", 1],
    ["a name below a DNAME at the apex", '"@": { DNAME: example.net., TXT: x }, www: { A: 192.0.2.1 }', 1],
    ["what stands at a DNAME", "sub: { DNAME: example.net., TXT: x, A: 192.0.2.1 }", 0],
    ["what stands beside it", "sub: { NS: ns.a.test. }, www: { A: 192.0.2.1 }", 0],
  ])("%s", async (_, records, warnings) => {
    expect(await told(parent(records))).toHaveLength(warnings);
  });
});

test("each record looks up a handful of names, however many stand beside it", () => {
  const count = 100_000;
  let lookups = 0;
  for (let index = 0; index < count; index += 1) {
    const key = { zone: "example.com", name: `h${index}.sub`, type: "A" };
    const address = toAddress("dns_record", Object.values(key));
    const resource = { address, kind: "dns_record", key, fields: {}, late: {}, at: { file: "m", line: 1, col: 1 } };
    checkZoneCut(resource, () => {
      lookups += 1;
      return undefined;
    });
  }
  expect(lookups).toBeLessThanOrEqual(6 * count);
});
