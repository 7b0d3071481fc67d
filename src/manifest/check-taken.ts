import { expectedByApi } from "../contract/taken-values.ts";
import type { Address } from "../model/address.ts";
import { openFields, openValue } from "../model/body.ts";
import type { Contract } from "../model/contract.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Json } from "../model/json.ts";
import type { Body } from "../model/resource.ts";
import { diagnosticAt } from "./diagnostic-at.ts";
import { spanAt, type Path } from "./read-body.ts";
import type { WrittenResource } from "./read-resources.ts";
import { toJson, type Span } from "./written.ts";

/** A value in normal form that is not secret, and its place. */
interface PlacedValue {
  readonly field: string;
  readonly value: Json;
  readonly findSpan: () => Span;
  readonly siblings: Body;
}

/** Finds the written values that the API does not take according to the contract: beyond its limits, without a word, or not spellable. */
export function checkTaken(written: ReadonlyMap<Address, WrittenResource>, contract: Contract): Diagnostic[] {
  return [...written.values()].flatMap((each) => {
    const { kind, resource } = each;
    const entry = contract.kinds[kind.name];
    if (!entry) return [];
    const spelt = { entry, kind, key: resource.key };
    return [...keyValues(each), ...bodyValues(each)].flatMap(({ field, value, findSpan, siblings }) => {
      const expected = expectedByApi(spelt, field, value, openFields(siblings.fields));
      if (expected === undefined) return [];
      const shown = JSON.stringify(value).slice(0, 200);
      return diagnosticAt(findSpan(), {
        severity: "error",
        code: "not_taken",
        summary: `${kind.name} ${field} cannot be ${shown}: the API does not take it, as the contract ${contract.name} has it`,
        detail: `expected ${expected}`,
        hint: `write another value, or correct kinds.${kind.name}.fields.${field} in the contract`,
      });
    });
  });
}

function keyValues({ kind, resource, keySpan }: WrittenResource): PlacedValue[] {
  return Object.entries(kind.naming.toFields(resource.key)).map(([field, value]) => ({
    field,
    value,
    findSpan: () => keySpan,
    siblings: { fields: {} },
  }));
}

function bodyValues({ kind, resource, body: node }: WrittenResource): PlacedValue[] {
  const pathOf = (member: number) => kind.members?.read(toJson(node) ?? null, resource.key).members[member]?.path;
  const values = (body: Body, findPath: () => Path) =>
    Object.entries(body.fields).flatMap(([field, desired]): PlacedValue[] => {
      const value = openValue(desired);
      if (value === undefined) return [];
      const own = kind.members ? [field] : (kind.fields[field]?.from ?? field).split(".");
      return [{ field, value, findSpan: () => spanAt(node, [...findPath(), ...own]), siblings: body }];
    });
  return [
    ...values(resource, () => []),
    ...(resource.members ?? []).flatMap((member, index) => values(member, () => pathOf(index) ?? [])),
  ];
}
