import type { Kind } from "./kind.ts";
import { spellInWrittenCase } from "./shared/as-written.ts";
import { normaliseBoolean } from "./shared/boolean.ts";
import { checkOptionalAddress, mailDomain, normaliseOptionalAddress } from "./shared/mail-address.ts";
import { checkTime, normaliseTimestamp, spellTimestamp } from "./shared/timestamp.ts";
import { domainKey, plainKey } from "./shared/natural-key.ts";
import { normaliseNumber } from "./shared/number.ts";
import { checkLength } from "./shared/text-length.ts";

/** The mail settings of a domain: there as soon as the domain is, never made or deleted. */
export const mailSettings: Kind = {
  name: "mail_settings",
  manifest: "mail.{domain}.settings",
  scope: ["domain"],
  naming: { ...plainKey(["domain"]), ...domainKey("domain"), toFields: () => ({}) },
  fields: {
    catch_all: {
      access: "mutable",
      normalise: normaliseOptionalAddress,
      sent: spellInWrittenCase,
      check: checkOptionalAddress,
    },
    "autoresponder.enabled": { access: "mutable", normalise: normaliseBoolean },
    "autoresponder.subject": { access: "mutable", check: checkLength(0, 255) },
    "autoresponder.message": { access: "mutable", check: checkLength(0, 10_000) },
    "autoresponder.starts_at": {
      access: "mutable",
      normalise: normaliseTimestamp,
      sent: spellTimestamp,
      check: checkTime,
    },
    "autoresponder.ends_at": {
      access: "mutable",
      normalise: normaliseTimestamp,
      sent: spellTimestamp,
      check: checkTime,
    },
    "dkim.enabled": { access: "mutable", normalise: normaliseBoolean },
    "dkim.selector": { access: "read_only" },
    "dkim.record": { access: "read_only" },
    sending_limit_per_hour: { access: "read_only", normalise: normaliseNumber },
  },
  relations: { requires: [mailDomain] },
  serverMade: {
    keeps: ({ domain = "" }, { "dkim.enabled": isEnabled, "dkim.selector": selector }) =>
      isEnabled === true && typeof selector === "string"
        ? [{ kind: "dns_record", key: { zone: domain, name: `${selector}._domainkey`, type: "TXT" } }]
        : [],
  },
  guard: { protected: false },
};
