import leven from "leven";

/**
 * Returns the candidate that a mistyped word most likely stands for, or undefined if none is near. Case does not count. Addresses are
 * compared part by part, so that a resource of another kind or domain is never near only because the address is long.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > 200) return undefined;
  const parts = partsOf(word);
  let best: string | undefined;
  let least = Infinity;
  for (const candidate of candidates) {
    const distance = distanceOf(parts, partsOf(candidate), least);
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

/** Returns the hint that names the word which is meant; undefined if none is near. */
export const didYouMean = (near: string | undefined, quote = '"'): string | undefined =>
  near === undefined ? undefined : `did you mean ${quote}${near}${quote}?`;

/** Finds the name that a misspelled one stands for. */
export type Suggest = (word: string, names: Iterable<string>) => string | undefined;

/** Each costs a comparison with every name, and a person reads the first ones. */
const mostSuggestions = 100;

export function newSuggester(): Suggest {
  let remaining = mostSuggestions;
  return (word, names) => {
    remaining -= 1;
    return remaining < 0 ? undefined : nearest(word, [...names]);
  };
}

const partsOf = (text: string) => text.toLowerCase().split(/[/@]/u);

/** The number of wrong letters in all parts together; Infinity if a part is not near, or from `least` on. */
function distanceOf(parts: readonly string[], others: readonly string[], least: number): number {
  if (parts.length !== others.length) return Infinity;
  let sum = 0;
  for (const [index, part] of parts.entries()) {
    sum += partDistance(part, others[index] ?? "");
    if (sum >= least) return Infinity;
  }
  return sum;
}

/** One wrong letter for every three is near, at most three in all, and never all of a word; so are letters in a wrong order. */
function partDistance(part: string, other: string): number {
  if (part === other) return 0;
  const shorter = Math.min(part.length, other.length);
  const most = Math.min(3, Math.max(1, Math.floor(shorter / 3)), shorter - 1);
  const sameLetters = shorter > 2 && part.length === other.length && sorted(part) === sorted(other);
  const distance = leven(part, other, { maxDistance: 4 });
  return distance <= Math.max(most, sameLetters ? 2 : 0) ? distance : Infinity;
}

const sorted = (text: string) => Array.from(text).sort().join("");
