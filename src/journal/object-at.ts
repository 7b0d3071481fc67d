import type { Address } from "../model/address.ts";

/** Returns a name of a remote object that no other has: a server may count the ids of each kind, or of each zone, from 1. */
export const objectAt = (address: Address, id: string): string => `${address} ${id}`;
