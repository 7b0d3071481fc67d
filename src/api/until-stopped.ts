import type { Connection, Reader } from "./connection.ts";
import { stoppedBefore } from "./stopped-before.ts";

/** A reader that waits for no answer any more once the run is stopped: for what is only read to decide what to send. */
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
