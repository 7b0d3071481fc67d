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
