import { jsonText } from "../../model/json.ts";
import type { Field } from "../kind.ts";

/** A password of at least 8 characters and at most 72 bytes, sent at creation or when it is to be rotated, and never compared. */
export const password: Field = {
  access: "write_only",
  required: true,
  rotates: true,
  check: (value) => {
    const text = jsonText(value);
    // A schema of the API counts code points.
    const isShort = Array.from(text).length < 8;
    return !isShort && Buffer.byteLength(text) <= 72
      ? undefined
      : `a password of at least 8 characters and at most 72 bytes; this one is too ${isShort ? "short" : "long"}`;
  },
};
