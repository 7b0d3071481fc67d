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

/** A dotted place in a list of rules for a person: `0.match.method` is `rule 1: match.method`; the list itself is `the rules`. */
export function namePlace(place: string): string {
  const [, index, rest = ""] = /^(\d+)(?:\.(.+))?$/su.exec(place) ?? [];
  if (index === undefined) return "the rules";
  return `rule ${Number(index) + 1}${rest === "" ? "" : `: ${rest}`}`;
}
