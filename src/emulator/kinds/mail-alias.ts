import { lowerCase, makeSet } from "../fields.ts";
import type { Kind } from "./kind.ts";
import { atMailDomain, domainOf } from "./mail-domain.ts";

type Input = { readonly address: string };

/** An address that forwards. It shares its address space with the mailboxes. */
export const mailAlias: Kind<Input> = {
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
