import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readDescription } from "../../../src/contract/draft/description.ts";
import { loadContract } from "../../../src/contract/load-contract.ts";

const folder = mkdtempSync(join(tmpdir(), "hostform-description-"));
afterAll(() => rmSync(folder, { recursive: true }));

function write(text: string): string {
  const path = join(folder, "description");
  writeFileSync(path, text);
  return path;
}

test.each([
  ['{ "openapi": "3.0.0",\n  "paths": {,} }', "description_syntax", 2, 13],
  ['{ "openapi": "3.0.0"', "description_syntax", 1, 21],
  ["openapi: 3.0.0\npaths: [", "description_syntax", 2, 9],
  ["[".repeat(100_000), "description_syntax", 1, 1],
  [`{"a":${"[".repeat(100_000)}`, "description_syntax", 1, 1],
  ["a: &a [1]\nb: *c", "description_syntax", undefined, undefined],
  ["just a text", "description_shape", 1, 1],
  ['{ "swagger": "2.0", "paths": {} }', "description_version", 1, 1],
  ["openapi: 4.0.0\npaths: {}", "description_version", 1, 1],
  ["openapi: 3.1.0", "description_shape", 1, 1],
])("a description that begins with %.20s is refused at its place", (text, code, line, col) => {
  const { document, diagnostics } = readDescription(write(text));
  expect(document).toBeUndefined();
  expect(diagnostics).toHaveLength(1);
  expect(diagnostics[0]).toMatchObject({ severity: "error", code });
  if (line !== undefined && !text.startsWith("[")) expect(diagnostics[0]?.at).toMatchObject({ line, col });
});

test("a description that does not exist is refused", () => {
  expect(readDescription(join(folder, "none")).diagnostics[0]?.code).toBe("description_unreadable");
});

test("a contract with an alias is refused at its line", async () => {
  const { diagnostics } = await loadContract(write("contract: 1\nname: &n x\nkinds: { a: *n }"));
  expect(diagnostics[0]).toMatchObject({ code: "contract_syntax", hint: "write the value out", at: { line: 3 } });
});
