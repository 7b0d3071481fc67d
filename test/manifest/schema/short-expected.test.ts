import { expect, test } from "vitest";
import { parseManifest } from "../../../src/manifest/load.ts";

test.each(["x", "1.5", "[]", "{}", "true"])(
  "the wrong TTL %s is said in one short line, and the field is described apart from it",
  (ttl) => {
    const { diagnostics } = parseManifest([
      { file: "m.yaml", text: `version: 1\nname: a\ndns: { a.example: { ttl: ${ttl}, records: {} } }\n` },
    ]);
    expect(diagnostics.length).toBeGreaterThan(0);
    for (const { detail = "", description = "" } of diagnostics) {
      expect(detail.length).toBeLessThan(80);
      expect(description).not.toBe("");
    }
  },
);
