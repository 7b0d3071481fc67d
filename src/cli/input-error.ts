import { InputError } from "../engine/session/input-error.ts";

/** Returns the error for a mistake in the arguments: a summary, and in the hint how to correct it. */
export const inputError = (code: string, summary: string, hint: string): InputError =>
  new InputError({ type: "diagnostics", diagnostics: [{ severity: "error", code, summary, hint }] });
