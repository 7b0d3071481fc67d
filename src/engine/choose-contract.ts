import { loadContract } from "../contract/load-contract.ts";
import type { Provider } from "../manifest/desired.ts";
import { chooseSetting, placeText } from "./choose-setting.ts";
import type { Host } from "./host.ts";

/** Loads the contract that is meant: the flag's, then that of HOSTFORM_CONTRACT, then the manifest's, then the built-in one. */
export function chooseContract(flag: string | undefined, provider: Provider, env: Host["env"]) {
  const chosen = chooseSetting("contract", flag, provider, env);
  return loadContract(chosen?.value, chosen && placeText(chosen));
}

/** Returns the file or the name of the contract that is meant; undefined for the built-in one. */
export const placeOfContract = (flag: string | undefined, provider: Provider, env: Host["env"]): string | undefined =>
  chooseSetting("contract", flag, provider, env)?.value;
