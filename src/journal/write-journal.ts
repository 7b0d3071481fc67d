import type {
  Journal,
  Leftover,
  OpenJournal,
  RemovedValues,
  HeldRecord,
  Begin,
  WriteOutcome,
  Intent,
  SentIntent,
  Write,
} from "../model/journal.ts";
import type { Unconfirmed } from "../model/inventory.ts";
import { addTo } from "../lib/collect.ts";
import { orElse } from "../lib/or-undefined.ts";
import type { Address } from "../model/address.ts";
import type { Report } from "../model/report.ts";
import type { RemoteId } from "../model/resource.ts";
import type { JournalStore } from "./journal-store.ts";
import { isConfirmed, type MadeObject } from "./resolve-in-flight.ts";
import { setImmediate as nextTurn } from "node:timers/promises";
import { linesOf, sealLine } from "./seal-line.ts";

/**
 * One line of a journal (schemas/journal.schema.json). `hold`: an object that is about to be deleted to make room for another, until `release`:
 * it is there again, or another is in its place, or it was given up. `carry`: values that are about to be removed, until `carry_end`: they
 * are written again, or were never removed. `end`: the apply has ended by itself; steps by what became of them.
 */
export type JournalRecord =
  | Begin
  | Intent
  | ({ readonly type: "outcome"; readonly n: number } & WriteOutcome)
  | ({ readonly type: "hold" } & HeldRecord)
  | { readonly type: "release"; readonly key: string }
  | ({ readonly type: "carry" } & RemovedValues)
  | { readonly type: "carry_end"; readonly address: Address }
  | ({ readonly type: "end" } & Readonly<Record<"done" | "failed" | "blocked" | "not_attempted", number>>);

export interface JournalDeps {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Notes elsewhere an intent that must not be repeated blindly, so that it is known without this journal. */
  readonly countOnce: (sent: Unconfirmed) => Promise<void>;
}

/** Opens a journal, which takes the place of what is there with the first intent. Rejects where its place refuses already. */
export async function writeJournal(
  store: JournalStore,
  begin: Begin,
  { again, held: heldBefore, removedValues }: Leftover,
  { now, countOnce }: JournalDeps,
): Promise<OpenJournal> {
  const first = [begin, ...heldBefore.map(holdOf), ...removedValues.map(carryOf)];
  const { append, note, close } = await openGroupWriter(store, first);
  const held = new Set(heldBefore.map(({ key }) => key));
  const removed = new Set(removedValues.map(({ address }) => address));
  const open = new Map<number, Intent>();
  const made = new Map<Address, MadeObject[]>();
  const once = new Map<number, Unconfirmed>();
  const unused = new Set(again);
  let count = 0;
  // A journal that stays says that all was done: the next apply finds nothing to look up.
  const remove = () => orElse(() => store.remove(), String);
  const ended: Journal["ended"] = (n, outcome) => {
    const intent = open.get(n);
    if (intent && outcome.is === "done") noteMade(made, intent, outcome.id);
    if (intent) noteOnce(once, intent, outcome);
    if (outcome.is !== "unknown") open.delete(n);
    note({ type: "outcome", n, ...outcome });
  };
  return {
    intend: async (write) => {
      const n = (count += 1);
      const intent: Intent = { type: "intent", n, at: new Date(now()).toISOString(), ...write };
      const failure = await append(intent);
      if (failure !== undefined) return { ok: false, error: failure };
      open.set(n, intent);
      if (write.once) await countOnce(unconfirmedOf(once, intent));
      return { ok: true, value: n };
    },
    ended,
    settled: (step, is, id) => {
      for (const [n, intent] of open) if (intent.step === step) ended(n, { is, ...(id !== undefined && { id }) });
    },
    hold: (each) => {
      held.add(each.key);
      note(holdOf(each));
    },
    release: (key) => {
      if (held.delete(key)) note({ type: "release", key });
    },
    noteRemoved: (each) => {
      removed.add(each.address);
      note(carryOf(each));
    },
    noteRewritten: (address) => {
      if (removed.delete(address)) note({ type: "carry_end", address });
    },
    keyOf: (write) => {
      const same = unused.size === 0 ? undefined : [...unused].find((intent) => isSame(intent, write));
      if (same) unused.delete(same);
      return same?.key;
    },
    unconfirmed: () => [...once.values()],
    close: async (report) => {
      const isOpen = open.size > 0 || held.size > 0 || removed.size > 0;
      if (report && isOpen && count > 0) await append({ type: "end", ...sumsOf(report) });
      await close();
      // A run that had no step leaves nothing of an earlier one to look up.
      if (!isOpen && made.size === 0 && once.size === 0 && (count > 0 || report?.outcomes.length === 0)) await remove();
    },
    confirm: async (live) => {
      const isShown =
        [...made.values()].flat().every((each) => isConfirmed(each, live)) &&
        [...once.values()].every((each) => isConfirmed(each, live));
      if (open.size + held.size + removed.size === 0 && isShown && count > 0) await remove();
    },
  };
}

/** Notes what a write that is done made; what it deleted needs no confirmation any more. */
function noteMade(made: Map<Address, MadeObject[]>, intent: Intent, id: RemoteId | undefined): void {
  const { address, operation, identity, ids } = intent;
  // A run may make a hundred thousand objects: nothing is kept that finds none of them.
  const seen = { ...(identity !== undefined && { identity }), ...(ids && { ids }) };
  if (operation === "create" && !intent.set && id !== undefined)
    addTo(made, address, { address, operation, id, ...seen });
  const others = operation === "delete" && made.get(address)?.filter((each) => !ids?.some((gone) => gone === each.id));
  if (!others) return;
  if (others.length > 0) made.set(address, others);
  else made.delete(address);
}

/** Notes a request that must not be repeated blindly, and returns it. */
function unconfirmedOf(
  once: Map<number, Unconfirmed>,
  { n, address, operation, at, ids, before }: Intent,
): Unconfirmed {
  const sent: Unconfirmed = { address, operation: operation === "renew" ? "renew" : "create", at, ids, before };
  once.set(n, sent);
  return sent;
}

/** Notes the outcome of such a request; what failed, or was deleted again, is no longer to be confirmed. */
function noteOnce(
  once: Map<number, Unconfirmed>,
  { n, operation, address, ids = [] }: Intent,
  { is, id }: WriteOutcome,
): void {
  const sent = once.get(n);
  if (sent && is === "failed") once.delete(n);
  else if (sent && id !== undefined) once.set(n, { ...sent, id });
  if (operation !== "delete" || is !== "done") return;
  for (const [other, made] of once)
    if (made.address === address && made.id !== undefined && ids.includes(made.id)) once.delete(other);
}

const carryOf = (values: RemovedValues): JournalRecord => ({ type: "carry", ...values });
const holdOf = (held: HeldRecord): JournalRecord => ({ type: "hold", ...held });

/** Whether a creation is the same to the byte, but for secrets: a server refuses a key that comes with another body. */
const isSame = (intent: SentIntent, write: Write): boolean =>
  intent.body !== undefined &&
  (["operation", "address", "method", "path", "body"] as const).every((field) => intent[field] === write[field]);

function sumsOf({ outcomes }: Report) {
  const count = (is: Report["outcomes"][number]["outcome"]["is"]) =>
    outcomes.filter(({ outcome }) => outcome.is === is).length;
  return {
    done: count("done"),
    failed: count("failed"),
    blocked: count("blocked"),
    not_attempted: count("not_attempted"),
  };
}

/** Adds to the journal of an earlier apply that these held records need no put-back any more. Rejects where its place refuses. */
export async function releaseHeld(store: JournalStore, held: readonly HeldRecord[]): Promise<void> {
  if (held.length === 0) return;
  const lines = [...linesOf((await store.read()).parts())].map(String);
  const released = held.map(({ key }, index) =>
    sealLine(JSON.stringify({ type: "release", key }), lines.length + index + 1),
  );
  // The lines that end are written anew, for the last one may be cut off.
  const journal = await store.begin([...lines, ""].join("\n"));
  const failure = await journal.append([...released, ""].join("\n"), true);
  await journal.close();
  if (failure !== undefined) throw new Error(failure);
}

const messageOf = (error: unknown) => (error as Error).message;

/**
 * Begins a journal, which takes the place of an older one, with these records; the line of each is sealed (`seal-line.ts`). Lines of one turn
 * of the event loop, and those appended while the place is at work, are written together, so that many at once cost as much as one. Rejects
 * where the place refuses already.
 */
async function openGroupWriter(store: JournalStore, first: readonly JournalRecord[]) {
  let count = 0;
  const seal = (record: JournalRecord) => `${sealLine(JSON.stringify(record), (count += 1))}\n`;
  const lines = await store.begin(first.map(seal).join(""));
  let waiting: { readonly record: JournalRecord; readonly settle?: (failure: string | undefined) => void }[] = [];
  let turn: Promise<void> | undefined;
  let broken: string | undefined;
  const work = async () => {
    while (waiting.length > 0) {
      await nextTurn();
      const group = waiting;
      waiting = [];
      const text = group.map(({ record }) => seal(record)).join("");
      const isWaitedFor = group.some(({ settle }) => settle);
      const failure = await orElse(() => lines.append(text, isWaitedFor), messageOf);
      broken ??= failure;
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
    append: (record: JournalRecord) => new Promise<string | undefined>((settle) => add({ record, settle })),
    /** A line that nobody waits for: it outlives the process at once, a power failure once another line is waited for. */
    note: (record: JournalRecord) => add({ record }),
    /** Resolves when all is written, or cannot be. */
    close: async () => {
      await turn;
      // The report of this apply must not get lost: all that it waited for is written, and the next apply looks up the rest.
      await orElse(() => lines.close(), messageOf);
    },
  };
}
