/**
 * Parses JSON that may come from anyone. Throws a SyntaxError for text that is not JSON, and for values nested deeper than `deepest`
 * levels: JSON.parse would return them, and whoever walked them would overflow the call stack.
 */
export function parseJson(text: string, deepest: number): unknown {
  if (isDeeper(text, deepest)) throw new SyntaxError(`it is nested more than ${deepest} levels deep`);
  return JSON.parse(text);
}

/** Tells whether the brackets of a JSON text are nested deeper than `deepest` levels. */
export function isDeeper(text: string, deepest: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (char === '"') quoted = !quoted;
    else if (quoted && char === "\\") index += 1;
    else if (!quoted && (char === "{" || char === "[")) depth += 1;
    else if (!quoted && (char === "}" || char === "]")) depth -= 1;
    if (depth > deepest) return true;
  }
  return false;
}
