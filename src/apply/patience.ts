import type { Result } from "../model/failure.ts";
import type { RunContext } from "./run-context.ts";

/** Milliseconds by which reads may lag behind writes: what is not seen after them is not there. */
export const readLag = 5_000;

const firstWait = 250;
const longestWait = 5_000;

/** Looks, and looks again with growing waits until there is something to see or the waits come to `milliseconds`. */
export async function lookAgain<T>(
  { deps }: Pick<RunContext, "deps">,
  milliseconds: number,
  look: (isFirst: boolean) => Promise<Result<T | undefined>>,
): Promise<Result<T | undefined>> {
  let waited = 0;
  for (let wait = firstWait; ; wait = Math.min(wait * 2, longestWait)) {
    const seen = await look(waited === 0);
    if (!seen.ok || seen.value !== undefined || waited >= milliseconds) return seen;
    const next = Math.min(wait, milliseconds - waited);
    await deps.sleep(next);
    waited += next;
  }
}
