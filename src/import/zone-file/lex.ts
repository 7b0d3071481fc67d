import { longestContent } from "../../kinds/dns/record-content.ts";
import type { Position } from "../../model/diagnostic.ts";
import type { TextFile } from "../zone.ts";

/** One word or quoted string of a zone file. */
export interface Token {
  /** As written, escapes and all, without the quotes around it. */
  readonly text: string;
  readonly isQuoted: boolean;
  /** Whether no blank stands between it and the token before it. */
  readonly isGlued: boolean;
  readonly at: Position;
}

/** One entry of a zone file: a line, or several lines that parentheses join. A line of blanks or a comment alone has no token. */
export interface ZoneFileEntry {
  readonly tokens: readonly Token[];
  /** Whether it begins with a blank, so that its owner is that of the entry before. */
  readonly isIndented: boolean;
}

/** A mistake and its place. */
export interface LexFault {
  readonly at: Position;
  readonly summary: string;
  readonly expected: string;
}

/** Yields the entries of a zone file one by one. An entry with a mistake is left out, and its mistakes stand in its place. */
export function* lexEntries(source: TextFile): Generator<ZoneFileEntry | { readonly faults: readonly LexFault[] }> {
  const { file, text } = source;
  const end = text.includes("\n") ? -1 : text.trimEnd().indexOf("\r");
  if (end >= 0) return yield { faults: [{ at: { file, line: 1, col: end + 1, endCol: end + 2 }, ...loneReturn }] };
  const lexer = new Lexer(source);
  for (let next = lexer.readEntry(); next; next = lexer.readEntry()) yield next;
}

const loneReturn = { summary: "Its lines end with a carriage return alone", expected: "a line feed at their ends" };

const wordEnd = /[ \t\r\n;()"]/u;

/** Owns the place in the text. */
class Lexer {
  readonly #file: string;
  readonly #text: string;
  #offset = 0;
  #line = 1;
  #lineStart = 0;

  constructor({ file, text }: TextFile) {
    this.#file = file;
    this.#text = text.endsWith("\n") ? text : `${text}\n`;
  }

  /** Reads to the end of a line outside parentheses; returns undefined at the end of the text. */
  readEntry(): ZoneFileEntry | { readonly faults: readonly LexFault[] } | undefined {
    if (this.#offset >= this.#text.length) return undefined;
    const isIndented = /[ \t]/u.test(this.#char());
    const tokens: Token[] = [];
    const faults: LexFault[] = [];
    const open: Position[] = [];
    let gluedAt = -1;
    for (let char = this.#char(); char !== ""; char = this.#char()) {
      if (char === "\n") {
        this.#offset += 1;
        this.#line += 1;
        this.#lineStart = this.#offset;
        if (open.length === 0) break;
      } else if (/[ \t\r]/u.test(char)) this.#offset += 1;
      else if (char === ";") this.#offset = this.#text.indexOf("\n", this.#offset);
      else if (char === "(") open.push(this.#step());
      else if (char === ")") {
        const at = this.#step();
        if (!open.pop()) faults.push({ at, summary: "A ) has no ( before it", expected: "as many ( as )" });
      } else {
        const token = this.#readToken(this.#offset === gluedAt);
        if ("summary" in token) faults.push(token);
        else tokens.push(token);
        gluedAt = this.#offset;
      }
    }
    const [outermost] = open;
    if (outermost) faults.push({ at: outermost, summary: "A ( is not closed", expected: "a ) behind it" });
    return faults.length > 0 ? { faults } : { tokens, isIndented };
  }

  #char(): string {
    return this.#text.charAt(this.#offset);
  }

  /** Passes one character and returns its place. */
  #step(): Position {
    this.#offset += 1;
    return this.#placeFrom(this.#offset - 1);
  }

  #placeFrom(start: number, end = this.#offset): Position {
    const before = this.#lineStart - 1;
    return { file: this.#file, line: this.#line, col: start - before, endCol: end - before };
  }

  #readToken(isGlued: boolean): Token | LexFault {
    const start = this.#offset;
    const isQuoted = this.#char() === '"';
    if (isQuoted) this.#offset += 1;
    const from = this.#offset;
    const isEnd = isQuoted ? (char: string) => char === '"' : (char: string) => wordEnd.test(char);
    while (this.#char() !== "" && this.#char() !== "\n" && !isEnd(this.#char()))
      this.#offset += this.#char() === "\\" && !/[\r\n]|^$/u.test(this.#text.charAt(this.#offset + 1)) ? 2 : 1;
    const text = this.#text.slice(from, this.#offset);
    if (isQuoted && this.#char() !== '"') {
      const at = this.#placeFrom(start, from);
      return { at, summary: 'A " is not closed', expected: 'a " behind it on the same line' };
    }
    if (isQuoted) this.#offset += 1;
    const at = this.#placeFrom(start);
    if (text.length > longestContent)
      return { at, summary: "This is longer than the data of any record", expected: "at most 65,535 bytes" };
    const wrong = wrongEscape(text);
    if (wrong === undefined) return { text, isQuoted, isGlued, at };
    const expected = String.raw`\ before a character, or \000 to \255`;
    return { at, summary: `${wrong} is not an escape`, expected };
  }
}

/** Returns an escape that stands for no byte. */
const wrongEscape = (text: string): string | undefined =>
  [...text.matchAll(/\\(?:(\d{3})|(\d{1,2})(?!\d)|[^\d]|$)/gsu)].find(
    ([whole, code, short]) => whole === "\\" || short !== undefined || Number(code ?? 0) > 255,
  )?.[0];
