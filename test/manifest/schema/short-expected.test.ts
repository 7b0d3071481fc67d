import fc from "fast-check";
import { expect, test } from "vitest";
import { parseManifest } from "../../../src/manifest/load.ts";
import { forDraws } from "../../support/for-draws.ts";

test("a wrong TTL is said in one short line, and the field is described apart from it", () =>
  forDraws({ numRuns: 6 }, fc.constantFrom("x", "1.5", "-1", "[]", "{}", "true"), (ttl) => {
    const { diagnostics } = parseManifest([
      { file: "m.yaml", text: `version: 1\nname: a\ndns: { a.example: { ttl: ${ttl}, records: {} } }\n` },
    ]);
    expect(diagnostics.length).toBeGreaterThan(0);
    for (const { detail = "", description = "" } of diagnostics) {
      expect(detail.length).toBeLessThan(80);
      expect(description).not.toBe("");
    }
  }));
