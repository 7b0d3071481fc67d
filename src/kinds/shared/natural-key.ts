import type { Fields, Key } from "../../model/resource.ts";
import { jsonText } from "../../model/json.ts";
import type { Kind } from "../kind.ts";
import { checkDomain, checkZone, normaliseDomain } from "./domain-name.ts";

type KeyFunctions = Pick<Kind, "addressParts" | "keyFromParts" | "keyOf" | "identity">;

/** A natural key whose parts are fields of the same name, in the order of the address. */
export function plainKey(parts: readonly string[]): KeyFunctions {
  const pick = (from: Fields | Key) => Object.fromEntries(parts.map((part) => [part, jsonText(from[part])]));
  return {
    addressParts: (key) => parts.map((part) => key[part] ?? ""),
    keyFromParts: (values) =>
      values.length === parts.length
        ? Object.fromEntries(parts.map((part, index) => [part, values[index] ?? ""]))
        : undefined,
    keyOf: (fields, scope) => pick({ ...fields, ...scope }),
    identity: pick,
  };
}

/** `normaliseKey` and `checkKey` of a kind with one key part that is a domain name. */
export function domainKey(part: string): Pick<Kind, "normaliseKey" | "checkKey"> {
  return {
    normaliseKey: (key) => ({ ...key, [part]: normaliseDomain(key[part] ?? "") }),
    checkKey: (key) => checkDomain(key[part] ?? ""),
  };
}

/** The same of a kind whose key part names a zone. */
export function zoneKey(part: string): Pick<Kind, "normaliseKey" | "checkKey"> {
  return { ...domainKey(part), checkKey: (key) => checkZone(key[part] ?? "") };
}
