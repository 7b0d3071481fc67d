import { bucketFor, takeTokens, type Bucket, type Work } from "../../src/api/bucket.ts";

/** A job of a simulated fleet: so many requests to a host, one after another. */
export interface SimulatedJob {
  readonly host: number;
  readonly work: Work;
  readonly requests: number;
  /** Milliseconds after the start at which it is put into the queue. */
  readonly queued: number;
}

export interface SimulatedFleet {
  readonly hosts: readonly { readonly limit: number; readonly window: number }[];
  readonly jobs: readonly SimulatedJob[];
  readonly workers: number;
  /** Jobs that a worker does at once. */
  readonly slots: number;
  /** Milliseconds from a request to its answer. */
  readonly latency: () => number;
}

export interface SimulatedRun {
  /** Milliseconds until the last job ended. */
  readonly total: number;
  /** When each job ended; in the order of the jobs. */
  readonly ended: readonly number[];
  /** Requests that a host saw beyond its limit in its window, whenever that begins. */
  readonly refused: number;
}

/** A list of which the first in the order is taken. */
class Heap<T> {
  readonly #items: T[] = [];
  readonly #isBefore: (a: T, b: T) => boolean;

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  first(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    for (
      let above = items[(at - 1) >> 1];
      at > 0 && above && this.#isBefore(item, above);
      above = items[(at - 1) >> 1]
    ) {
      items[at] = above;
      at = (at - 1) >> 1;
    }
    items[at] = item;
  }

  pop(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    let at = 0;
    for (;;) {
      const below = this.#firstOf(2 * at + 1, 2 * at + 2);
      const item = items[below];
      if (item === undefined || !this.#isBefore(item, last)) break;
      items[at] = item;
      at = below;
    }
    items[at] = last;
    return first;
  }

  #firstOf(one: number, other: number): number {
    const [a, b] = [this.#items[one], this.#items[other]];
    return a !== undefined && b !== undefined && this.#isBefore(b, a) ? other : one;
  }
}

/** A host, with its bucket and the times of its last requests, as many as its limit. */
interface Host {
  readonly limit: number;
  readonly window: number;
  readonly times: Float64Array;
  bucket: Bucket;
  sent: number;
}

/** The requests of one worker to one host that wait for tokens. */
interface Line {
  readonly host: Host;
  readonly waiting: Heap<Job>;
  isAsking: boolean;
}

interface Worker {
  readonly lines: readonly Line[];
  free: number;
}

/** A job with the requests that it still sends. */
interface Job extends SimulatedJob {
  readonly place: number;
  rest: number;
  ended: number;
}

/** The first goes before the others. */
const order: readonly Work[] = ["recovery", "apply", "plan", "drift"];

/** Runs a fleet in virtual time: the database is the queue and the buckets, and costs none. */
export function simulateFleet({ latency, ...fleet }: SimulatedFleet): SimulatedRun {
  const isBefore = (a: Job, b: Job) => (order.indexOf(a.work) - order.indexOf(b.work) || a.place - b.place) < 0;
  const jobs = fleet.jobs.map((job, place): Job => ({ ...job, place, rest: job.requests, ended: -1 }));
  const hosts = fleet.hosts.map(({ limit, window }): Host => ({
    limit,
    window,
    times: new Float64Array(limit).fill(-Infinity),
    bucket: bucketFor(limit, window, 0),
    sent: 0,
  }));
  const workers = Array.from({ length: fleet.workers }, (): Worker => ({
    lines: hosts.map((host) => ({ host, waiting: new Heap(isBefore), isAsking: false })),
    free: fleet.slots,
  }));
  const events = new Heap<{ readonly time: number; readonly run: () => void }>((a, b) => a.time < b.time);
  const queue = new Heap(isBefore);
  let now = 0;
  let refused = 0;

  const claim = () => {
    for (;;) {
      const worker = workers.reduce((a, b) => (b.free > a.free ? b : a));
      const job = worker.free > 0 ? queue.pop() : undefined;
      if (job === undefined) return;
      worker.free -= 1;
      ask(worker, job);
    }
  };
  const ask = (worker: Worker, job: Job) => {
    const line = worker.lines[job.host];
    if (line === undefined) throw new Error(`there is no host ${job.host}`);
    line.waiting.push(job);
    if (!line.isAsking) serve(worker, line);
  };
  const serve = (worker: Worker, line: Line) => {
    const { host, waiting } = line;
    for (let job = waiting.first(); job; job = waiting.first()) {
      const { bucket, count, wait } = takeTokens(host.bucket, 1, job.work, now);
      host.bucket = bucket;
      line.isAsking = count === 0;
      if (line.isAsking) return events.push({ time: now + Math.max(1, wait), run: () => serve(worker, line) });
      waiting.pop();
      send(worker, host, job);
    }
    line.isAsking = false;
  };
  const send = (worker: Worker, host: Host, job: Job) => {
    const place = host.sent % host.limit;
    if (now - (host.times[place] ?? 0) < 1000 * host.window) refused += 1;
    host.times[place] = now;
    host.sent += 1;
    job.rest -= 1;
    events.push({
      time: now + latency(),
      run: () => {
        if (job.rest > 0) return ask(worker, job);
        job.ended = now;
        worker.free += 1;
        claim();
      },
    });
  };

  for (const time of new Set(jobs.map(({ queued }) => queued)))
    events.push({
      time,
      run: () => {
        for (const job of jobs) if (job.queued === time) queue.push(job);
        claim();
      },
    });
  for (let event = events.pop(); event; event = events.pop()) {
    now = event.time;
    event.run();
  }
  return { total: now, ended: jobs.map(({ ended }) => ended), refused };
}
