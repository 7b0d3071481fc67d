import { addressOfParent } from "./parents.ts";
import type { Address } from "../../model/address.ts";
import type { Live } from "../../model/resource.ts";

/** An address, and the address by which others refer to a resource that the server has given a longer name. */
export function namesOf(live: Live): (address: Address) => Address[] {
  return (address) => {
    const resource = live.resources.get(address);
    return resource ? [...new Set([address, addressOfParent(resource)])] : [address];
  };
}
