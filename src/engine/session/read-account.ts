import type { Reader } from "../../api/connection.ts";
import type { CollectionRef } from "../../kinds/derived/collection.ts";
import { readLive, type ListSource } from "../../live/read-live.ts";
import { accountCollections, everyCollection, possibleCollections } from "../../live/wanted-collections.ts";
import type { Contract } from "../../model/contract.ts";
import type { Result } from "../../model/failure.ts";
import type { Live } from "../../model/resource.ts";
import type { Session } from "./host.ts";

/**
 * Reads the account's own lists, then those below the objects that were found, until there are no more. Lists of records whose zones the
 * API does not list are asked for by the names of domains and services; those that do not exist are left out.
 * @param isWanted whether a list below those of the account is read. Default: all are.
 * @param known the lists that were read before. They are not read again.
 */
export async function readAccount(
  source: ListSource,
  contract: Contract,
  isWanted: (ref: CollectionRef) => boolean = () => true,
  known?: Live,
): Promise<Result<Live>> {
  let live = await readLive(source, contract, accountCollections(undefined), known);
  while (live.ok) {
    const { value }: { readonly value: Live } = live;
    const possible = possibleCollections(contract, value);
    const unread = [...everyCollection(contract, value), ...possible].filter(
      (ref) => isWanted(ref) && !value.collections.has(ref.id),
    );
    const guessed = possible.filter(({ id }) => known?.collections.has(id) !== true);
    if (unread.length === 0) return { ok: true, value: withoutMissing(value, new Set(guessed.map(({ id }) => id))) };
    live = await readLive(source, contract, unread, value);
  }
  return live;
}

function withoutMissing(live: Live, possible: ReadonlySet<string>): Live {
  const there = [...live.collections].filter(([id, { isMissing }]) => isMissing !== true || !possible.has(id));
  return { ...live, collections: new Map(there) };
}

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
