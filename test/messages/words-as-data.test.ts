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
  new RegExp(String.raw`\b${words} [!=]== (?!undefined|null)`, "u"),
];

/** Returns the lines of a source that look into words: those of a message, and those that a function has made of data. */
function linesThatRead(source: string): string[] {
  const made = [
    ...source.matchAll(/\bconst (\w+) = (?:causeOf|traceOf|describe\w+|(?:notice|inFlight|holder|wait)Text)\(/gu),
  ];
  const patterns = [...reading, ...made.map(([, name]) => new RegExp(String.raw`\b${name}\.${methods}\(`, "u"))];
  return source.split("\n").filter((line) => patterns.some((pattern) => pattern.test(line)));
}

test.each([
  ["each.hint?.includes(`run`) === true", true],
  ['detail.replace(/^expected:? /u, "")', true],
  ["/^no /u.test(refusal.summary)", true],
  ['if (summary === "Nothing") return', true],
  ["once.some((each) => each.summary === summary)", true],
  ["const text = causeOf(failure);\nconst start = text.indexOf(address);", true],
  ["if (each.detail === undefined) return", false],
  ["return { ...each, hint: `${hint}, and apply again` };", false],
  ['summary: names.join(", ")', false],
])("%s reads the words of a message: %s", (line, expected) => {
  expect(linesThatRead(line).length > 0).toBe(expected);
});

test("no code reads or edits the words of a message: they follow from data", () => {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.startsWith("emulator/"))
    .map((file) => join("src", file));
  const found = files.flatMap((file) =>
    linesThatRead(readFileSync(join(root, file), "utf8")).map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
