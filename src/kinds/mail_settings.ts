import type { Kind } from "./kind.ts";
import { spellInWrittenCase } from "./shared/as-written.ts";
import { normaliseBoolean } from "./shared/boolean.ts";
import { checkMailAddress, normaliseOptionalAddress } from "./shared/mail-address.ts";
import { normaliseTimestamp, spellTimestamp } from "./shared/timestamp.ts";
import { domainKey, plainKey } from "./shared/natural-key.ts";
import { normaliseNumber } from "./shared/number.ts";

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
      normalise: normaliseOptionalAddress,
      sent: spellInWrittenCase,
      check: (value) => (value === null ? undefined : checkMailAddress(value)),
    },
    "autoresponder.enabled": { access: "mutable", normalise: normaliseBoolean },
    "autoresponder.subject": { access: "mutable" },
    "autoresponder.message": { access: "mutable" },
    "autoresponder.starts_at": { access: "mutable", normalise: normaliseTimestamp, sent: spellTimestamp },
    "autoresponder.ends_at": { access: "mutable", normalise: normaliseTimestamp, sent: spellTimestamp },
    "dkim.enabled": { access: "mutable", normalise: normaliseBoolean },
    "dkim.selector": { access: "read_only" },
    "dkim.record": { access: "read_only" },
    sending_limit_per_hour: { access: "read_only", normalise: normaliseNumber },
  },
  requires: [
    [
      { kind: "domain", key: { name: "domain" } },
      { kind: "service", key: { domain: "domain" } },
    ],
  ],
  protected: false,
};
