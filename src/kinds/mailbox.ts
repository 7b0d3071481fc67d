import type { Kind } from "./kind.ts";
import { normaliseBoolean } from "./shared/boolean.ts";
import { mailAddressKey, normaliseMailAddress } from "./shared/mail-address.ts";
import { normaliseNumber } from "./shared/number.ts";
import { password } from "./shared/password.ts";
import { checkQuota, normaliseQuota } from "./shared/quota.ts";

/** A mailbox (API.md section 2). Its contents are gone for good when it is deleted, so it is protected. */
export const mailbox: Kind = {
  name: "mailbox",
  group: "Mail",
  manifest: "mail.{domain}.mailboxes.{local}",
  scope: ["domain"],
  ...mailAddressKey,
  fields: {
    address: { access: "immutable", normalise: normaliseMailAddress },
    password,
    quota_mb: { access: "mutable", from: "quota", normalise: normaliseQuota, check: checkQuota },
    sending_enabled: { access: "mutable", normalise: normaliseBoolean },
    status: { access: "read_only" },
    usage_mb: { access: "read_only", normalise: normaliseNumber },
    password_updated_at: { access: "read_only" },
  },
  readiness: {
    field: "status",
    awaited: ["pending"],
    failed: ["failed"],
    external: (status) => (status === "suspended" ? "the mailbox is suspended: ask the vendor" : undefined),
  },
  usage: { used: "usage_mb", limit: "quota_mb" },
  protected: true,
};
