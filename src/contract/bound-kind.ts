import { kindNamed } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import { type CollectionRef, locate } from "../kinds/derived/collection.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { Contract, KindContract } from "../model/contract.ts";
import type { Key } from "../model/resource.ts";

/** A kind with its entry in a contract. */
export interface BoundKind extends Kind {
  readonly entry: KindContract;
}

/** One list of a kind: its key parts select it. */
export type BoundList = Pick<CollectionRef<BoundKind>, "kind" | "scope">;

/** The object at an address. */
export interface BoundAddress {
  readonly address: Address;
  readonly kind: BoundKind;
  readonly key: Key;
}

const bound = new WeakMap<Contract, Map<string, BoundKind>>();

/** Returns a kind with its entry in a contract, the same one each time. Throws for a kind that the API lacks: such kinds are never read or planned. */
export function bindKind(contract: Contract, name: string): BoundKind {
  const kinds = bound.get(contract) ?? new Map<string, BoundKind>();
  const known = kinds.get(name);
  if (known) return known;
  const entry = contract.kinds[name];
  if (!entry) throw new Error(`The contract ${contract.name} has no entry for ${name}`);
  const kind = { ...kindNamed(name), entry };
  bound.set(contract, kinds.set(name, kind));
  return kind;
}

/** Returns what an address names. Throws for a kind that the API lacks. */
export const bindAddress = (contract: Contract, address: Address): BoundAddress => ({
  address,
  kind: bindKind(contract, kindOf(address)),
  key: locate(address).key,
});
