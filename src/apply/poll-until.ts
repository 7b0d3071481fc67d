import { repeatUntil } from "../lib/repeat-until.ts";
import type { Result } from "../model/failure.ts";
import { polling, type RunContext } from "./run-context.ts";

/** The longest time, in milliseconds, that reads may lag behind writes. An object that is still missing afterwards is treated as absent. */
export const maxReadLag = 5_000;

/**
 * Returns the milliseconds for which a creation without a clear answer is looked for. Where no idempotency key makes it safe to send it
 * again, its object must have had all the time that a list may take to show it.
 */
export function creationSearchTime({ contract, settle }: Pick<RunContext, "contract" | "settle">): number {
  return contract.request.idempotency ? maxReadLag : Math.max(maxReadLag, settle);
}

const firstWait = 100;

/**
 * Looks, and looks again with growing waits until there is something to see. The last look is when `milliseconds` are over, not before:
 * undefined then means that in all this time there was nothing, or that the run was stopped meanwhile.
 */
export const pollUntil = <T>(
  context: RunContext,
  milliseconds: number,
  look: (context: RunContext, isFirst: boolean) => Promise<Result<T | undefined>>,
): Promise<Result<T | undefined>> =>
  lookAgain(context, milliseconds, look, (seen) => !seen.ok || seen.value !== undefined);

/** Looks again and again until it is done. After the first look, what is read counts as waiting for the server. */
export function lookAgain<T>(
  context: RunContext,
  milliseconds: number,
  look: (context: RunContext, isFirst: boolean) => Promise<T>,
  isDone: (seen: T) => boolean,
): Promise<T> {
  const { deps, connection } = context;
  let later: RunContext | undefined;
  const bounds = { milliseconds, firstWait, stop: connection.stop };
  return repeatUntil(
    deps,
    bounds,
    (isFirst) => look(isFirst ? context : (later ??= polling(context)), isFirst),
    isDone,
  );
}
