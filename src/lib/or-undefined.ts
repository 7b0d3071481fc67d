/** Returns the result of work, and undefined where it throws: for what may be missing, or be something else than it should be. */
export function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Returns what work resolves to, or what `failed` makes of its error, also where it throws at once, as another program's function may. */
export const orElse = <T, U>(ask: () => T | Promise<T>, failed: (error: unknown) => U): Promise<T | U> =>
  (async () => ask())().catch(failed);
