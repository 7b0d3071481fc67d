import { loadContract } from "../../src/contract/load-contract.ts";

const { contract } = await loadContract(undefined);
if (!contract) throw new Error("The built-in contract is wrong");

/** The built-in contract. */
export const builtIn = contract;
