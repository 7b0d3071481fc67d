import { summariseContract } from "../contract/summarise-contract.ts";
import { loadNamedContract } from "./session/choose-target.ts";
import type { Ending, Session } from "./session/host.ts";

export interface ContractOptions {
  /** A file, or the name of a built-in contract; default: the built-in one. */
  readonly contract?: string | undefined;
}

/** Checks a contract file without the API, and reports its offer. */
export async function checkContract(
  { contract: file }: ContractOptions & { readonly contract: string },
  { emit }: Session,
): Promise<Ending> {
  const { contract, diagnostics, warnings = [] } = await loadNamedContract(file);
  emit({ type: "diagnostics", diagnostics: [...diagnostics, ...warnings] });
  if (!contract) return "wrong_input";
  emit({ type: "contract_checked", file, summary: summariseContract(contract) });
  return "done";
}

/** Shows a whole contract, as it stands after `extends`. */
export async function showContract({ contract: file }: ContractOptions, { emit }: Session): Promise<Ending> {
  const { contract, diagnostics } = await loadNamedContract(file);
  if (!contract) {
    emit({ type: "diagnostics", diagnostics });
    return "wrong_input";
  }
  // A contract that holds all of its base extends nothing: what it took away would come back.
  const { extends: _base, ...whole } = contract;
  emit({ type: "contract", contract: whole });
  return "done";
}
