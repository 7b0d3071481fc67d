import type { Kind } from "./kind.ts";
import { normaliseBoolean, normaliseNumber } from "./shared/normal-forms.ts";
import { mailAddress, normaliseMailAddress } from "./shared/mail-address.ts";
import { password } from "./shared/password.ts";
import { checkQuota, normaliseQuota, spellQuota } from "./shared/quota.ts";
import { checkMoment, normaliseTimestamp } from "./shared/timestamp.ts";

/** A mailbox. Its contents are gone for good when it is deleted, so it is protected. */
export const mailbox: Kind = {
  name: "mailbox",
  manifest: "mail.{domain}.mailboxes.{local}",
  scope: ["domain"],
  ...mailAddress,
  fields: {
    address: { access: "immutable", normalise: normaliseMailAddress },
    password,
    quota_mb: { access: "mutable", from: "quota", normalise: normaliseQuota, spell: spellQuota, check: checkQuota },
    sending_enabled: { access: "mutable", normalise: normaliseBoolean },
    rotate_after: { access: "manifest_only", normalise: normaliseTimestamp, check: checkMoment },
    status: { access: "read_only" },
    usage_mb: { access: "read_only", normalise: normaliseNumber },
    password_updated_at: { access: "read_only" },
  },
  readiness: {
    ready: ["active"],
    awaited: ["pending"],
    failed: ["failed"],
    external: (status) => (status === "suspended" ? "the mailbox is suspended: ask the vendor" : undefined),
  },
  rotation: { after: "rotate_after", last: "password_updated_at" },
  check: ({ fields }) => {
    if (fields["rotate_after"] === undefined || "password" in fields) return [];
    const summary = "rotate_after has nothing to send: no password is written";
    const hint = 'write password: "${env:NAME}" beside it';
    return [{ code: "nothing_to_rotate", summary, hint, path: ["rotate_after"] }];
  },
  status: { usage: { content: "mails", used: "usage_mb", limit: "quota_mb" } },
  guard: { protected: true },
};
