import type { CollectionRef } from "../../kinds/derived/collection.ts";
import { readLive, type ListSource } from "../../live/read-live.ts";
import { accountCollections, everyCollection, possibleCollections } from "../../live/wanted-collections.ts";
import type { Contract } from "../../model/contract.ts";
import type { Result } from "../../model/failure.ts";
import type { Live } from "../../model/resource.ts";

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
