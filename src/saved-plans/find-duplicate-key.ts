/**
 * Returns a key that stands twice in one object of a JSON text, at any depth, or undefined. Readers disagree about such a text: most
 * take the last value, and a person sees the first. The text must be valid JSON.
 */
export function findDuplicateKey(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (char === "{") open.push(new Set());
    else if (char === "[") open.push(undefined);
    else if (char === "}" || char === "]") open.pop();
    else if (char === '"') {
      const end = endOfString(text, index);
      const keys = open.at(-1);
      if (keys && isFollowedByColon(text, end)) {
        const key = JSON.parse(text.slice(index, end)) as string;
        if (keys.has(key)) return key;
        keys.add(key);
      }
      index = end - 1;
    }
  }
  return undefined;
}

/** Returns the index after the closing quote of the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === "\\" ? 2 : 1;
  return index + 1;
}

function isFollowedByColon(text: string, index: number): boolean {
  let next = index;
  while (text[next] === " " || text[next] === "\n" || text[next] === "\r" || text[next] === "\t") next += 1;
  return text[next] === ":";
}
