import { fieldNames } from "../contract/spelling/read-field.ts";
import { expectedByApi, isLimited } from "../contract/taken-values.ts";
import type { Kind } from "../kinds/kind.ts";
import { getOrMake } from "../lib/collect.ts";
import type { Address } from "../model/address.ts";
import { openFields, openValue } from "../model/body.ts";
import type { Contract, KindContract } from "../model/contract.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Json } from "../model/json.ts";
import type { Body, Fields } from "../model/resource.ts";
import { diagnosticAt } from "./diagnostic-at.ts";
import { spanOfMember } from "./lint/span-of.ts";
import { spanAt } from "./read-body.ts";
import type { WrittenResource } from "./read-resources.ts";
import type { Span } from "./written.ts";

/** A value in normal form that is not secret. Its place: the key, the block itself, or the number of a member. */
interface PlacedValue {
  readonly field: string;
  readonly value: Json;
  readonly place: "key" | "block" | number;
  readonly siblings: Fields;
}

/** Finds the written values that the API does not take according to the contract: beyond its limits, without a word, or not spellable. */
export function checkTaken(written: ReadonlyMap<Address, WrittenResource>, contract: Contract): Diagnostic[] {
  const found: Diagnostic[] = [];
  const limited = new Map<Kind, ReadonlySet<string>>();
  for (const each of written.values()) {
    const { kind, resource } = each;
    const entry = contract.kinds[kind.name];
    if (!entry) continue;
    const fields = getOrMake(limited, kind, () => limitedFields(entry, kind));
    if (fields.size === 0) continue;
    const fieldScope = { entry, kind, key: resource.key };
    for (const { field, value, siblings, place } of valuesOf(each, fields)) {
      const expected = expectedByApi(fieldScope, field, value, siblings);
      if (expected === undefined) continue;
      const shown = JSON.stringify(value).slice(0, 200);
      const problem: Omit<Diagnostic, "at" | "frame"> = {
        severity: "error",
        code: "not_taken",
        summary: `${kind.name} ${field} cannot be ${shown}: the contract ${contract.name} does not allow it`,
        detail: `expected ${expected}`,
        hint: `write another value, or correct kinds.${kind.name}.fields.${field} in the contract`,
      };
      found.push(diagnosticAt(findSpan(each, field, place), problem));
    }
  }
  return found;
}

const limitedFields = (entry: KindContract, kind: Kind): ReadonlySet<string> =>
  new Set(fieldNames(entry).filter((name) => isLimited({ entry, kind }, name)));

/** Returns the values of some fields. */
function valuesOf({ kind, resource }: WrittenResource, names: ReadonlySet<string>): PlacedValue[] {
  const found: PlacedValue[] = [];
  const addOf = ({ fields }: Body, place: PlacedValue["place"]) => {
    for (const field in fields) {
      const value = names.has(field) ? openValue(fields[field]) : undefined;
      if (value !== undefined) found.push({ field, value, place, siblings: openFields(fields) });
    }
  };
  const ofKey = kind.naming.toFields(resource.key);
  for (const field in ofKey)
    if (names.has(field)) found.push({ field, value: ofKey[field] ?? null, place: "key", siblings: {} });
  addOf(resource, "block");
  resource.members?.forEach(addOf);
  return found;
}

function findSpan(written: WrittenResource, field: string, place: PlacedValue["place"]): Span {
  const { kind, keySpan, body } = written;
  if (place === "key") return keySpan;
  if (place !== "block") return spanOfMember(written, place, field);
  return spanAt(body, kind.members ? [field] : (kind.fields[field]?.from ?? field).split("."));
}
