/** A place in a source text. `line` and `col` start at 1; `col` counts UTF-16 units; `endCol` is one past the last, on the same line. */
export interface Position extends Place {
  readonly endCol?: number;
  /** The uses of templates that made it, the innermost first: the place itself is in the template. */
  readonly uses?: readonly TemplateUse[];
}

export interface Place {
  readonly file: string;
  readonly line: number;
  readonly col: number;
}

/** One use of a template. */
export interface TemplateUse {
  readonly template: string;
  /** The name of the template, where it is defined. */
  readonly at: Place;
  readonly used: Place;
}

export type Severity = "error" | "warning" | "notice";

/**
 * One thing to tell a user about their input. Plain data: rendering decides how it looks.
 * `summary` says what is wrong with what was there, `detail` what was expected, `hint` what to do.
 */
export interface Diagnostic {
  readonly severity: Severity;
  /** A stable word in snake_case, for scripts. */
  readonly code: string;
  /** The id by which `lint: { disable: […] }` switches it off; absent if it cannot be switched off. */
  readonly rule?: string;
  readonly summary: string;
  readonly detail?: string;
  /** The purpose of the field, by the schema. It is printed behind `detail`. */
  readonly description?: string;
  readonly hint?: string;
  readonly at?: Position;
  /** The variable or file that has no value. Diagnostics that differ in it alone are printed as one. */
  readonly source?: string;
  /** Other places that take part, such as the first definition of a duplicate. */
  readonly related?: readonly { readonly at: Position; readonly message: string }[];
  /** The source line at `at`, secrets masked, so that no one has to read the file again to show it. */
  readonly frame?: string;
}

/** All but the notices that a variable is unset: a plan says so itself, for those that it would send. */
export const withoutUnset = (diagnostics: readonly Diagnostic[]) =>
  diagnostics.filter(({ code, severity }) => severity !== "notice" || code !== "unset");

export const hasErrors = (diagnostics: readonly Diagnostic[]) =>
  diagnostics.some(({ severity }) => severity === "error");
