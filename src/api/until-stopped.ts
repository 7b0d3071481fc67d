import type { Connection, Reader } from "./connection.ts";
import { stoppedBefore } from "./stopped-before.ts";

/** Wraps a reader so that pending reads end as soon as the run is stopped. For reads that only decide what to send next. */
export function untilStopped({ get, stop }: Pick<Connection, "get" | "stop">): Reader {
  const stopped = new Promise<undefined>((resolve) => {
    stop.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  return {
    get: async (request) => {
      const answer = stop.aborted ? undefined : await Promise.race([get(request), stopped]);
      return answer ?? { ok: false, error: stoppedBefore({ method: "GET", path: request.path }, undefined) };
    },
  };
}
