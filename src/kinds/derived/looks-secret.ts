import { looksLikeCredentials } from "../../model/credentials.ts";
import { jsonText, type Json } from "../../model/json.ts";
import type { Kind } from "../kind.ts";

/** Whether a live value of a field looks like a credential, in a field into which people put some. */
export const looksSecret = (kind: Kind, field: string, value: Json): boolean =>
  kind.fields[field]?.mayHoldCredentials === true && looksLikeCredentials(jsonText(value));
