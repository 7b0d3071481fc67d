import type { Reader } from "../../api/connection.ts";
import type { ListSource } from "../../live/read-live.ts";
import type { Session } from "./host.ts";

/** Milliseconds between two signs of progress. */
const progressEvery = 5000;

/** Says from time to time how much is read: an account of 60 domains has some 500 lists, and a server may let only a few a second pass. */
export function withProgress(source: ListSource, io: Session): ListSource {
  // A snapshot is read at once.
  if (!("get" in source)) return source;
  let reads = 0;
  let last = io.now();
  const counted: Reader["get"] = async (request) => {
    const answer = await source.get(request);
    reads += 1;
    if (io.now() - last >= progressEvery) {
      last = io.now();
      io.emit({ type: "reading", reads });
    }
    return answer;
  };
  return reportLists({ get: counted }, io);
}

/** Returns a source that reports how many of the lists are read. */
export const reportLists = ({ get }: Reader, { emit }: Pick<Session, "emit">): ListSource & Reader => ({
  get,
  onLists: (lists) => emit({ type: "reading_lists", ...lists }),
});
