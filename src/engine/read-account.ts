import type { Kind } from "../kinds/kind.ts";
import { readLive, type ListSource } from "../live/read-live.ts";
import { accountCollections, everyCollection } from "../live/wanted-collections.ts";
import type { Contract } from "../model/contract.ts";
import type { Result } from "../model/failure.ts";
import type { Live } from "../model/resource.ts";

/** Reads the account's own lists, then those below the objects that were found, until there are no more. */
export async function readAccount(
  source: ListSource,
  contract: Contract,
  isWanted: (kind: Kind) => boolean = () => true,
): Promise<Result<Live>> {
  let live = await readLive(source, contract, accountCollections(undefined));
  while (live.ok) {
    const { collections } = live.value;
    const unread = everyCollection(contract, live.value).filter(
      ({ id, kind }) => isWanted(kind) && !collections.has(id),
    );
    if (unread.length === 0) return live;
    live = await readLive(source, contract, unread, live.value);
  }
  return live;
}
