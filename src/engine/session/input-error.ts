import { dirname } from "node:path";
import { inWords } from "../../lib/system-words.ts";
import type { InputMistake } from "../../messages/mistakes.ts";

/** A mistake in an option, a variable or a file that ends an operation before it does anything: `wrong_input`. */
export class InputError extends Error {
  readonly mistake: InputMistake;

  constructor(mistake: InputMistake) {
    super(mistake.type === "diagnostics" ? mistake.diagnostics.map(({ summary }) => summary).join("; ") : mistake.type);
    this.name = "InputError";
    this.mistake = mistake;
  }

  /** Another target than the known one is refused: it may be meant. */
  get ending(): "refused" | "wrong_input" {
    return this.mistake.type === "unknown_api" ? "refused" : "wrong_input";
  }
}

/** Returns the result of `work` on a file. Throws an InputError where the system refuses it. */
export function orMistake<T>(work: () => T, mistake: (reason: string) => InputMistake): T {
  try {
    return work();
  } catch (error) {
    throw new InputError(mistake((error as Error).message));
  }
}

/** Returns the error for a mistake in the arguments: a summary, and in the hint how to correct it. */
export const inputError = (code: string, summary: string, hint: string): InputError =>
  new InputError({ type: "diagnostics", diagnostics: [{ severity: "error", code, summary, hint }] });

/** Returns the error for arguments that do not go together, or are none. */
export const badArguments = (summary: string, hint: string): InputError => inputError("bad_arguments", summary, hint);

/** Returns our own errors, and what the embedded service and the system refuse, as a mistake; undefined for any other error. */
export function refusedInput(error: unknown): InputError | undefined {
  if (error instanceof InputError) return error;
  if (!(error instanceof Error)) return undefined;
  // The embedded service is loaded only if it is used, so its errors are known by their hint.
  if ("hint" in error) return inputError("emulator", error.message, String(error.hint));
  const code = "code" in error ? String(error.code) : "";
  if (code === "LEADS_OUT") return inputError("leads_out", error.message, "remove the link, or name another place");
  if (code === "NO_PLACE") return inputError("not_written", error.message, "name a file in a folder that exists");
  // A failed write to an open file does not name its path.
  if (code !== "NOT_READ" && !("syscall" in error && ("path" in error || diskFailures.has(code)))) return undefined;
  const { dest, path = "A path", message } = inWords(error) as NodeJS.ErrnoException & { readonly dest?: string };
  // Of a temporary folder that could not be made, the path is a pattern.
  const place = "syscall" in error && error.syscall === "mkdtemp" ? dirname(path) : (dest ?? path);
  return inputError("unusable_path", `${place} cannot be used: ${message}`, "check the path and the disk");
}

const diskFailures: ReadonlySet<string> = new Set(["EDQUOT", "EFBIG", "EIO", "ENOSPC"]);
