import type { Kind } from "./kind.ts";
import { checkMailAddress, normaliseMailAddress } from "./shared/mail-address.ts";
import { normaliseTimestamp } from "./shared/timestamp.ts";
import { domainKey, plainKey } from "./shared/natural-key.ts";

/** The mail settings of a domain: there as soon as the domain is, never made or deleted (API.md section 2). */
export const mailSettings: Kind = {
  name: "mail_settings",
  group: "Mail",
  manifest: "mail.{domain}.settings",
  scope: ["domain"],
  ...plainKey(["domain"]),
  ...domainKey("domain"),
  identity: () => ({}),
  fields: {
    catch_all: {
      access: "mutable",
      normalise: (value) => (value === null ? null : normaliseMailAddress(value)),
      check: (value) => (value === null ? undefined : checkMailAddress(value)),
    },
    "autoresponder.enabled": { access: "mutable" },
    "autoresponder.subject": { access: "mutable" },
    "autoresponder.message": { access: "mutable" },
    "autoresponder.starts_at": { access: "mutable", normalise: normaliseTimestamp },
    "autoresponder.ends_at": { access: "mutable", normalise: normaliseTimestamp },
    "dkim.enabled": { access: "mutable" },
    "dkim.selector": { access: "read_only" },
    "dkim.record": { access: "read_only" },
    sending_limit_per_hour: { access: "read_only" },
  },
  requires: [
    [
      { kind: "domain", key: { name: "domain" } },
      { kind: "service", key: { domain: "domain" } },
    ],
  ],
  protected: false,
};
