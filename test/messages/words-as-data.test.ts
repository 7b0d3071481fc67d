import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../repository/workplace.ts";

const words = "(?:summary|hint|detail)";
const methods = "(?:replace|replaceAll|includes|startsWith|endsWith|split|match|search|indexOf|slice)";
/** Code that looks into the words of a message, or edits them. */
const reading = [
  new RegExp(String.raw`\b${words}\b[)?!]*\.${methods}\(`, "u"),
  new RegExp(String.raw`\.(?:test|exec)\((?:\w+\.)*${words}\b`, "u"),
  new RegExp(String.raw`\b${words} [!=]== ["'\x60]`, "u"),
];
const readsWords = (line: string) => reading.some((pattern) => pattern.test(line));

/** The description of a field that a manifest's schema adds is taken off again where one line has to hold all. */
const allowed = new Set(["src/manifest/schema/describe-mistake.ts"]);

test.each([
  ["each.hint?.includes(`run`) === true", true],
  ['detail.replace(/^expected:? /u, "")', true],
  ["/^no /u.test(refusal.summary)", true],
  ['if (summary === "Nothing") return', true],
  ["return { ...each, hint: `${hint}, and apply again` };", false],
  ['summary: names.join(", ")', false],
])("%s reads the words of a message: %s", (line, expected) => {
  expect(readsWords(line)).toBe(expected);
});

test("no code reads or edits the words of a message: they follow from data", () => {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.startsWith("emulator/"))
    .map((file) => join("src", file));
  const found = files
    .filter((file) => !allowed.has(file))
    .flatMap((file) => {
      const lines = readFileSync(join(root, file), "utf8").split("\n");
      return lines.filter(readsWords).map((line) => `${file}: ${line.trim()}`);
    });
  expect(found).toEqual([]);
});
