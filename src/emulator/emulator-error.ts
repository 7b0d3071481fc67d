import { namePlace } from "./faults/name-place.ts";
import type { FieldErrors } from "./refusal.ts";

/** The embedded service cannot start or go on, for a reason the user can mend: `hint` says how. */
export class EmulatorError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "EmulatorError";
    this.hint = hint;
  }
}

/** The rules of faults have mistakes: `errors` tells them by dotted place, as `0.fault.status`. */
export class FaultRulesError extends EmulatorError {
  readonly errors: FieldErrors;

  constructor(errors: FieldErrors) {
    const texts = Object.entries(errors).map(([place, mistakes]) => `${namePlace(place)} ${mistakes.join("; ")}`);
    super(
      `The faults were refused: ${texts.join("\n  ")}`,
      "A rule is written as { match: { method: POST }, fault: { status: 503 } }.",
    );
    this.name = "FaultRulesError";
    this.errors = errors;
  }
}
