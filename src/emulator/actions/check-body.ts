import type { Fields } from "../fields.ts";
import type { Context, Kind } from "../kinds/kind.ts";
import { mergeErrors, type FieldErrors } from "../refusal.ts";

/** The schema's errors together with those of the kind's own checks, which look only at fields that the schema let pass. */
export function checkBody(kind: Kind, body: Fields, context: Context, scope: string, errors: FieldErrors): FieldErrors {
  const wrong = Object.keys(errors).map((field) => field.split(".")[0]);
  const passed = kind.checks.filter(
    ({ fields }) => !wrong.some((field) => field !== undefined && fields.includes(field)),
  );
  const found = passed.map((check) => check.run(body, context, scope)).filter((each) => Object.keys(each).length > 0);
  return found.length === 0 ? errors : mergeErrors(errors, ...found);
}
