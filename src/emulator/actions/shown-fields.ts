import type { Validators } from "../document/validators.ts";
import type { Fields } from "../fields.ts";
import type { Kind } from "../kinds/kind.ts";

/** Returns those of some fields that the document's schema of a record shows, in its order: so nothing write-only is ever stored. */
export function shownFields({ schema }: Kind, fields: Fields, validators: Validators): Fields {
  const shown: Fields = {};
  for (const name of validators.fields(schema)) if (Object.hasOwn(fields, name)) shown[name] = fields[name];
  return shown;
}
