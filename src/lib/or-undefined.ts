/** Returns the result of work, and undefined where it throws: for what may be missing, or be something else than it should be. */
export function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
