import { setImmediate as nextTurn } from "node:timers/promises";
import type { JournalStore } from "./journal-store.ts";
import { sealLine } from "./seal-line.ts";

/**
 * Begins a journal, which takes the place of an older one, with these lines of JSON; each line is sealed (`seal-line.ts`). Lines of one turn
 * of the event loop, and those appended while the place is at work, are written together, so that many at once cost as much as one. Rejects
 * where the place refuses already.
 */
export async function openGroupWriter(store: JournalStore, ...first: readonly string[]) {
  let count = 0;
  const seal = (line: string) => `${sealLine(line, (count += 1))}\n`;
  const lines = await store.begin(first.map(seal).join(""));
  let waiting: { readonly line: string; readonly settle?: (failure: string | undefined) => void }[] = [];
  let turn: Promise<void> | undefined;
  let broken: string | undefined;
  const work = async () => {
    while (waiting.length > 0) {
      await nextTurn();
      const group = waiting;
      waiting = [];
      const text = group.map(({ line }) => seal(line)).join("");
      const isWaitedFor = group.some(({ settle }) => settle);
      // A store of someone else's program may throw at once.
      const appended = (async () => lines.append(text, isWaitedFor))();
      broken ??= await appended.catch((error: unknown) => (error as Error).message);
      for (const { settle } of group) settle?.(broken);
    }
    turn = undefined;
  };
  const add = (entry: (typeof waiting)[number]) => {
    waiting.push(entry);
    turn ??= work();
  };
  return {
    /** Resolves when the line outlives this machine's power: undefined, or why it does not, and then nothing more will be written. */
    append: (line: string) => new Promise<string | undefined>((settle) => add({ line, settle })),
    /** A line that nobody waits for: it outlives the process at once, a power failure once another line is waited for. */
    note: (line: string) => add({ line }),
    /** Resolves when all is written, or cannot be. */
    close: async () => {
      await turn;
      // The report of this apply must not get lost: all that it waited for is written, and the next apply looks up the rest.
      await (async () => lines.close())().catch(() => undefined);
    },
  };
}
