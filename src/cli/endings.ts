import type { Ending } from "../engine/session/host.ts";
import { badArguments, refusedInput, type InputError } from "../engine/session/input-error.ts";
import { version } from "../engine/session/node-host.ts";
import type { InputMistake } from "../messages/mistakes.ts";
import { printable } from "../render/layout.ts";
import type { Io } from "./io.ts";

/** How mistakes are printed: as events, and beyond the first 100. */
interface MistakeForm {
  readonly json: boolean;
  readonly all: boolean;
}

/** The one place where an error becomes words and a status: input mistakes, the machine's refusals, our bugs. */
export async function explain(error: unknown, form: MistakeForm, io: Io): Promise<Ending> {
  const mistake = asInputError(error);
  if (mistake) {
    await printMistake(mistake.mistake, form, io);
    return mistake.ending;
  }
  const { message = String(error), stack = "" } = (error ?? {}) as { message?: string; stack?: string };
  const place = `Hostform ${version()}, Node.js ${process.versions.node}`;
  const report = `This is a bug in Hostform, please report it with the lines below.\n${place}\n${stack || message}`;
  io.writeError(
    `${report
      .split("\n")
      .map((line) => printable(io, line))
      .join("\n")}\n`,
  );
  return "unexpected";
}

/** Prints a mistake of the user, as JSON events or as text; what prints it is loaded only then. */
export async function printMistake(mistake: InputMistake, { json, all }: MistakeForm, io: Io): Promise<void> {
  const { mistakeDiagnostics } = await import("../messages/mistakes.ts");
  const { diagnosticEvent, versionEvent } = await import("../render/json-events.ts");
  const { renderDiagnostics } = await import("../render/diagnostics.ts");
  const diagnostics = mistakeDiagnostics(mistake);
  if (json) [versionEvent(), ...diagnostics.map(diagnosticEvent)].forEach(io.writeEvent);
  else io.writeError(renderDiagnostics(diagnostics, { ...io, width: io.errorWidth ?? Infinity }, all));
}

/** Our own input errors, what yargs throws for arguments that it cannot read, and what the embedded service and the system refuse. */
function asInputError(error: unknown): InputError | undefined {
  if (error instanceof Error && error.name === "YError") return badArguments(error.message, "see hostform --help");
  return refusedInput(error);
}
