/** A command line of bash up to the cursor. */
export interface BashLine {
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
