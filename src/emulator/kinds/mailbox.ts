import { lowerCase } from "../fields.ts";
import { isoTime, type Kind } from "./kind.ts";
import { atMailDomain, domainOf } from "./mail-domain.ts";

type Input = { readonly address: string; readonly password?: string };

/** A mailbox. Its password is dropped: nothing here ever logs in. */
export const mailbox: Kind<Input> = {
  idPrefix: "mbx",
  normalise: (input) => lowerCase(input, "address"),
  checks: [atMailDomain],
  naturalKey: ({ address }) => `mail ${address}`,
  scope: ({ address }) => domainOf(address),
  make: (input, { now }) => ({
    record: { ...input, status: "active", usage_mb: 0, password_updated_at: isoTime(now) },
  }),
  change: (_, input, { now }) => ({
    record: { ...input, ...(input.password === undefined ? {} : { password_updated_at: isoTime(now) }) },
  }),
};
