import type { Kind } from "../kinds/kind.ts";
import type { Contract } from "../model/contract.ts";
import { matchesGlob } from "../model/glob.ts";
import type { Key } from "../model/resource.ts";

/** A part of a natural key whose value the contract does not list. */
export interface UnlistedValue {
  readonly field: string;
  readonly value: string;
  /** The values that the contract lists. */
  readonly values: readonly string[];
}

/** Returns the part of a key that the API does not take according to the contract; undefined if it takes all of them. */
export function unlistedValue(contract: Contract, kind: Kind, key: Key): UnlistedValue | undefined {
  return listedParts(contract, kind, key).find(
    ({ value, values }) => !values.some((each) => each === value || (each.includes("*") && matchesGlob(each, value))),
  );
}

/** Whether the contract lists every such part of a key by its full name, not by a pattern. */
export const isListedByName = (contract: Contract, kind: Kind, key: Key): boolean =>
  listedParts(contract, kind, key).every(({ value, values }) => values.includes(value));

function listedParts(contract: Contract, kind: Kind, key: Key): UnlistedValue[] {
  return Object.entries(kind.fields).flatMap(([field, { listed }]) => {
    const values = listed && contract.kinds[kind.name]?.fields[field]?.values;
    return values ? [{ field, value: key[field] ?? "", values }] : [];
  });
}
