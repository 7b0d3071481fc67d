import type { Diagnostic } from "../model/diagnostic.ts";

/** A mistake in a flag, a variable or a file that ends a command before it does anything: exit 3. */
export class InputError extends Error {
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map(({ summary }) => summary).join("; "));
    this.name = "InputError";
    this.diagnostics = diagnostics;
  }
}

export function inputError(code: string, summary: string, hint: string): InputError {
  return new InputError([{ severity: "error", code, summary, hint }]);
}
