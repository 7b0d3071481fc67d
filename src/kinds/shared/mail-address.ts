import { type Json, jsonText } from "../../model/json.ts";
import type { Field, Kind, Parent } from "../kind.ts";
import { spellInWrittenCase } from "./normal-forms.ts";
import { checkDomain, normaliseDomain } from "./domain-name.ts";

// Dot-atom of RFC 5322 section 3.2.3: what every mail system accepts without quotes.
const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/u;

/** A mail address in normal form; what is none stays as it is, in lower case. */
export function normaliseMailAddress(value: Json): string {
  const text = jsonText(value).trim().toLowerCase();
  const parts = splitAddress(text);
  return parts ? `${parts.local}@${normaliseDomain(parts.domain)}` : text;
}

/** Returns the parts of a mail address; undefined for a text that has nothing before an @. */
function splitAddress(text: string): { readonly local: string; readonly domain: string } | undefined {
  const at = text.lastIndexOf("@");
  return at > 0 ? { local: text.slice(0, at), domain: text.slice(at + 1) } : undefined;
}

export function checkMailAddress(value: Json): string | undefined {
  const text = normaliseMailAddress(value);
  const { local = "", domain = "" } = splitAddress(text) ?? {};
  if (local.length <= 64 && localPart.test(local)) return checkMailDomain(domain) ?? checkAddressLength(text);
  return "a mail address, such as info@example.com";
}

const isNone = (value: Json) => jsonText(value ?? "").trim() === "";

/** A mail address or none, which some servers write as an empty text. */
export const optionalAddress: Field = {
  access: "mutable",
  normalise: (value) => (isNone(value) ? null : normaliseMailAddress(value)),
  sent: spellInWrittenCase,
  check: (value) =>
    isNone(value) || checkMailAddress(value) === undefined ? undefined : `${checkMailAddress(value)}, or null`,
};

/** A mail domain is a host name: letters, digits and hyphens (RFC 5321 section 2.3.5). */
const checkMailDomain = (domain: string) =>
  checkDomain(domain) ??
  (domain.includes("_") ? "a mail domain of letters, digits and hyphens, without underscores" : undefined);

/** An address with its angle brackets has at most 256 octets (RFC 5321 section 4.5.3.1.3). */
const checkAddressLength = (address: string) =>
  address.length > 254 ? "a mail address of at most 254 characters" : undefined;

/** A mail domain is a domain of the account, or that of a service. */
export const mailDomain: readonly Parent[] = [
  { kind: "domain", key: { name: "domain" } },
  { kind: "service", key: { domain: "domain" } },
];

/**
 * The key, requirement and unique name that mailboxes and aliases share: an address in a domain, which must exist as a domain or as a
 * service's, and which only one of them can have.
 */
export const mailAddress: Pick<Kind, "naming" | "relations" | "availability"> = {
  naming: {
    normalise: (key) => ({
      domain: normaliseDomain(key["domain"] ?? ""),
      local: (key["local"] ?? "").toLowerCase(),
    }),
    check: ({ domain = "", local = "" }) => {
      if (local.includes("@")) {
        return local.endsWith(`@${domain}`)
          ? `the part before the @ only: "${local.slice(0, local.indexOf("@"))}"`
          : `the part before the @ of an address in ${domain}; this one is in a foreign domain`;
      }
      if (!localPart.test(local) || local.length > 64)
        return "the part of a mail address before the @, such as info or jane.doe";
      return checkMailDomain(domain) ?? checkAddressLength(`${local}@${domain}`);
    },
    addressParts: (key) => [`${key["local"]}@${key["domain"]}`],
    fromParts: ([address = "", ...rest]) => (rest.length === 0 ? splitAddress(address) : undefined),
    ofLive: (fields, scope) => {
      const address = jsonText(fields["address"]);
      // That of all mail of a domain has nothing before its @.
      const domain = address.split("@")[1] ?? scope["domain"] ?? "";
      return splitAddress(address) ?? { domain: normaliseDomain(domain), local: address };
    },
    toFields: (key) => ({ address: `${key["local"]}@${key["domain"]}` }),
  },
  relations: {
    requires: [mailDomain],
    uniqueNames: (key) => [{ name: `mail address ${key["local"]}@${key["domain"]}`, shared: false }],
  },
  availability: { address: (key) => `${key["local"]}@${key["domain"]}` },
};
