/** Digits of a hash that are printed, and that an approval must give at least. */
const shortest = 32;

/** The hash as it is printed. */
export const shortHash = (hash: string): string => hash.slice(0, "sha256:".length + shortest);

/** Whether what a user gave, with or without `sha256:`, is this hash: its printed part at least. */
export function isHash(given: string, hash: string): boolean {
  const digits = digitsOf(given);
  return digits !== undefined && hash.startsWith(`sha256:${digits}`);
}

/** The digits of what a user gave for a hash; undefined where it cannot be one. */
export const digitsOf = (given: string): string | undefined =>
  /^(?:sha256:)?([0-9a-f]{32,64})$/u.exec(given.trim().toLowerCase())?.[1];
