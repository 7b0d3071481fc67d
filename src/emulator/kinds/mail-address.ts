import type { Check } from "./kind.ts";
import { isMailDomain } from "./mail-domain.ts";

/** Returns the part after the last `@`. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1);

/** The check of every kind with an address of its own. */
export const atMailDomain: Check<{ readonly address: string }> = {
  fields: ["address"],
  run: ({ address }, { objects }) =>
    isMailDomain(domainOf(address), objects)
      ? {}
      : { address: [`must be at a domain or a service's domain of the account; it was "${address}"`] },
};
