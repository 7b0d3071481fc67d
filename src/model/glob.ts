/**
 * Whether a text matches a pattern in which `*` stands for any characters, also none. Case does not matter.
 * Linear in the product of their lengths at worst, whatever the pattern: it may come from anyone.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  const [first = "", ...others] = pattern.toLowerCase().split("*");
  const last = others.pop();
  const name = text.toLowerCase();
  if (last === undefined) return name === first;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.startsWith(first) && name.endsWith(last) && at + last.length <= name.length;
}
