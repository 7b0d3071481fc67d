import type { Ending } from "../engine/session/host.ts";
import { InputError, inputError } from "../engine/session/input-error.ts";
import { version } from "../engine/session/node-host.ts";
import { inWords } from "../lib/system-words.ts";
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
  else io.writeError(renderDiagnostics(diagnostics, { color: io.color, all, width: io.errorWidth, mask: io.mask }));
}

/** Our own input errors, what yargs throws for arguments that it cannot read, and what the embedded service and the system refuse. */
function asInputError(error: unknown): InputError | undefined {
  if (error instanceof InputError) return error;
  if (!(error instanceof Error)) return undefined;
  if (error.name === "YError") return inputError("bad_arguments", error.message, "see hostform --help");
  // The embedded service is loaded only if it is used, so its errors are known by their hint.
  if ("hint" in error) return inputError("emulator", error.message, String(error.hint));
  if ("code" in error && error.code === "LEADS_OUT")
    return inputError("leads_out", error.message, "remove the link, or name another place");
  if ("code" in error && error.code === "NO_PLACE")
    return inputError("not_written", error.message, "name a file in a folder that exists");
  // A failed write to an open file does not name its path.
  const isOfFile = "path" in error || ("code" in error && diskFailures.has(String(error.code)));
  if (!("syscall" in error) || !isOfFile) return undefined;
  const { dest, path = "A path", message } = inWords(error) as NodeJS.ErrnoException & { readonly dest?: string };
  return inputError("unusable_path", `${dest ?? path} cannot be used: ${message}`, "check the path and the disk");
}

const diskFailures: ReadonlySet<string> = new Set(["EDQUOT", "EFBIG", "EIO", "ENOSPC"]);
