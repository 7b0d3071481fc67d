import fc from "fast-check";
import { expect, test } from "vitest";
import { readDesired } from "../../../src/manifest/read/desired.ts";
import { secretReader } from "../../../src/manifest/read/secrets.ts";
import { recordForms } from "../../support/forms/record-forms.ts";
import { writtenRecord } from "../../support/forms/written-record.ts";
import { errorsIn, inZone, loadBody, places } from "../load-text.ts";

const seed = 1;

/** The lines of a manifest with these records, each in a line of its own from line 6 on, at which an error is told. */
async function wrongLines(records: readonly string[]): Promise<number[]> {
  const lines = records.map((record, index) => `      n${index}: { ${record} }`);
  const { tree, diagnostics } = await loadBody(["dns:", "  example.com:", "    records:", ...lines].join("\n"));
  if (!tree) throw new Error(JSON.stringify(diagnostics));
  const read = readDesired(
    tree,
    secretReader({}, "/nowhere", () => undefined),
  );
  const errors = [...diagnostics, ...read.diagnostics].filter(({ severity }) => severity === "error");
  expect(errors.every(({ at }) => (at?.col ?? 0) > 6)).toBe(true);
  return [...new Set(errors.map(({ at }) => at?.line ?? 0))].sort((a, b) => a - b);
}

test.each(Object.keys(recordForms))(
  "each wrong %s of a manifest is told in its own line, and no right one",
  async (type) => {
    const { good, bad } = recordForms[type] ?? { good: fc.constant(""), bad: fc.constant("") };
    const written = (forms: fc.Arbitrary<string>) =>
      fc.sample(forms, { numRuns: 40, seed }).flatMap((content) => writtenRecord(type, content) ?? []);
    const [right, wrong] = [written(good), written(bad)];
    expect(right.length).toBeGreaterThan(20);
    expect(await wrongLines(right)).toEqual([]);
    expect(await wrongLines(wrong)).toEqual(wrong.map((_, index) => index + 6));
  },
);

test.each([
  ["a DS at the apex", `"@": { DS: "1 13 2 ${"ab".repeat(32)}" }`, "ds_at_apex"],
  ["an NS at the apex", '"@": { NS: ns1.example.net. }', "managed_by_platform"],
  ["a CNAME at the apex", '"@": { CNAME: www.example.net. }', "cname_at_apex"],
  ["a null MX with a priority", "a: { MX: { priority: 10, value: . } }", "null_mx_priority"],
  [
    "a null MX beside another",
    "a: { MX: [{ priority: 0, value: . }, { priority: 0, value: mx. }] }",
    "null_mx_not_alone",
  ],
  ["a CNAME beside a type without a name", String.raw`a: { CNAME: b.test., TYPE65280: '\# 1 00' }`, "cname_not_alone"],
  ["a CNAME beside a DNAME", "a: { CNAME: b.test., DNAME: c.test. }", "cname_not_alone"],
  ["a second DNAME", "a: { DNAME: [b.test., c.test.] }", "several_targets"],
  ["CAA fields with a wrong tag", "a: { CAA: { tag: is-sue, value: x } }", "invalid_value"],
  ["a wildcard inside of a name", "a.*.b: { A: 192.0.2.1 }", "invalid_key"],
  ["a wildcard in a label", "a*: { A: 192.0.2.1 }", "invalid_key"],
  ["a name that is too long with its zone", `${"a.".repeat(121)}a: { A: 192.0.2.1 }`, "invalid_key"],
  ["a label that is too long", `${"a".repeat(64)}: { A: 192.0.2.1 }`, "invalid_key"],
  ["a slash that is not of RFC 2317", "a/b: { A: 192.0.2.1 }", "invalid_key"],
])("%s is an error in its line", async (_, record, code) => {
  const { tree, diagnostics } = await loadBody(`dns:\n  example.com:\n    records:\n      ${record}`);
  const read =
    tree &&
    readDesired(
      tree,
      secretReader({}, "/nowhere", () => undefined),
    );
  const errors = [...diagnostics, ...(read?.diagnostics ?? [])].filter(({ severity }) => severity === "error");
  expect(errors.map((each) => `${each.code} ${each.at?.line}`)).toContain(`${code} 6`);
});

test("the block that declares a resource a second time is read for its other mistakes too", async () => {
  const found = await errorsIn(inZone("www: { A: 192.0.2.1 }\nWWW: { A: [192.0.2.300, 192.0.2.2] }"));
  expect(places(found).toSorted()).toEqual(["duplicate_resource 7:14", "invalid_value 7:18"]);
});
