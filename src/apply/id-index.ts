import { collectionOf } from "../kinds/derived/collection.ts";
import { locate } from "../kinds/derived/locate.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Address } from "../model/address.ts";
import type { Key, Live, RemoteId } from "../model/resource.ts";
import type { CreatedObject, RunContext } from "./run-context.ts";

/** Maps the id of each live object to its address, at the start of a run. */
export function indexIds({ resources }: Live): RunContext["owners"] {
  return new Map(
    [...resources.values()].flatMap(({ kind, key, address, remotes }) =>
      remotes.map(({ id }) => [entryFor(kindNamed(kind), key, id), address] as const),
    ),
  );
}

/** Keeps an object that this run has made or written. */
export function keep({ made, owners }: RunContext, address: Address, object: CreatedObject): void {
  const { kind, key } = locate(address);
  made.set(address, object);
  owners.set(entryFor(kind, key, object.id), address);
}

/** An object is gone, and its id may be given to another. */
export function letGo({ owners }: RunContext, address: Address, id: string): void {
  const { kind, key } = locate(address);
  owners.delete(entryFor(kind, key, id));
}

/** Whether an id may be that of something new under an address: nothing else of its list has it. */
export function isFree({ owners }: Pick<RunContext, "owners">, address: Address, id: RemoteId): boolean {
  const { kind, key } = locate(address);
  const owner = owners.get(entryFor(kind, key, id));
  return owner === undefined || (owner === address && !kind.members);
}

const entryFor = (kind: Kind, key: Key, id: string) => `${collectionOf(kind, key).id} ${id}`;
