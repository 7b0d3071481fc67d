import type { InventoryTarget } from "../../state/inventory/target-key.ts";
import { realPath } from "../../lib/inside.ts";
import type { Provider } from "../../manifest/read/desired.ts";
import type { Contract } from "../../model/contract.ts";
import { chooseContract } from "./choose-contract.ts";
import { chooseSetting } from "./choose-setting.ts";
import { InputError } from "./input-error.ts";
import type { Host } from "./host.ts";
import { readBaseUrl } from "./read-base-url.ts";

/** The options that choose an API. */
export interface TargetChoice {
  readonly baseUrl?: string | undefined;
  readonly contract?: string | undefined;
  readonly emulator: boolean;
  readonly emulatorData?: string | undefined;
}

export interface ChosenTarget {
  /** Undefined for the embedded service. */
  readonly baseUrl: URL | undefined;
  readonly contract: Contract;
}

/**
 * Decides which API is meant: flags, then HOSTFORM_* variables, then the manifest's `provider`. The embedded service is used only
 * when it was asked for. Needs no key and sends nothing. Throws an InputError where the choice is not clear.
 */
export async function chooseTarget(options: TargetChoice, provider: Provider, env: Host["env"]): Promise<ChosenTarget> {
  const baseUrl = chooseSetting("base_url", options.baseUrl, provider, env);
  const emulator = options.emulator || options.emulatorData !== undefined;
  if (emulator === (baseUrl !== undefined))
    throw new InputError(
      baseUrl === undefined
        ? { type: "no_target" }
        : { type: "two_targets", from: baseUrl, data: options.emulatorData },
    );
  const { contract, diagnostics } = await chooseContract(options.contract, provider, env);
  if (!contract) throw new InputError({ type: "diagnostics", diagnostics });
  const read = baseUrl && readBaseUrl(baseUrl, contract);
  if (read && "code" in read) throw new InputError({ type: "diagnostics", diagnostics: [read] });
  return { contract, baseUrl: read };
}

/** Returns the owner of the inventory; undefined for an embedded service that keeps nothing. Its port is another each time, its data file is not. */
export function inventoryTarget(
  name: string,
  { baseUrl, contract }: ChosenTarget,
  { emulatorData }: TargetChoice,
  api?: InventoryTarget["api"],
): InventoryTarget | undefined {
  const place = baseUrl?.href ?? (emulatorData === undefined ? undefined : realPath(emulatorData));
  return place === undefined ? undefined : { name, place, contract: contract.name, ...(api && { api }) };
}
