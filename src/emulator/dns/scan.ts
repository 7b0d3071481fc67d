/** One word of a presentation form (RFC 1035 section 5.1). */
export interface Word {
  /** As it was sent, with its quotes. */
  readonly raw: string;
  /** Its octets, quotes and escapes resolved. */
  readonly octets: Buffer;
  /** `mixed`: quotes stand inside of it. */
  readonly shape: "bare" | "quoted" | "mixed";
}

/** The words of a presentation form; undefined where a quote stays open, an escape is none, or a control character stands in it. */
export function scan(text: string): readonly Word[] | undefined {
  const found: Word[] = [];
  for (let at = 0; at < text.length;) {
    if (isBlank(text[at])) {
      at += 1;
      continue;
    }
    const end = findEnd(text, at);
    const word = end === undefined ? undefined : readWord(text.slice(at, end));
    if (end === undefined || word === undefined) return undefined;
    found.push(word);
    at = end;
  }
  return found;
}

/** Tells whether a word has neither quotes nor escapes, and is ASCII: reading each character by itself takes long. */
const isPlain = (raw: string) => /^[!#-[\]-~]*$/u.test(raw);

const isBlank = (char: string | undefined) => char !== undefined && " \t\r\n".includes(char);

/** Finds the end of the word that begins at `start`; undefined where its quotes do not end. */
function findEnd(text: string, start: number): number | undefined {
  let quoted = false;
  let at = start;
  for (; at < text.length && (quoted || !isBlank(text[at])); at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') quoted = !quoted;
  }
  return quoted ? undefined : Math.min(at, text.length);
}

function readWord(raw: string): Word | undefined {
  if (isPlain(raw)) return { raw, octets: Buffer.from(raw), shape: "bare" };
  if (/^"[ !#-[\]-~]*"$/u.test(raw)) return { raw, octets: Buffer.from(raw.slice(1, -1)), shape: "quoted" };
  const octets: number[] = [];
  const quotes: number[] = [];
  for (let at = 0; at < raw.length; at += 1) {
    const char = raw[at] ?? "";
    if (char === '"') quotes.push(at);
    else if (char === "\\") {
      const escape = readEscape(raw, at);
      if (escape === undefined) return undefined;
      octets.push(...escape.octets);
      at += escape.length - 1;
    } else if (char < " " && char !== "\t") return undefined;
    else {
      const whole = String.fromCodePoint(raw.codePointAt(at) ?? 0);
      octets.push(...Buffer.from(whole));
      at += whole.length - 1;
    }
  }
  const isQuoted = quotes.length === 2 && quotes[0] === 0 && quotes[1] === raw.length - 1;
  return { raw, octets: Buffer.from(octets), shape: quotes.length === 0 ? "bare" : isQuoted ? "quoted" : "mixed" };
}

function readEscape(raw: string, at: number): { octets: readonly number[]; length: number } | undefined {
  const next = raw[at + 1];
  if (next === undefined || (next < " " && next !== "\t")) return undefined;
  if (next < "0" || next > "9") {
    const whole = String.fromCodePoint(raw.codePointAt(at + 1) ?? 0);
    return { octets: [...Buffer.from(whole)], length: 1 + whole.length };
  }
  const digits = raw.slice(at + 1, at + 4);
  return /^\d{3}$/.test(digits) && Number(digits) < 256 ? { octets: [Number(digits)], length: 4 } : undefined;
}
