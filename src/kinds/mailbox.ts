import type { Kind } from "./kind.ts";
import { jsonText } from "../model/json.ts";
import { checkDomain, normaliseDomain } from "./shared/domain-name.ts";
import { checkQuota, normaliseQuota } from "./shared/quota.ts";

// Dot-atom of RFC 5322 section 3.2.3: what every mail system accepts without quotes.
const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/u;

/** A mailbox (API.md section 2). Its contents are gone for good when it is deleted, so it is protected. */
export const mailbox: Kind = {
  name: "mailbox",
  group: "Mail",
  manifest: "mail.{domain}.mailboxes.{local}",
  scope: ["domain"],
  normaliseKey: (key) => ({ domain: normaliseDomain(key["domain"] ?? ""), local: (key["local"] ?? "").toLowerCase() }),
  checkKey: ({ domain = "", local = "" }) => {
    if (local.includes("@")) {
      return local.endsWith(`@${domain}`)
        ? `the part before the @ only: "${local.slice(0, local.indexOf("@"))}"`
        : `the part before the @ of an address in ${domain}; this one is in a foreign domain`;
    }
    if (!localPart.test(local) || local.length > 64)
      return "the part of a mail address before the @, such as info or jane.doe";
    return checkDomain(domain);
  },
  addressParts: (key) => [`${key["local"]}@${key["domain"]}`],
  keyFromParts: ([address = "", ...rest]) => {
    const at = address.lastIndexOf("@");
    return at > 0 && rest.length === 0 ? { local: address.slice(0, at), domain: address.slice(at + 1) } : undefined;
  },
  keyOf: (fields, scope) => {
    const address = jsonText(fields["address"]);
    const at = address.lastIndexOf("@");
    return {
      domain: at > 0 ? address.slice(at + 1) : (scope["domain"] ?? ""),
      local: at > 0 ? address.slice(0, at) : address,
    };
  },
  identity: (key) => ({ address: `${key["local"]}@${key["domain"]}` }),
  fields: {
    address: { access: "immutable", normalise: (value) => jsonText(value).toLowerCase() },
    password: {
      access: "write_only",
      required: true,
      check: (value) => {
        const bytes = Buffer.byteLength(jsonText(value));
        return bytes >= 8 && bytes <= 72 ? undefined : "a password of 8 to 72 bytes";
      },
    },
    quota_mb: { access: "mutable", from: "quota", normalise: normaliseQuota, check: checkQuota },
    sending_enabled: { access: "mutable" },
    status: { access: "read_only" },
    usage_mb: { access: "read_only" },
    password_updated_at: { access: "read_only" },
  },
  requires: [
    [
      { kind: "domain", key: { name: "domain" } },
      { kind: "service", key: { domain: "domain" } },
    ],
  ],
  slots: (key) => [{ name: `mail address ${key["local"]}@${key["domain"]}`, shared: false }],
  protected: true,
};
