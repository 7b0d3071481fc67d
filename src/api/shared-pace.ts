import type { Clock } from "../lib/repeat-until.ts";
import { holdTime, learnLimit, takeTokens, type Bucket, type LimitAnswer, type Work } from "./bucket.ts";

/** The pace of all who send requests to one origin: several runs, or several processes. */
export interface SharedPace {
  /** Waits until a request may be sent, or `stop` is aborted. Whoever cannot ask the others goes on at the pace of its own connection. */
  readonly take: (stop: AbortSignal) => Promise<void>;
  /** Takes in what an answer says of the limit. */
  readonly learned: (answer: LimitAnswer) => void;
}

/** The bucket that they share. `change` replaces it by what the function makes of it, and returns the result; `now`: its own clock. */
export interface SharedBucket {
  readonly change: <T>(
    work: (bucket: Bucket, now: number) => { readonly bucket: Bucket; readonly result: T },
  ) => Promise<T>;
}

/** The most tokens that are taken at once: asking for each would take a transaction a request. */
const most = 10;
/** Milliseconds for which a token may be held before it is used: a limit counts a minute, or longer. */
const longestHeld = holdTime(60);
/** Milliseconds between two answers of which what remains is passed on. */
const learnEvery = 500;

/** Sends at the pace of a bucket; whoever waits first goes first. */
export function sharedPace(shared: SharedBucket, work: Work, { now, sleep }: Clock): SharedPace {
  let [inHand, takenAt, batch] = [0, 0, 0];
  let last: Promise<void> = Promise.resolve();
  let learnedAt = Number.NEGATIVE_INFINITY;
  const takeBatch = () =>
    shared.change((bucket, time) => {
      const { bucket: next, count, wait } = takeTokens(bucket, batch, work, time);
      return { bucket: next, result: { count, wait } };
    });
  const takeOne = async (stop: AbortSignal) => {
    while (!stop.aborted) {
      if (inHand > 0 && now() - takenAt < longestHeld) {
        inHand -= 1;
        return;
      }
      // Tokens that were held too long are lost to all: a worker that sends little takes few.
      batch = inHand > 0 ? Math.max(1, batch - inHand) : Math.min(most, batch + 1);
      takenAt = now();
      const { count, wait } = await takeBatch().catch(() => ({ count: 1, wait: 0 }));
      inHand = count;
      if (count === 0) await sleep(wait, stop);
    }
  };
  return {
    take: (stop) => (last = last.then(() => takeOne(stop))),
    learned: (answer) => {
      const isFirst = learnedAt === Number.NEGATIVE_INFINITY;
      const isNews = answer.remaining !== undefined && now() - learnedAt >= learnEvery;
      if (!answer.refused && !isNews && !isFirst) return;
      learnedAt = now();
      if (answer.refused) inHand = 0;
      void shared
        .change((bucket, time) => ({ bucket: learnLimit(bucket, answer, time), result: undefined }))
        .catch(() => undefined);
    },
  };
}
