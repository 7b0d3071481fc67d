import { loadContract } from "../contract/load-contract.ts";
import type { Provider } from "../manifest/desired.ts";
import type { Host } from "./host.ts";

/** Loads the contract that is meant: the flag's, then that of HOSTFORM_CONTRACT, then the manifest's, then the built-in one. */
export const chooseContract = (flag: string | undefined, provider: Provider, env: Host["env"]) =>
  loadContract(placeOfContract(flag, provider, env));

/** Returns the file or the name of the contract that is meant; undefined for the built-in one. */
export const placeOfContract = (flag: string | undefined, provider: Provider, env: Host["env"]): string | undefined =>
  flag ?? env["HOSTFORM_CONTRACT"] ?? provider.contract;
