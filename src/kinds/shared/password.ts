import { jsonText } from "../../model/json.ts";
import type { Field } from "../kind.ts";

/** A password of 8 to 72 bytes, sent at creation or when it is to be rotated, and never compared (API.md section 2). */
export const password: Field = {
  access: "write_only",
  required: true,
  rotates: true,
  check: (value) => {
    const bytes = Buffer.byteLength(jsonText(value));
    return bytes >= 8 && bytes <= 72 ? undefined : "a password of 8 to 72 bytes";
  },
};
