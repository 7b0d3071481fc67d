import type { Fields, Key } from "../../model/resource.ts";
import { jsonText } from "../../model/json.ts";
import type { Naming } from "../kind.ts";
import { checkDomain, checkZone, normaliseDomain } from "./domain-name.ts";

/** A natural key whose parts are fields of the same name, in the order of the address. */
export function plainKey(parts: readonly string[]): Pick<Naming, "addressParts" | "fromParts" | "ofLive" | "toFields"> {
  const pick = (from: Fields | Key) => Object.fromEntries(parts.map((part) => [part, jsonText(from[part])]));
  return {
    addressParts: (key) => parts.map((part) => key[part] ?? ""),
    fromParts: (values) => {
      if (values.length !== parts.length) return undefined;
      const key: Record<string, string> = {};
      parts.forEach((part, index) => (key[part] = values[index] ?? ""));
      return key;
    },
    ofLive: (fields, scope) => pick({ ...fields, ...scope }),
    toFields: pick,
  };
}

/** The same with a first part that is a domain name, and is checked alone. */
export function domainKey(parts: readonly [string, ...string[]], check = checkDomain) {
  const [first] = parts;
  return {
    ...plainKey(parts),
    normalise: (key: Key): Key => ({ ...key, [first]: normaliseDomain(key[first] ?? "") }),
    check: (key: Key) => check(key[first] ?? ""),
  };
}

/** The same with a first part that names a zone. */
export const zoneKey = (parts: readonly [string, ...string[]]) => domainKey(parts, checkZone);
