import { getOrMake } from "../lib/collect.ts";
import type { CollectionId } from "../model/resource.ts";

/** One list, as the steps that write to it and read it share it. */
interface SharedList {
  /** The writes that are not answered yet, after which their object may be looked for in the list. */
  writes: number;
  /** Called when the last of these is answered. */
  readonly onQuiet: (() => void)[];
  /** The next read of the list, if it has not begun; by the kind of reader. */
  readonly next: WeakMap<AbortSignal, Promise<unknown>>;
  /** The read that has begun last. */
  last: Promise<unknown>;
  /** The end of the last write, of a list that is written as a whole. */
  turn: Promise<unknown>;
}

/** The lists of one run: objects that many steps look for at once are looked for with one read. */
export type SharedLists = Map<CollectionId, SharedList>;

const listIn = (lists: SharedLists, id: CollectionId): SharedList =>
  getOrMake(lists, id, () => ({
    writes: 0,
    onQuiet: [],
    next: new WeakMap<AbortSignal, Promise<unknown>>(),
    last: Promise.resolve(),
    turn: Promise.resolve(),
  }));

/** Runs one write after the other in a list that is written as a whole. */
export function inTurn<T>(lists: SharedLists, id: CollectionId, work: () => Promise<T>): Promise<T> {
  const list = listIn(lists, id);
  const mine = list.turn.then(work);
  list.turn = mine.catch(() => undefined);
  return mine;
}

/** Sends a write to a list; until it is answered, no shared read of the list begins. */
export async function writeTo<T>(lists: SharedLists, id: CollectionId, send: () => Promise<T>): Promise<T> {
  const list = listIn(lists, id);
  list.writes += 1;
  try {
    return await send();
  } finally {
    list.writes -= 1;
    if (list.writes === 0) for (const goOn of list.onQuiet.splice(0)) goOn();
  }
}

/**
 * Reads a list once for all who ask before the read begins: each of them sees what was answered before it asked.
 * @param stop the signal that ends the read; only readers with the same one share it.
 */
export function readShared<T>(
  lists: SharedLists,
  { id, stop }: { readonly id: CollectionId; readonly stop: AbortSignal },
  read: () => Promise<T>,
): Promise<T> {
  const list = listIn(lists, id);
  const begin = async () => {
    // Who looks again after a while looks together with all who began to wait with it.
    await list.last;
    if (list.writes > 0) await new Promise<void>((resolve) => list.onQuiet.push(resolve));
    list.next.delete(stop);
    const reading = read();
    list.last = reading.catch(() => undefined);
    return reading;
  };
  const known = list.next.get(stop);
  if (known) return known as Promise<T>;
  const next = begin();
  list.next.set(stop, next);
  return next;
}
