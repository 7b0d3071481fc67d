import { lowerCase, makeSet } from "../fields.ts";
import type { Kind } from "./kind.ts";
import { atMailDomain, domainOf } from "./mail-domain.ts";

type Input = { readonly address: string; readonly destinations: readonly string[]; readonly keep_copy: boolean };

/** An address that forwards. It shares its address space with the mailboxes. */
export const mailAlias: Kind<Input, Input & { readonly status: string }> = {
  name: "mail_alias",
  schema: "MailAlias",
  idPrefix: "als",
  normalise(input) {
    lowerCase(input, "address");
    makeSet(input, "destinations", (address) => address.toLowerCase());
  },
  checks: [atMailDomain],
  naturalKey: ({ address }) => `mail ${address}`,
  scope: ({ address }) => domainOf(address),
  make: (input) => ({ record: { ...input, status: "active" } }),
};
