import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "./workplace.ts";

/** Texts in which a banned word may stand, and where. */
const exceptions: readonly { readonly text: RegExp; readonly in?: RegExp; readonly reason: string }[] = [
  { text: /\bnot_told\b/gu, reason: "a word of the events" },
  { text: /\bsame_but_spelt_otherwise\b/gu, reason: "a word of the events" },
  { text: /"untold"/gu, reason: "the fate of a write in the events" },
  { text: /\bdaysLeft\b/gu, reason: "a field of the events" },
  { text: /\bin_flight_untold\b/gu, reason: "a code of the events" },
  {
    text: /\bstanding\b/gu,
    in: /^(?:src\/(?:saved-plans|engine|model)\/|schemas\/plan)/u,
    reason: "a field of a plan file",
  },
];

/** Words that a reader knows in another meaning, or in none. Identifiers are read as separate words: `lookUpLeft` is `look Up Left`. */
const banned: Readonly<Record<string, RegExp>> = {
  told: /\b(?:un)?told\b/iu,
  spelt: /\bspelt\b/iu,
  standing: /\bstanding\b/iu,
  "taken off": /\btaken off\b/iu,
  "left, as a noun": /\b(?:the|a|an|each|all|its|their) left\b(?! (?:and|or|of|hand|side))/iu,
  gate: /\bgates?\b/iu,
  patience: /\bpatience\b/iu,
  "is no …": /(?<!\bthere )\bis no\b(?! (?:longer|more|less|fewer)\b)/iu,
  "as … has it": /\bas [^.;:`"]{1,60} (?:has|have) it\b/iu,
  "it is not decided": /\bit is not decided\b/iu,
  "nobody plans": /\bnobody plans\b/iu,
};

/** An identifier that ends in `left` names what is left; `isLeft` and a direction do not. */
const leftAsName = /\b(?!(?:is|was|are|has)Left\b)(?:left|Left|[a-z][A-Za-z]*Left)\b(?! (?:as|out|alone|over)\b)/u;

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

const separateWords = (text: string) => text.replace(/(?<=[a-z0-9])(?=[A-Z])|_/gu, " ");

/** Returns the code of a line without its comments and texts. */
const codeOf = (line: string) =>
  line
    .replace(/^\s*(?:\/?\*|\/\/).*/u, "")
    .replace(/"(?:\\.|[^"\\])*"|\/\*.*?\*\/|(?<=\s)\/\/.*/gu, '""')
    .replace(/`(?:\\.|[^`\\])*`/gu, (text) => [...text.matchAll(/\$\{([^}]*)\}/gu)].map(([, code]) => code).join(" "));

/** Returns the banned words of a line, after the exceptions of its file. */
function bannedIn(path: string, line: string): string[] {
  let text = line;
  for (const each of exceptions) if (each.in?.test(path) ?? true) text = text.replace(each.text, "");
  const words = separateWords(text);
  const found = Object.entries(banned).flatMap(([name, pattern]) => (pattern.test(words) ? [name] : []));
  const hasName = /^src\/.*\.ts$/u.test(path) && leftAsName.test(codeOf(text));
  return hasName ? [...found, "left, as a noun"] : found;
}

/** Returns the texts of a file that a user or a reader of the code meets, by line. */
function textsOf(path: string): (readonly [line: number, text: string])[] {
  const text = readFileSync(join(root, path), "utf8");
  if (!path.startsWith("test/")) return text.split("\n").map((line, index) => [index + 1, line]);
  const names = text.matchAll(/\b(?:test|it|describe)(?:\.\w+(?:\([^()]*\))?)*\(\s*(["'`])((?:\\.|(?!\1).)*)\1/gu);
  return [...names].map((match) => [text.slice(0, match.index).split("\n").length, match[2] ?? ""]);
}

function findBanned(path: string): string[] {
  const inName = bannedIn(path, path.replace(/\.[a-z.]+$/u, "").replaceAll("/", " ")).map((word) => `${path}: ${word}`);
  const inText = textsOf(path).flatMap(([line, text]) =>
    bannedIn(path, text).map((word) => `${path}:${line}: ${word}: ${text.trim()}`),
  );
  return [...inName, ...inText];
}

const pages = readdirSync(root).filter((name) => name.endsWith(".md"));
const paths = [...pages, ...["src", "docs", "schemas"].flatMap(filesIn), ...filesIn("test").filter(isTest)];

function isTest(path: string): boolean {
  return path.endsWith(".test.ts");
}

describe("the words that the glossary bans", () => {
  test("do not stand in messages, names, comments, docs, schemas or names of tests", () => {
    expect(paths.flatMap(findBanned)).toEqual([]);
  });

  test.each([
    ["src/a.ts", "const toldAt = 1;", "told"],
    ["src/a.ts", "const left = [...before];", "left, as a noun"],
    ["src/a.ts", "finish(plan.wasLeft, `${withLeft}`);", "left, as a noun"],
    ["src/a.ts", "// The left ones come first.", "left, as a noun"],
    ["docs/a.md", "The text is no address.", "is no …"],
    ["docs/a.md", "as the contract v2026 has it", "as … has it"],
    ["docs/a.md", "It stands behind a gate.", "gate"],
  ])("are found in a line of %s: %s", (path, line, word) => {
    expect(bannedIn(path, line)).toEqual([word]);
  });

  test.each([
    ["src/a.ts", "// Fields that are left out are not sent."],
    ["src/a.ts", 'return { is: "not_told", isLeft, leftOut };'],
    ["docs/a.md", "There is no such file, and it is no longer read."],
    ["docs/a.md", "A gateway may send it."],
  ])("are not seen in a line of %s: %s", (path, line) => {
    expect(bannedIn(path, line)).toEqual([]);
  });
});
