import { makeRequestQueue } from "../../src/api/request-queue.ts";

/** Answers a request at a time (milliseconds): undefined, or the milliseconds that a client it refuses is to wait. */
export type LimitedServer = (time: number) => number | undefined;

interface Simulated {
  readonly milliseconds: number;
  /** Shares of all requests. */
  readonly refused: number;
}

/**
 * Sends calls through a request queue by ten lanes to a server, in a time that passes from event to event. Milliseconds: `idle` before the
 * first call, `rest` before each, and `gap` without requests after the first `before` calls.
 */
export async function simulate(
  server: LimitedServer,
  {
    calls,
    latency,
    idle = 0,
    rest = 0,
    before = 0,
    gap = 0,
  }: Readonly<Record<"calls" | "latency", number>> &
    Readonly<Partial<Record<"idle" | "rest" | "before" | "gap", number>>>,
): Promise<Simulated> {
  const events: { readonly at: number; readonly resolve: () => void }[] = [];
  let time = 0;
  const sleep = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      events.push({ at: time + Math.max(0, milliseconds), resolve });
    });
  const queue = makeRequestQueue(10, { now: () => time, sleep }, new AbortController().signal);
  time = idle;
  let [waiting, done, refused] = [calls, 0, 0];
  const send = async (again: boolean): Promise<void> => {
    const ticket = await queue.enter({ write: true, again });
    await sleep(latency);
    const pause = server(time);
    if (ticket) queue.leave(ticket, { refused: pause !== undefined, remaining: undefined, pause });
    if (pause === undefined) done += 1;
    else {
      refused += 1;
      await send(true);
    }
  };
  const pause = sleep(before === 0 ? 0 : idle + gap);
  const lane = async () => {
    while (waiting > 0) {
      waiting -= 1;
      if (calls - waiting > before) await pause;
      if (rest > 0) await sleep(rest);
      await send(false);
    }
  };
  const lanes = Promise.all(Array.from({ length: 10 }, lane));
  for (;;) {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    if (done === calls) break;
    const first = events.reduce((least, event, index) => (event.at < (events[least]?.at ?? 0) ? index : least), 0);
    const [event] = events.splice(first, 1);
    time = event?.at ?? time;
    event?.resolve();
  }
  await lanes;
  return { milliseconds: time - idle, refused: refused / (calls + refused) };
}
