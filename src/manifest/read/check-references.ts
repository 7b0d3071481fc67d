import { kindOf, type Address } from "../../model/address.ts";
import { bodiesOf, referencesIn } from "../../model/body.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { nearest } from "../../model/nearest.ts";
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
      const near = nearest(
        address,
        [...written.keys()].filter((other) => kindOf(other) === kindOf(address)),
      );
      const summary = `${resource.address} refers to ${address}, which no manifest declares`;
      const hint = near === undefined ? "declare it, or check its spelling" : `did you mean ${near}?`;
      return diagnosticAt(keySpan, { code: "unknown_reference", summary, hint });
    });
}

function cycles(referring: readonly WrittenResource[], written: ReadonlyMap<Address, WrittenResource>): Diagnostic[] {
  const done = new Set<Address>();
  return referring.flatMap(({ resource, keySpan }) => {
    const cycle = done.has(resource.address) ? undefined : findCycle(resource.address, written, done);
    if (!cycle) return [];
    const summary = `Circular references: ${cycle.join(" → ")}`;
    return [
      diagnosticAt(keySpan, {
        code: "reference_cycle",
        summary,
        hint: "write one of the values out",
      }),
    ];
  });
}

/** Follows references from an address, depth first; what was followed before is not followed again. */
function findCycle(
  start: Address,
  written: ReadonlyMap<Address, WrittenResource>,
  done: Set<Address>,
): Address[] | undefined {
  const path: { readonly address: Address; readonly open: Address[] }[] = [];
  const enter = (address: Address) => {
    const resource = written.get(address)?.resource;
    path.push({ address, open: resource ? referencesOf(resource) : [] });
  };
  enter(start);
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const next = top.open.shift();
    if (next === undefined) {
      done.add(top.address);
      path.pop();
      continue;
    }
    const open = path.findIndex(({ address }) => address === next);
    if (open >= 0) {
      // One circle is reported once, not from each of its members.
      for (const { address } of path) done.add(address);
      return [...path.slice(open).map(({ address }) => address), next];
    }
    if (!done.has(next)) enter(next);
  }
  return undefined;
}
