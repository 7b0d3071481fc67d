import type { JournalStore } from "../../src/journal/journal-store.ts";
import type { InventoryStore, LeaseRegister, SharedPace, Stores } from "../../src/index.ts";
import { recordsIn, sealedLines } from "./sealed-lines.ts";

/** The operation of the stores, from 1, at which a call of them fails: before it takes effect, or after it has, so that nobody hears of it. */
export interface StoreCrash {
  readonly at: number;
  readonly when: "before" | "after";
  /** `process`: no operation after it takes effect either, as after the end of the process. `answer`: all others do. */
  readonly loses: "process" | "answer";
}

/** Stores whose operations are counted by their names, and fail as told. */
export interface CrashingStores {
  readonly stores: Stores;
  /** Operations so far, in their order. */
  readonly operations: readonly string[];
}

type Work = (...given: never[]) => Promise<unknown>;

export function crashingStores(inner: Stores, crash?: StoreCrash): CrashingStores {
  const operations: string[] = [];
  let isDead = false;
  const counted = <Of extends Work>(name: string, work: Of): Of =>
    (async (...given: never[]) => {
      if (isDead) throw new Error("the process has ended");
      operations.push(name);
      const isHere = operations.length === crash?.at;
      if (isHere) isDead = crash.loses === "process";
      if (isHere && crash.when === "before") throw new Error(`${name} failed`);
      const result = await work(...given);
      if (isHere) throw new Error(`${name} had no answer`);
      return result;
    }) as Of;
  const wrap = <Port extends object>(port: string, store: Port, names: readonly (keyof Port & string)[]): Port => ({
    ...store,
    ...Object.fromEntries(
      names.flatMap((name) =>
        store[name] === undefined ? [] : [[name, counted(`${port}.${name}`, store[name] as Work)]],
      ),
    ),
  });
  const journal = (store: JournalStore): JournalStore => ({
    ...wrap("journal", store, ["read", "remove", "setAside", "listAside"]),
    begin: counted("journal.begin", async (text: string) =>
      wrap("journal", await store.begin(text), ["append", "close"]),
    ),
  });
  const { inventory, lease, journal: openJournal, pace } = inner;
  return {
    operations,
    stores: {
      ...(inventory && {
        inventory: (target) =>
          wrap<InventoryStore>("inventory", inventory(target), ["load", "store", "history", "appliesToWhole", "close"]),
      }),
      ...(lease && {
        lease: (target, call) =>
          wrap<LeaseRegister>("lease", lease(target, call), ["read", "prepare", "swap", "remove"]),
      }),
      ...(openJournal && { journal: (target, call) => journal(openJournal(target, call)) }),
      ...(pace && { pace: (origin) => wrap<SharedPace>("pace", pace(origin), ["take"]) }),
    },
  };
}

/** Stores as a later process finds them, a minute after the last one died: its lease has run out, and what it sent shows. */
export const aMinuteLater = ({ lease, journal, ...others }: Stores): Stores => ({
  ...others,
  ...(lease && {
    lease: (target, call) => {
      const register = lease(target, call);
      let isOld = true;
      return {
        ...register,
        read: async () => {
          const found = await register.read();
          if (!isOld || found.is !== "read") return found;
          isOld = false;
          return { ...found, isFree: true };
        },
      };
    },
  }),
  ...(journal && { journal: (target, call) => olderJournal(journal(target, call)) }),
});

const olderJournal = (store: JournalStore): JournalStore => ({
  ...store,
  read: async () => {
    const { parts, draft } = await store.read();
    const older = (time: string) => new Date(Date.parse(time) - 60_000).toISOString();
    const aged = recordsIn(Buffer.concat([...parts()]).toString()).map((record) =>
      typeof record["at"] === "string" ? { ...record, at: older(record["at"]) } : record,
    );
    return { draft, parts: () => (aged.length === 0 ? [] : [Buffer.from(sealedLines(aged))]) };
  },
});
