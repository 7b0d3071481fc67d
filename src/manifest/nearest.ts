import leven from "leven";

/**
 * The candidate that a misspelt word most likely stands for: at most two letters away, or a third of its length; case does not
 * count. Undefined where none is near.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > 80) return undefined;
  const lower = word.toLowerCase();
  let best: string | undefined;
  let distance = Math.min(Math.max(2, Math.floor(word.length / 3)), word.length - 1) + 1;
  for (const candidate of candidates) {
    const found = leven(lower, candidate.toLowerCase(), { maxDistance: distance });
    if (found < distance) {
      best = candidate;
      distance = found;
    }
  }
  return best;
}
