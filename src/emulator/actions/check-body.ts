import type { Validators } from "../document/validators.ts";
import type { Fields } from "../fields.ts";
import { mergeErrors, type Context, type Kind, type Subject } from "../kinds/kind.ts";
import type { FieldErrors } from "../refusal.ts";

/** The schema's errors together with those of the kind's own checks, which look only at fields that the schema let pass. */
export function checkBody(
  kind: Kind,
  body: Fields,
  context: Context,
  subject: Subject,
  errors: FieldErrors,
): FieldErrors {
  const wrong = new Set(Object.keys(errors).map((field) => field.split(".")[0]));
  const passed = kind.checks.filter(({ fields }) => !fields.some((field) => wrong.has(field)));
  return mergeErrors(errors, ...passed.map((check) => check.run(body, context, subject)));
}

/** A record less its write-only fields: nothing here ever needs a password again. */
export function withoutSecrets({ schema }: Kind, record: Fields, validators: Validators): Fields {
  const secrets = validators.marked(`${schema}Create`, "writeOnly");
  return Object.fromEntries(Object.entries(record).filter(([field]) => !secrets.includes(field)));
}
