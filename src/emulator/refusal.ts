/** Texts by dotted field. */
export type FieldErrors = Record<string, string[]>;

/** Merges errors. The result has no prototype, so that a field named `__proto__` is a field like others. */
export function mergeErrors(...all: readonly Partial<FieldErrors>[]): FieldErrors {
  const merged = Object.create(null) as FieldErrors;
  for (const errors of all) {
    for (const [field, texts = []] of Object.entries(errors)) (merged[field] ??= []).push(...texts);
  }
  return merged;
}

export interface RefusalExtras {
  readonly errors?: FieldErrors;
  readonly headers?: Record<string, string>;
}

/** Thrown to answer with an error: it also rolls the request's transaction back. `code` is a stable word. */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: FieldErrors;
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, message: string, extras: RefusalExtras = {}) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.code = code;
    this.errors = extras.errors ?? {};
    this.headers = extras.headers ?? {};
  }
}

export const malformed = (message: string): HttpError => new HttpError(400, "malformed_request", message);

export const forbidden = (message: string): HttpError => new HttpError(403, "forbidden", message);

export const notFound = (what: string): HttpError => new HttpError(404, "not_found", `There is no ${what}.`);

export const conflict = (message: string): HttpError => new HttpError(409, "conflict", message);

/** 422 that names every invalid field at once. */
export function invalid(errors: FieldErrors): HttpError {
  const fields = Object.keys(errors).sort();
  const named = fields.length === 1 ? `the field ${fields[0]} is` : `the fields ${fields.join(", ")} are`;
  return new HttpError(422, "validation_failed", `Nothing was changed: ${named} invalid.`, { errors });
}

/** Throws that 422 if there are errors. */
export function refuseInvalid(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw invalid(errors);
}
