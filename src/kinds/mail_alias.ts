import type { Kind } from "./kind.ts";
import { itemsAsWritten, nameSet, normaliseBoolean } from "./shared/normal-forms.ts";
import { checkMailAddress, mailAddress, normaliseMailAddress } from "./shared/mail-address.ts";

/** A mail alias: an address that passes mail on. */
export const mailAlias: Kind = {
  name: "mail_alias",
  manifest: "mail.{domain}.aliases.{local}",
  scope: ["domain"],
  ...mailAddress,
  fields: {
    address: { access: "immutable", normalise: normaliseMailAddress },
    destinations: {
      access: "mutable",
      required: true,
      normalise: nameSet(normaliseMailAddress),
      sent: itemsAsWritten(normaliseMailAddress),
      checkItem: checkMailAddress,
    },
    keep_copy: { access: "mutable", normalise: normaliseBoolean },
    status: { access: "read_only" },
  },
  readiness: {
    ready: ["active"],
    awaited: [],
    failed: [],
    external: (status) =>
      status === "pending_confirmation" ? "a destination must confirm that it wants the mail" : undefined,
  },
};
