import { hasUnsafe } from "../lib/escape.ts";
import { findManifest } from "./find-manifest.ts";
import type { Io } from "./io.ts";
import { offerOf } from "./parse-arguments.ts";

/**
 * Answers a script of completion with the texts that may stand at the end of a command line. Reads no network, and nothing is a mistake:
 * a shell would print it into the line that someone types.
 */
export async function answerShell([form, ...given]: readonly string[], io: Io): Promise<readonly string[]> {
  try {
    if (form === "words") return (await findWords(given, io)).filter(isPrintable);
    const [line = "", breaks = ""] = given;
    const read = readBashLine(line, breaks);
    return (await findWords(read.words.slice(1), io)).filter(isPrintable).flatMap((word) => completeInBash(word, read));
  } catch {
    return [];
  }
}

/** Flags that take addresses of the manifest; those of a fleet are of no one manifest. */
const addressFlags: ReadonlySet<string> = new Set([
  "only",
  "except",
  "allow-delete",
  "allow-purchase",
  "retry",
  "rotate",
  "accept",
  "why",
  "adopt",
  "forget",
]);

const isPrintable = (word: string) => !hasUnsafe(word);

/** Returns the words that may stand in place of the last, those that do not begin as it does among them. */
async function findWords(words: readonly string[], io: Io): Promise<readonly string[]> {
  const given = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  const firstFlag = given.findIndex((word) => word.startsWith("-"));
  const command = firstFlag === -1 ? given : given.slice(0, firstFlag);
  const { commands, flags, positionals } = await offerOf(command);
  const allFlags = [...flags.keys()].map((name) => `--${name}`);
  const [, joined] = /^--([a-z-]+)=/u.exec(current) ?? [];
  const flag = joined ?? (given.at(-1) === "-f" ? "file" : (/^--(.+)/u.exec(given.at(-1) ?? "")?.[1] ?? ""));
  const values = flags.get(flag);
  if (values) {
    const found = addressFlags.has(flag) && command[0] !== "fleet" ? await findAddresses(given, io) : values;
    return joined === undefined ? found : found.map((value) => `--${joined}=${value}`);
  }
  if (current.startsWith("-")) return allFlags;
  if (positionals.has("address")) return findAddresses(given, io);
  const found = [...commands, ...[...positionals.values()].flat()];
  return found.length === 0 && positionals.size === 0 ? allFlags : found;
}

/** Returns the addresses that the manifest of a command line declares, as far as they can be read. */
async function findAddresses(given: readonly string[], io: Io): Promise<readonly string[]> {
  const { loadWithoutSecrets } = await import("../engine/session/load-manifest.ts");
  const named = valuesOf(given, ["-f", "--file"]);
  if (named.includes("-")) return [];
  const found = named.length > 0 ? undefined : findManifest(io.env);
  const options = { allowFile: [], var: valuesOf(given, ["--var"]), varFile: valuesOf(given, ["--var-file"]) };
  const { written } = await loadWithoutSecrets(found ? [found.path] : named, options, io);
  return [...written.keys()].toSorted();
}

/** Returns the values of a flag that may be given several times. */
const valuesOf = (given: readonly string[], names: readonly string[]): readonly string[] =>
  given.flatMap((word, index) => {
    if (names.includes(given[index - 1] ?? "")) return [word];
    return names.flatMap((name) => (word.startsWith(`${name}=`) ? [word.slice(name.length + 1)] : []));
  });

/** A command line of bash up to the cursor. */
interface BashLine {
  /** The words without their quotes; the last is the one at the cursor. */
  readonly words: readonly string[];
  /** The number of characters of the last word that bash keeps: it replaces the rest. */
  readonly kept: number;
  /** The quote that is open at the cursor. */
  readonly quote: "" | "'" | '"';
}

/** Splits a line as bash does. `breaks`: COMP_WORDBREAKS, the characters behind which bash begins to replace. Nothing is expanded. */
export function readBashLine(line: string, breaks: string): BashLine {
  const words: string[] = [];
  let word = "";
  let kept = 0;
  let quote: BashLine["quote"] = "";
  // Bash replaces from there once the quote is closed.
  let keptOutside = 0;
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index] ?? "";
    if (character === "\\" && quote !== "'") {
      const next = line[(index += 1)] ?? "";
      word += quote === '"' && !'"\\$`'.includes(next) ? `\\${next}` : next;
    } else if (quote !== "") {
      if (character !== quote) word += character;
      else [quote, kept] = ["", keptOutside];
    } else if (character === "'" || character === '"') {
      [quote, keptOutside, kept] = [character, kept, word.length];
    } else if (/\s/u.test(character)) {
      if (word !== "" || !/\s/u.test(line[index - 1] ?? " ")) words.push(word);
      [word, kept] = ["", 0];
    } else {
      word += character;
      // It replaces this break as well, because it can begin the name of a host.
      if (breaks.includes(character)) kept = word.length - (character === "@" ? 1 : 0);
    }
  }
  return { words: [...words, word], kept, quote };
}

/** Returns the text with which bash replaces the end of its line; none for a word that does not begin as the line ends. */
export function completeInBash(word: string, { words, kept, quote }: BashLine): readonly string[] {
  if (!word.startsWith(words.at(-1) ?? "")) return [];
  const rest = word.slice(kept);
  if (quote === "'") return [rest.replaceAll("'", String.raw`'\''`)];
  if (quote === "") return [rest.replaceAll(/[^\p{L}\p{N}_@%+=:,./-]/gu, String.raw`\$&`)];
  // A keyboard's bash replaces ! there by an earlier command, and no backslash prevents it.
  return rest.includes("!") ? [] : [rest.replaceAll(/["$\\`]/gu, String.raw`\$&`)];
}
