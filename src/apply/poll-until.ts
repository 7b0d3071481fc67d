import type { Result } from "../model/failure.ts";
import { polling, type RunContext } from "./run-context.ts";

/** The longest time, in milliseconds, that reads may lag behind writes. An object that is still missing afterwards is treated as absent. */
export const maxReadLag = 5_000;

/**
 * Returns the milliseconds for which a creation without a clear answer is looked for. Where no idempotency key makes it safe to send it
 * again, its object must have had all the time that a list may take to show it.
 */
export function creationPatience({ contract, settle }: Pick<RunContext, "contract" | "settle">): number {
  return contract.request.idempotency ? maxReadLag : Math.max(maxReadLag, settle);
}

const firstWait = 100;
const longestWait = 5_000;

/**
 * Looks, and looks again with growing waits until there is something to see. The last look is when `milliseconds` are over, not before:
 * undefined then means that in all this time there was nothing, or that the run was stopped meanwhile. After the first look, what is
 * read counts as waiting for the server.
 */
export async function pollUntil<T>(
  context: RunContext,
  milliseconds: number,
  look: (context: RunContext, isFirst: boolean) => Promise<Result<T | undefined>>,
): Promise<Result<T | undefined>> {
  const { deps, connection } = context;
  const { stop } = connection;
  const later = polling(context);
  const deadline = deps.now() + milliseconds;
  for (let wait = firstWait; ; wait = Math.min(wait * 2, longestWait)) {
    const isLast = deps.now() >= deadline;
    const seen = await (wait === firstWait ? look(context, true) : look(later, false));
    if (!seen.ok || seen.value !== undefined || isLast) return seen;
    await deps.sleep(Math.min(wait, Math.max(deadline - deps.now(), 0)), stop);
    if (stop.aborted) return seen;
  }
}
