import { loadContract, type LoadedContract } from "../../contract/load-contract.ts";
import { broughtIn, isItself, realPath } from "../../lib/inside.ts";
import { quoted } from "../../lib/escape.ts";
import type { Provider } from "../../manifest/read/desired.ts";
import { chooseSetting, placeText } from "./choose-setting.ts";
import type { Host } from "./host.ts";

const contractFile = /\.(ya?ml|json)$/iu;

const isNamed = (path: string): boolean => isItself(path, contractFile);

/**
 * Loads the contract that is meant: the flag's, then that of HOSTFORM_CONTRACT, then the manifest's, then the built-in one.
 * @param folders that of the manifest, and those that are allowed beside it.
 */
export function chooseContract(
  flag: string | undefined,
  provider: Provider,
  env: Host["env"],
  [folder = "", ...allowed]: readonly string[] = [],
): Promise<LoadedContract> {
  const chosen = chooseSetting("contract", flag, provider, env);
  const isOwn = chosen?.from === "manifest" ? broughtIn(folder, allowed, contractFile) : isNamed;
  return loadNamedContract(chosen?.value, chosen && placeText(chosen), isOwn);
}

/**
 * Loads a contract as `loadContract` does. One that a manifest or a link brings in from elsewhere may be any file of this machine: its
 * mistakes are not shown, because they quote it.
 */
export async function loadNamedContract(
  path: string | undefined,
  place?: string,
  isOwn = isNamed,
): Promise<LoadedContract> {
  const loaded = await loadContract(path, place);
  const isUnread = loaded.diagnostics.every(({ code }) => code === "contract_unreadable");
  if (loaded.contract || path === undefined || isUnread || isOwn(path)) return loaded;
  const where = place === undefined ? "" : ` ${place}`;
  return {
    diagnostics: [
      {
        severity: "error",
        code: "leads_out",
        summary: `The contract ${path}${where} is wrong, and lies outside the folder that was named, or is hidden, so its mistakes are not shown`,
        hint: `hostform contract check ${quoted(realPath(path))} shows them; or put it beside the manifest`,
      },
    ],
  };
}
