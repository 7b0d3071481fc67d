import { renderDiagnostics } from "../render/diagnostics.ts";
import { diagnosticEvent, versionEvent } from "../render/json-events.ts";
import { mistakeDiagnostics, type InputMistake } from "../messages/mistakes.ts";
import type { Io } from "./io.ts";

/** Prints an input mistake, as JSON events or as text. `all`: more than the first 100 diagnostics. */
export function printMistake(
  mistake: InputMistake,
  { json, all }: { readonly json: boolean; readonly all: boolean },
  io: Io,
): void {
  const diagnostics = mistakeDiagnostics(mistake);
  if (json) [versionEvent(), ...diagnostics.map(diagnosticEvent)].forEach(io.writeEvent);
  else io.writeError(renderDiagnostics(diagnostics, { color: io.color, all, width: io.errorWidth, mask: io.mask }));
}
