import { getOrMake } from "../lib/collect.ts";
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
  for (const field of listedFields(kind)) {
    const values = contract.kinds[kind.name]?.fields[field]?.values;
    const value = key[field] ?? "";
    if (!values || values.includes(value)) continue;
    if (!values.some((each) => each.includes("*") && matchesGlob(each, value))) return { field, value, values };
  }
  return undefined;
}

/** Whether the contract lists every such part of a key by its full name, not by a pattern. */
export const isListedByName = (contract: Contract, kind: Kind, key: Key): boolean =>
  listedFields(kind).every(
    (field) => contract.kinds[kind.name]?.fields[field]?.values?.includes(key[field] ?? "") !== false,
  );

const listedFields = ({ fields }: Kind): readonly string[] =>
  getOrMake(listedByKind, fields, () => Object.keys(fields).filter((field) => fields[field]?.listed !== undefined));

// A cache only.
const listedByKind = new WeakMap<Kind["fields"], readonly string[]>();
