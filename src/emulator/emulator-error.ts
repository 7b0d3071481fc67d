/** The embedded service cannot start or go on, for a reason the user can mend: `hint` says how. */
export class EmulatorError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "EmulatorError";
    this.hint = hint;
  }
}
