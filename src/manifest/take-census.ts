import type { Census } from "../kinds/kind.ts";
import type { Address } from "../model/address.ts";
import { getOrMake } from "../lib/collect.ts";
import type { WrittenResource } from "./read-resources.ts";

/** Counts the declared resources by parts of their addresses. */
export function takeCensus(written: ReadonlyMap<Address, WrittenResource>): Census {
  const stems = new Set<string>();
  const shared = new Set<string>();
  const lastParts = new Map<string, Set<string>>();
  const aboveZones = new Set<string>();
  // Most resources follow one of the same list.
  let list = "/";
  let parts = new Set<string>();
  const partsBeside = (address: Address) => {
    if (address.startsWith(list)) return parts;
    list = listOf(address);
    parts = getOrMake(lastParts, list, () => new Set());
    return parts;
  };
  for (const { resource, kind } of written.values()) {
    const { address } = resource;
    if (resource.kind === "dns_zone") addNamesAbove(aboveZones, resource.key["name"] ?? "");
    if (!kind.members) continue;
    const last = address.lastIndexOf("/");
    const stem = address.slice(0, last);
    if (stems.size === stems.add(stem).size) shared.add(stem);
    partsBeside(address).add(address.slice(last + 1));
  }
  return {
    isAlone: (address) => !shared.has(address.slice(0, address.lastIndexOf("/"))),
    lastPartsBeside: partsBeside,
    isAboveZone: (name) => aboveZones.has(name),
  };
}

/** Returns the kind and the first part of an address, with the slash behind it. */
const listOf = (address: Address): string => {
  const second = address.indexOf("/", address.indexOf("/") + 1);
  return second < 0 ? `${address}/` : address.slice(0, second + 1);
};

function addNamesAbove(names: Set<string>, name: string): void {
  for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) names.add(name.slice(dot + 1));
}
