import type { Address } from "../model/address.ts";

/** How a request that the inventory holds is dropped. */
export const forgetting = (address: Address) => `run: hostform inventory --forget ${address}`;

/** How the lock of an apply that did not end is cleared. */
export const unlocking = "clear its lock: hostform inventory --unlock";
