import { inventoryCommand } from "../messages/inventory-commands.ts";
import { quoted } from "../lib/quoted.ts";
import type { EngineEvent } from "../engine/session/events.ts";

/** The options of a run by which another command finds the same manifest, target and inventory. */
export interface FindingOptions {
  readonly file?: readonly string[] | undefined;
  /** Present where `file` was not named. */
  readonly found?: unknown;
  readonly inventory?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly contract?: string | undefined;
  readonly caFile?: string | undefined;
  readonly emulatorData?: string | undefined;
  readonly allowFile?: readonly string[] | undefined;
  readonly var?: readonly string[] | undefined;
  readonly varFile?: readonly string[] | undefined;
}

/** Returns events with the flags of the run put into each printed command that changes the inventory: the engine does not know them. */
export function commandCompleter(options: FindingOptions): <E extends EngineEvent>(event: E) => E {
  const flags = flagsOf(options);
  const complete = <T extends { readonly hint?: string | undefined }>(each: T): T =>
    each.hint?.includes(`${inventoryCommand} --`) === true
      ? { ...each, hint: each.hint.replaceAll(`${inventoryCommand} --`, () => `${inventoryCommand}${flags} --`) }
      : each;
  return (event) => {
    if (event.type === "diagnostics") return { ...event, diagnostics: event.diagnostics.map(complete) };
    if (event.type !== "plan") return event;
    const { refusals, diagnostics } = event.plan;
    return {
      ...event,
      plan: { ...event.plan, refusals: refusals.map(complete), diagnostics: diagnostics.map(complete) },
    };
  };
}

function flagsOf({ file = [], found, inventory, baseUrl, contract, caFile, emulatorData, ...more }: FindingOptions) {
  const { allowFile = [], var: variables = [], varFile = [] } = more;
  const given: readonly (readonly [string, readonly (string | undefined)[]])[] = [
    ["-f", found === undefined ? file : []],
    ["--var", variables],
    ["--var-file", varFile],
    ["--allow-file", allowFile],
    ["--inventory", [inventory]],
    ["--base-url", [baseUrl]],
    ["--contract", [contract]],
    ["--ca-file", [caFile]],
    ["--emulator-data", [emulatorData]],
  ];
  return given
    .flatMap(([flag, values]) => values.flatMap((value) => (value === undefined ? [] : ` ${flag} ${quoted(value)}`)))
    .join("");
}
