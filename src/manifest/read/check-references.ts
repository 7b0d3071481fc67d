import { kindOf, type Address } from "../../model/address.ts";
import { bodiesOf, referencesIn } from "../../model/body.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { didYouMean, nearest } from "../../model/nearest.ts";
import type { Resource } from "../../model/resource.ts";
import { diagnosticAt } from "../yaml/diagnostic-at.ts";
import { findCircle } from "./find-circle.ts";
import type { WrittenResource } from "./read-resources.ts";

/**
 * References to what is not declared, and those that wait for each other.
 * @param referring the resources that refer to others.
 */
export function checkReferences(
  referring: readonly WrittenResource[],
  written: ReadonlyMap<Address, WrittenResource>,
): Diagnostic[] {
  return [...referring.flatMap((each) => unknownReferences(each, written)), ...cycles(referring, written)];
}

const referencesOf = (resource: Resource): Address[] => referencesIn(bodiesOf(resource)).map(({ ref }) => ref);

function unknownReferences(
  { resource, keySpan }: WrittenResource,
  written: ReadonlyMap<Address, WrittenResource>,
): Diagnostic[] {
  return referencesOf(resource)
    .filter((address) => !written.has(address))
    .map((address) => {
      const ofKind = [...written.keys()].filter((other) => kindOf(other) === kindOf(address));
      const summary = `${resource.address} refers to ${address}, which no manifest declares`;
      const hint = didYouMean(nearest(address, ofKind), "") ?? "declare it, or check its spelling";
      return diagnosticAt(keySpan, { code: "unknown_reference", summary, hint });
    });
}

function cycles(referring: readonly WrittenResource[], written: ReadonlyMap<Address, WrittenResource>): Diagnostic[] {
  const done = new Set<Address>();
  const linksOf = (address: Address) => {
    const resource = written.get(address)?.resource;
    return resource ? referencesOf(resource) : [];
  };
  return referring.flatMap(({ resource, keySpan }) => {
    const circle = findCircle(resource.address, linksOf, done);
    if (!circle) return [];
    const summary = `Circular references: ${[...circle, circle[0]].join(" → ")}`;
    return diagnosticAt(keySpan, { code: "reference_cycle", summary, hint: "write one of the values out" });
  });
}
