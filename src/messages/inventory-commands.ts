import { quoted } from "../lib/quoted.ts";
import type { Address } from "../model/address.ts";

/** Begins each printed command that changes the inventory. The program, which knows the flags of the run, adds those that it needs. */
export const inventoryCommand = "hostform inventory";

/** Drops a request that the inventory holds. */
export const forgetting = (address: Address) => `${inventoryCommand} --forget ${quoted(address)}`;

/** Clears the lock of an apply that did not end. */
export const unlocking = `${inventoryCommand} --unlock`;

/** Returns the advice to run commands, which ends with them, because they are copied. */
export const applyAfter = (commands: readonly string[]) => `apply again after: ${commands.join(" && ")}`;

/** The advice where the process of the holder of a lock may be dead. */
export const clearDeadLock = `if its process is certainly dead, run: ${unlocking}`;
