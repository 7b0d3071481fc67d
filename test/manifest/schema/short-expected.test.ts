import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseManifest } from "../../../src/manifest/load.ts";
import { withoutDescription } from "../../../src/manifest/schema/describe-mistake.ts";
import { root } from "../../repository/workplace.ts";

interface Field {
  readonly "x-expected"?: string;
  readonly description?: string;
}

/** All parts of the schema that name what they expect, with their description. */
function fieldsOf(schema: unknown): Field[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = typeof (schema as Field)["x-expected"] === "string" ? [schema as Field] : [];
  return [...own, ...Object.values(schema).flatMap(fieldsOf)];
}

const fields = fieldsOf(JSON.parse(readFileSync(join(root, "schemas/manifest.schema.json"), "utf8")));

test("what a field expects stays, and its description goes, for each field of the schema", () => {
  expect(fields.length).toBeGreaterThan(30);
  for (const { "x-expected": expected = "", description = "" } of fields) {
    expect(withoutDescription(expected)).toBe(expected);
    if (description === "") continue;
    expect(withoutDescription(`${expected} (${description.replace(/\.$/u, "")})`)).toBe(expected);
  }
});

test("a wrong TTL is said in one short line", () => {
  fc.assert(
    fc.property(fc.constantFrom("x", "1.5", "-1", "[]", "{}", "true"), (ttl) => {
      const { diagnostics } = parseManifest([
        { file: "m.yaml", text: `version: 1\nname: a\ndns: { a.example: { ttl: ${ttl}, records: {} } }\n` },
      ]);
      const details = diagnostics.flatMap(({ detail }) => (detail === undefined ? [] : withoutDescription(detail)));
      expect(details.length).toBeGreaterThan(0);
      for (const detail of details) expect(detail.length).toBeLessThan(80);
    }),
    { numRuns: 6 },
  );
});
