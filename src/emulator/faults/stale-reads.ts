import type { Objects } from "../store/objects.ts";
import type { ReadView } from "../store/store.ts";

/** Each holds a file open: further writes are hidden together with the last, and it longer. */
const mostPins = 32;

export type StaleReads = ReturnType<typeof createStaleReads>;

/** Simulates stale reads, as from a replica. `pin` holds what is there at the moment; `now` in ms since 1970. */
export function createStaleReads(pin: () => ReadView, now: () => number) {
  let pins: { readonly pinned: ReadView; until: number }[] = [];
  const release = (keep: (until: number) => boolean): void => {
    for (const { pinned, until } of pins) if (!keep(until)) pinned.release();
    pins = pins.filter(({ until }) => keep(until));
  };
  return {
    /** Writes, and hides it from reads for so many ms. A write that throws hides nothing. */
    hide<Result>(ms: number, write: () => Result): Result {
      release((until) => until > now());
      const last = pins.length < mostPins ? undefined : pins.at(-1);
      const pinned = last?.pinned ?? pin();
      try {
        const result = write();
        if (last === undefined) pins.push({ pinned, until: now() + ms });
        else last.until = now() + ms;
        return result;
      } catch (error) {
        if (last === undefined) pinned.release();
        throw error;
      }
    },
    /** Returns the past objects that reads are to see; undefined where they see the present. */
    objects(): Objects | undefined {
      release((until) => until > now());
      return pins[0]?.pinned.objects;
    },
    /** Shows the present again. */
    clear: (): void => release(() => false),
  };
}
