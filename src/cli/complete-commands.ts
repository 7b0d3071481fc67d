import { inventoryCommand } from "../messages/advice.ts";
import { withCommand } from "../messages/refusals.ts";
import { quoted } from "../lib/escape.ts";
import { diagnosticsOf, type EngineEvent } from "../engine/session/events.ts";

/** The options of a run by which another command finds the same manifest, target and inventory, with their flags. */
const findingFlags = {
  file: "-f",
  var: "--var",
  varFile: "--var-file",
  allowFile: "--allow-file",
  inventory: "--inventory",
  baseUrl: "--base-url",
  contract: "--contract",
  caFile: "--ca-file",
  emulatorData: "--emulator-data",
} as const;
type FindingOption = keyof typeof findingFlags;

/** `found`: present where `file` was not named. */
export type FindingOptions = { readonly [O in FindingOption]?: string | readonly string[] } & {
  readonly found?: unknown;
};

/**
 * Returns events in words with the flags of the run in each command that changes the inventory: the engine does not know them. Whatever
 * stands for diagnostics becomes them.
 */
export function commandCompleter(options: FindingOptions): (event: EngineEvent) => EngineEvent {
  const inventory = `${inventoryCommand}${flagsOf(options)}`;
  return (event) => {
    const diagnostics = diagnosticsOf(event, inventory);
    if (diagnostics) return { type: "diagnostics", diagnostics };
    if (event.type !== "plan") return event;
    const refusals = event.plan.refusals.map((each) => withCommand(each, inventory));
    return { ...event, plan: { ...event.plan, refusals } };
  };
}

const flagsOf = (options: FindingOptions): string =>
  (Object.keys(findingFlags) as FindingOption[])
    .filter((option) => option !== "file" || options.found === undefined)
    .flatMap((option) => [options[option] ?? []].flat().map((value) => ` ${findingFlags[option]} ${quoted(value)}`))
    .join("");
