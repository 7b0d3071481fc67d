import type { Key } from "../../model/resource.ts";
import { normaliseDomain } from "../shared/domain-name.ts";

/**
 * Returns a name relative to its zone. One that ends in the zone's name is whole, with or without a final dot; one that would read as
 * another without its zone (`_dmarc.hack.af` in hack.af) keeps it, and its final dot. So does a name outside the zone.
 */
export function relativeName(name: string, zone: string): string {
  const text = normaliseDomain(name);
  if (text === "" || text === "@" || text === zone) return "@";
  if (!isBelow(text, zone)) return name.trim().endsWith(".") ? `${text}.` : text;
  const relative = text.slice(0, -zone.length - 1);
  return isWholeName(relative, zone) ? `${text}.` : relative;
}

export const isWholeName = (name: string, zone: string) => name === zone || isBelow(name, zone);

const isBelow = (name: string, zone: string) => name.endsWith(zone) && name.at(-zone.length - 1) === ".";

/** Returns what the API has for a name: relative to the zone. */
export const nameInZone = ({ name = "", zone = "" }: Key) =>
  name.endsWith(".") ? name.slice(0, -zone.length - 2) : name;

/** Whether the names of a list are relative, so that one which ends in the zone's name is below that name in the zone. */
export function listsRelativeNames(names: readonly string[], zone: string): boolean {
  return !names.some(isDotted) && names.some((name) => name === "." || !isWholeName(normaliseDomain(name), zone));
}

const isDotted = (name: string) => name.length > 1 && name.endsWith(".");
