import type { Reader } from "../api/connection.ts";
import type { Emit } from "./events.ts";
import type { Host } from "./host.ts";

/** Milliseconds between two signs of progress. */
const patience = 5000;

/** Says from time to time how much is read: an account of 60 domains has some 500 lists, and a server may let only a few a second pass. */
export function withProgress(get: Reader["get"], io: Host, emit: Emit): Reader["get"] {
  let reads = 0;
  let last = io.now();
  return async (request) => {
    const answer = await get(request);
    reads += 1;
    if (io.now() - last >= patience) {
      last = io.now();
      emit({ type: "reading", reads });
    }
    return answer;
  };
}
