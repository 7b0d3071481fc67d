import { expect, test } from "vitest";
import { parseSource } from "../../src/manifest/yaml/parse.ts";

test("a manifest of too many parts to hold in memory is refused", () => {
  const { diagnostics } = parseSource({ file: "m.yaml", text: `{${",".repeat(3_000_001)}` });
  expect(diagnostics.map(({ code }) => code)).toEqual(["too_large"]);
});
