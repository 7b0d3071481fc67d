/**
 * The pace of requests, learnt from a server that refuses some for being too many and does not state its limit before. Pure; all times
 * are milliseconds, points in time since the epoch.
 */
export interface Pace {
  /** Between the starts of two requests; 0 until a refusal has shown the server's rate. */
  readonly interval: number;
  /** The longest interval: a server that refuses at random is not to be sent ever less. */
  readonly longest: number;
  /** The share by which the last refusal at this pace made it slower. 0 before the first, which proves the rate to a few hundredths. */
  readonly slowdown: number;
  /** When requests begin again after the last refusal. */
  readonly resumed: number;
  /** The answers of the server since it was asked first, or since the pace was refused last. */
  readonly whole: Count;
  /** The same since requests were last sent after a time without any. */
  readonly busy: Count;
}

/** Answers that were no refusal, and the time from which they are counted. */
interface Count {
  readonly since: number;
  readonly answered: number;
}

/** A server that counts over a longer time refuses seldom: it is sent all that it takes at once, and waited for. */
const longestWindow = 5_000;
/** Fewer answers than this show no rate. */
const fewest = 10;
/** A refusal so soon after a pause says that the pause was too short, not that the pace was too fast: the measurement goes on. */
const soon = 1_000;
/**
 * So much slower than the measured rate, than an unproven and than a proven pace that was refused. Of a pace that is refused again in less
 * than twice the time for which it was stopped, much is missing: then twice as much as the last time, and no more than `most`.
 */
const slower = { measured: 0.02, unproven: 0.03, proven: 0.015, most: 0.12 };
/**
 * A pace gains this share of its speed times the third power of the seconds since the last refusal: an unproven one 3 % in ten seconds, as
 * a first measurement may be far too low; a proven one 2 % in 45 and the double in 150, as each refusal costs a pause.
 */
const growth = { unproven: 3e-5, proven: 2e-7 };

export const noPace = (now: number): Pace => ({
  interval: 0,
  longest: 0,
  slowdown: 0,
  resumed: now,
  whole: { since: now, answered: 0 },
  busy: { since: now, answered: 0 },
});

/** Returns the pace after a time without requests: it shows no rate. */
export const paceAfterIdling = (pace: Pace, now: number): Pace => ({ ...pace, busy: { since: now, answered: 0 } });

/** Returns the pace after an answer that was no refusal. */
export function paceAfterAnswer(pace: Pace, now: number): Pace {
  const counts = { whole: oneMore(pace.whole), busy: oneMore(pace.busy) };
  if (pace.interval === 0) return { ...pace, ...counts };
  const rested = Math.max(0, now - pace.resumed) / 1000;
  const gain = 3 * (pace.slowdown > 0 ? growth.proven : growth.unproven) * rested ** 2;
  const interval = pace.interval * Math.max(0.5, 1 - (gain * pace.interval) / 1000);
  return { ...pace, ...counts, interval: interval < 1 ? 0 : interval };
}

const oneMore = ({ since, answered }: Count): Count => ({ since, answered: answered + 1 });

/** A refusal for too many requests: of several that come together, only the first is to be given. */
interface Refusal {
  /** Milliseconds until requests begin again. */
  readonly pause: number;
  /** Requests that the server has answered in the second before. */
  readonly lastSecond: number;
}

/** Returns the pace after a refusal. */
export function paceAfterRefusal(pace: Pace, now: number, { pause, lastSecond }: Refusal): Pace {
  const { interval, longest, slowdown: last, whole, busy } = pace;
  const resumed = now + pause;
  const isSoon = whole.since < pace.resumed && now - pace.resumed < soon;
  if (interval > 0 && !isSoon) {
    const begun = { since: resumed, answered: 0 };
    const isAgain = now - pace.resumed < 2 * pause;
    const least = last > 0 ? slower.proven : slower.unproven;
    const slowdown = isAgain ? Math.max(least, Math.min(2 * last, slower.most)) : least;
    return {
      ...pace,
      interval: Math.min(longest, interval * (1 + slowdown)),
      slowdown,
      resumed,
      whole: begun,
      busy: begun,
    };
  }
  // One window of a server may hold the end of the reads and, after a while, the first writes. One that counts for longer asks for more.
  const countsSeconds = !isSoon && pause >= 1000 && pause < 2000;
  const second = { since: resumed - 1000, answered: countsSeconds ? lastSecond : 0 };
  const measured = [whole, busy, second].flatMap((count) => measure(count, resumed, pause));
  if (measured.length === 0) return { ...pace, resumed };
  const shortest = Math.min(...measured);
  return { ...pace, interval: Math.max(interval, shortest), longest: Math.max(longest, 4 * shortest), resumed };
}

/** Returns the interval that a count shows; none if it shows no rate. */
function measure({ since, answered }: Count, resumed: number, pause: number): readonly number[] {
  const window = windowOf(resumed - since, pause);
  return answered >= fewest && window <= longestWindow ? [((1 + slower.measured) * window) / answered] : [];
}

/** Returns the time over which a server has counted. One that asks for a wait does so in whole seconds, rounded up, and counts by them. */
const windowOf = (span: number, pause: number): number => (pause < 1000 ? span : Math.floor(span / 1000) * 1000);
