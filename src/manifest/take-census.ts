import type { Census } from "../kinds/kind.ts";
import type { Address } from "../model/address.ts";
import { getOrMake } from "../lib/collect.ts";
import type { WrittenResource } from "./read-resources.ts";

/** Counts the declared resources by parts of their addresses. */
export function takeCensus(written: ReadonlyMap<Address, WrittenResource>): Census {
  const besides = new Map<string, number>();
  const lastParts = new Map<string, Set<string>>();
  const aboveZones = new Set<string>();
  // Most resources follow one of the same list.
  let list = "/";
  let parts = new Set<string>();
  for (const { resource, kind } of written.values()) {
    const { address } = resource;
    if (resource.kind === "dns_zone") addNamesAbove(aboveZones, resource.key["name"] ?? "");
    if (!kind.members) continue;
    const last = address.lastIndexOf("/");
    const stem = address.slice(0, last);
    besides.set(stem, (besides.get(stem) ?? 0) + 1);
    if (!address.startsWith(list)) {
      list = listOf(address);
      parts = getOrMake(lastParts, list, () => new Set());
    }
    parts.add(address.slice(last + 1));
  }
  return {
    isAlone: (address) => (besides.get(address.slice(0, address.lastIndexOf("/"))) ?? 0) < 2,
    lastPartsBeside: (address) => lastParts.get(listOf(address)) ?? none,
    isAboveZone: (name) => aboveZones.has(name),
  };
}

const none: ReadonlySet<string> = new Set();

/** Returns the kind and the first part of an address, with the slash behind it. */
const listOf = (address: Address): string => {
  const second = address.indexOf("/", address.indexOf("/") + 1);
  return second < 0 ? `${address}/` : address.slice(0, second + 1);
};

function addNamesAbove(names: Set<string>, name: string): void {
  for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) names.add(name.slice(dot + 1));
}
