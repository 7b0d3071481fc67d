import { setImmediate as nextTurn } from "node:timers/promises";
import type { JournalStore } from "./journal-store.ts";
import { sealLine } from "./seal-line.ts";

/** Appends lines of JSON to a journal, each sealed (`seal-line.ts`). It takes the place of an older one with the first of them. */
export interface GroupWriter {
  /** Resolves when the line outlives this machine's power: undefined, or why it does not, and then nothing more will be written. */
  readonly append: (line: string) => Promise<string | undefined>;
  /** A line that nobody waits for: it outlives the process at once, a power failure once another line is waited for. */
  readonly note: (line: string) => void;
  /** Resolves when all is written, or cannot be. */
  readonly close: () => Promise<void>;
}

/**
 * Begins a journal with these lines. Lines of one turn of the event loop, and those appended while the place is at work, are written
 * together, so that many at once cost as much as one. Rejects where the place refuses already.
 */
export async function openGroupWriter(store: JournalStore, ...first: readonly string[]): Promise<GroupWriter> {
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
      broken ??= await lines.append(text, isWaitedFor).catch((error: unknown) => (error as Error).message);
      for (const { settle } of group) settle?.(broken);
    }
    turn = undefined;
  };
  const add = (entry: (typeof waiting)[number]) => {
    waiting.push(entry);
    turn ??= work();
  };
  return {
    append: (line) => new Promise((settle) => add({ line, settle })),
    note: (line) => add({ line }),
    close: async () => {
      await turn;
      await lines.close();
    },
  };
}
