/**
 * Parses JSON that may come from anyone. Throws a SyntaxError for text that is not JSON, and for values nested deeper than `deepest`
 * levels: JSON.parse would return them, and whoever walked them would overflow the call stack.
 */
export function parseJson(text: string, deepest: number): unknown {
  if (isDeeper(text, deepest)) throw new SyntaxError(`it is nested more than ${deepest} levels deep`);
  const value = parseUnquoted(text);
  if (holdsHalfCharacter(text, value)) throw new SyntaxError(halfCharacter);
  return value;
}

/** Parses JSON as JSON.parse does. Its errors quote nothing of the text: that may be a file that nobody meant, such as a key. */
export function parseUnquoted(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SyntaxError((error as Error).message.replace(/^(Unexpected token) .*$/su, "$1"));
  }
}

/** The reason why JSON with such an escape is refused: no UTF-8 can hold its text, so that it would change on its way. */
export const halfCharacter =
  "it contains an unpaired surrogate (half of a UTF-16 character), such as \\ud800 without its second half";

/** Tells whether a text or a key of a JSON value is not Unicode: only an escape in the text that it was read from makes that. */
export function holdsHalfCharacter(text: string, value: unknown): boolean {
  return /\\u[dD][89a-fA-F]/u.test(text) && isHalf(value);
}

/** A unit of UTF-16 that is not one of a pair. */
export const half = /\p{Surrogate}/u;

const isHalf = (value: unknown): boolean =>
  typeof value === "string"
    ? half.test(value)
    : typeof value === "object" &&
      value !== null &&
      Object.entries(value).some(([key, each]) => half.test(key) || isHalf(each));

/** Tells whether the brackets of a JSON text are nested deeper than `deepest` levels. */
export function isDeeper(text: string, deepest: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === codes.quote) quoted = !quoted;
    else if (quoted) index += Number(code === codes.backslash);
    else if (code === codes.brace || code === codes.bracket) {
      depth += 1;
      if (depth > deepest) return true;
    } else if (code === codes.closingBrace || code === codes.closingBracket) depth -= 1;
  }
  return false;
}

const codes = { quote: 0x22, backslash: 0x5c, brace: 0x7b, closingBrace: 0x7d, bracket: 0x5b, closingBracket: 0x5d };
