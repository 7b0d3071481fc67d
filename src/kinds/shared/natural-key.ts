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
      for (const [index, part] of parts.entries()) key[part] = values[index] ?? "";
      return key;
    },
    ofLive: (fields, scope) => pick({ ...fields, ...scope }),
    toFields: pick,
  };
}

/** The normal form and the check of a key with one part that is a domain name. */
export function domainKey(part: string): Pick<Naming, "normalise" | "check"> {
  return {
    normalise: (key) => ({ ...key, [part]: normaliseDomain(key[part] ?? "") }),
    check: (key) => checkDomain(key[part] ?? ""),
  };
}

/** The same of a kind whose key part names a zone. */
export function zoneKey(part: string): Pick<Naming, "normalise" | "check"> {
  return { ...domainKey(part), check: (key) => checkZone(key[part] ?? "") };
}
