import { quoted } from "../lib/quoted.ts";
import type { Address } from "../model/address.ts";

/** Returns the advice to drop a request that the inventory holds. */
export const forgetting = (address: Address) => `run: hostform inventory --forget ${quoted(address)}`;

/** The advice to clear the lock of an apply that did not end. */
export const unlocking = "clear its lock: hostform inventory --unlock";

/** The advice where the process of the holder of a lock may be dead. */
export const clearDeadLock = "if its process is certainly dead, run: hostform inventory --unlock";
