import { getOrMake, groupBy } from "../../lib/collect.ts";
import { kindOf, type Address } from "../../model/address.ts";
import { bodiesOf, referencesIn } from "../../model/body.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { didYouMean, newSuggester } from "../../model/nearest.ts";
import type { Resource } from "../../model/resource.ts";
import { diagnosticAt } from "../yaml/diagnostic-at.ts";
import type { WrittenResource } from "./read-resources.ts";

/**
 * References to what is not declared, and those that wait for each other.
 * @param referring the resources that refer to others.
 */
export function checkReferences(
  referring: readonly WrittenResource[],
  written: ReadonlyMap<Address, WrittenResource>,
): Diagnostic[] {
  const suggest = addressSuggester(written);
  return [...referring.flatMap((each) => unknownReferences(each, written, suggest)), ...cycles(referring, written)];
}

const referencesOf = (resource: Resource): Address[] => referencesIn(bodiesOf(resource)).map(({ ref }) => ref);

function unknownReferences(
  { resource, keySpan }: WrittenResource,
  written: ReadonlyMap<Address, WrittenResource>,
  suggest: ReturnType<typeof addressSuggester>,
): Diagnostic[] {
  return referencesOf(resource)
    .filter((address) => !written.has(address))
    .map((address) => {
      const summary = `${resource.address} refers to ${address}, which no manifest declares`;
      const hint = didYouMean(suggest(address), "") ?? "declare it, or check its spelling";
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

/** Finds the declared address that is near to a missing one. Each is looked for once, however many resources name it. */
export function addressSuggester(written: ReadonlyMap<Address, unknown>): (missing: Address) => string | undefined {
  const suggest = newSuggester();
  const known = new Map<Address, { readonly near: string | undefined }>();
  let byKind: ReadonlyMap<string, readonly Address[]> | undefined;
  return (missing) => {
    byKind ??= groupBy(written.keys(), kindOf);
    const ofKind = byKind.get(kindOf(missing)) ?? [];
    return getOrMake(known, missing, () => ({ near: suggest(missing, ofKind) })).near;
  };
}

/**
 * Follows links from a start, depth first, and returns the first circle found.
 * @param done what was followed before, and is not followed again; one circle is so reported once, not from each of its members.
 */
export function findCircle<T>(start: T, linksOf: (from: T) => readonly T[], done: Set<T>): readonly T[] | undefined {
  const path: { readonly at: T; readonly open: T[] }[] = [];
  const places = new Map<T, number>();
  const enter = (at: T) => {
    if (!done.has(at)) places.set(at, path.push({ at, open: [...linksOf(at)] }) - 1);
  };
  enter(start);
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const next = top.open.shift();
    if (next === undefined) {
      done.add(top.at);
      path.pop();
      continue;
    }
    const open = done.has(next) ? undefined : places.get(next);
    if (open !== undefined) {
      for (const { at } of path) done.add(at);
      return path.slice(open).map(({ at }) => at);
    }
    enter(next);
  }
  return undefined;
}
