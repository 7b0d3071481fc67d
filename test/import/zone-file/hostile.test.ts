import { expect, test } from "vitest";
import { readOctodnsFile } from "../../../src/import/octodns/read-zone.ts";
import { readZone } from "../../../src/import/zone-file/read-zone.ts";

const noInclude = () => ({ found: "no file", expected: "none" });
const many = 20_000;

test.each([
  ["open parentheses", "(".repeat(10 * many)],
  ["closed parentheses", ")".repeat(many)],
  ["backslashes", `x 60 TXT "${"\\\\".repeat(many)}"`],
  ["lone backslashes", `x 60 TXT ${"\\".repeat(many + 1)}`],
  ["quotes", '"'.repeat(many + 1)],
  ["dots", `${".".repeat(many)} 60 A 192.0.2.1`],
  ["escapes", `${String.raw`\001`.repeat(many)} 60 A 192.0.2.1`],
  ["digits", `x ${"1".repeat(many)} A 192.0.2.1`],
  ["units", `x ${"1h".repeat(many)} A 192.0.2.1`],
  ["blanks", `x${" ".repeat(many)}`],
  ["line breaks", "\n".repeat(many)],
  ["words", `x 60 TXT ${"a ".repeat(many)}`],
  ["lines with a mistake", "x A\n".repeat(many)],
  ["other characters", "\u0000\u0001\u2028\ufeff\ud800".repeat(many / 10)],
])("a zone file of %s is read without a crash", (_, text) => {
  const { zone, diagnostics } = readZone({ file: "example.com.zone", text: `$TTL 1h\n${text}\n` }, noInclude);
  expect(zone !== undefined || diagnostics.length > 0).toBe(true);
});

test.each([
  ["brackets", "[".repeat(5000)],
  ["braces", "{a: ".repeat(5000)],
  ["lines with a mistake", Array.from({ length: 2000 }, (_, at) => `a${at}: b`).join("\n")],
])("a file of octoDNS of %s is refused without a crash", (_, text) => {
  expect(readOctodnsFile({ file: "example.com.yaml", text }, "example.com").diagnostics.length).toBeGreaterThan(0);
});
