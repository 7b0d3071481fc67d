import { inventoryCommand } from "../messages/advice.ts";
import { quoted } from "../lib/escape.ts";
import type { EngineEvent } from "../engine/session/events.ts";

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

const flagsOf = (options: FindingOptions): string =>
  (Object.keys(findingFlags) as FindingOption[])
    .filter((option) => option !== "file" || options.found === undefined)
    .flatMap((option) => [options[option] ?? []].flat().map((value) => ` ${findingFlags[option]} ${quoted(value)}`))
    .join("");
