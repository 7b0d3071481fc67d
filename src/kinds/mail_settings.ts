import { clearValue } from "../model/clear-values.ts";
import { jsonText } from "../model/json.ts";
import type { Field, Kind } from "./kind.ts";
import { normaliseBoolean, normaliseNumber } from "./shared/normal-forms.ts";
import { mailDomain, optionalAddress } from "./shared/mail-address.ts";
import { checkTime, normaliseTimestamp, spellTimestamp } from "./shared/timestamp.ts";
import { domainKey } from "./shared/natural-key.ts";

const time: Field = { access: "mutable", normalise: normaliseTimestamp, sent: spellTimestamp, check: checkTime };

/** The mail settings of a domain: there as soon as the domain is, never made or deleted. */
export const mailSettings: Kind = {
  name: "mail_settings",
  manifest: "mail.{domain}.settings",
  scope: ["domain"],
  naming: { ...domainKey(["domain"]), toFields: () => ({}) },
  fields: {
    catch_all: optionalAddress,
    "autoresponder.enabled": { access: "mutable", normalise: normaliseBoolean },
    "autoresponder.subject": { access: "mutable" },
    "autoresponder.message": { access: "mutable" },
    "autoresponder.starts_at": time,
    "autoresponder.ends_at": time,
    "dkim.enabled": { access: "mutable", normalise: normaliseBoolean },
    "dkim.selector": { access: "read_only" },
    "dkim.record": { access: "read_only" },
    sending_limit_per_hour: { access: "read_only", normalise: normaliseNumber },
  },
  relations: { requires: [mailDomain] },
  check: ({ fields }) => {
    const [from, to] = ["autoresponder.starts_at", "autoresponder.ends_at"].map((name) =>
      Date.parse(jsonText(clearValue(fields[name]))),
    );
    if (!(Number(to) <= Number(from))) return [];
    const summary = "The autoresponder ends before it starts, so no mail is answered";
    return [{ code: "ends_before_start", summary, hint: "write a later ends_at", path: ["autoresponder", "ends_at"] }];
  },
  serverMade: {
    keeps: ({ domain = "" }, { "dkim.enabled": isEnabled, "dkim.selector": selector }) =>
      isEnabled === true && typeof selector === "string"
        ? [{ kind: "dns_record", key: { zone: domain, name: `${selector}._domainkey`, type: "TXT" } }]
        : [],
  },
};
