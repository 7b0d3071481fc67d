import { rm } from "node:fs/promises";
import type { Result } from "../../model/failure.ts";
import type { StepId } from "../../model/plan.ts";
import type { Report } from "../../model/report.ts";
import { openGroupWriter } from "./group-writer.ts";
import type { Begin, Ended, Intent, JournalRecord, Write } from "./record.ts";

/** What an apply is about to send and has sent, kept where it outlives the process. */
export interface Journal {
  /** Resolves when it is on the disk, with its number; or with why it is not, and then it must not be sent. */
  readonly intend: (write: Write) => Promise<Result<number, string>>;
  /** What came of it. Nobody waits for the disk: without it the next apply only looks once more. */
  readonly ended: (n: number, outcome: Ended) => void;
  /** What became of all that a step has sent so far is known by now. */
  readonly settled: (step: StepId, is: "done" | "failed") => void;
  /** The Idempotency-Key that an earlier apply sent the same creation with; given once. */
  readonly keyOf: (write: Write) => string | undefined;
}

export interface OpenJournal extends Journal {
  /**
   * Ends it: it is removed where no write is left of which it is not known what came of it. What an earlier apply has left stays where
   * this one has sent nothing.
   */
  readonly close: (report: Report | undefined) => Promise<void>;
}

/**
 * Opens a journal in a file, which takes the place of what is there with the first intent. Throws where the disk refuses already.
 * @param again intents of an earlier apply whose creations were not done.
 */
export async function writeJournal(
  path: string,
  begin: Begin,
  again: readonly Intent[],
  now: () => number,
): Promise<OpenJournal> {
  const writer = await openGroupWriter(path, JSON.stringify(begin));
  const open = new Map<number, StepId>();
  const unused = new Set(again);
  let count = 0;
  const append = (record: JournalRecord) => writer.append(JSON.stringify(record));
  const ended: Journal["ended"] = (n, outcome) => {
    if (outcome.is !== "unknown") open.delete(n);
    writer.note(JSON.stringify({ type: "outcome", n, ...outcome } satisfies JournalRecord));
  };
  return {
    intend: async (write) => {
      const n = (count += 1);
      const failure = await append({ type: "intent", n, at: new Date(now()).toISOString(), ...write });
      if (failure !== undefined) return { ok: false, error: failure };
      open.set(n, write.step);
      return { ok: true, value: n };
    },
    ended,
    settled: (step, is) => {
      for (const [n, of] of open) if (of === step) ended(n, { is });
    },
    keyOf: (write) => {
      const same = [...unused].find((intent) => isSame(intent, write));
      if (same) unused.delete(same);
      return same?.key;
    },
    close: async (report) => {
      if (report && open.size > 0) await append({ type: "end", ...sumsOf(report) });
      await writer.close();
      if (open.size === 0 && count > 0) await rm(path, { force: true });
    },
  };
}

/** Whether a creation is the same to the byte, but for secrets: a server refuses a key that comes with another body. */
const isSame = (intent: Intent, write: Write): boolean =>
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
