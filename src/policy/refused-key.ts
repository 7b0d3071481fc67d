import { advice } from "../messages/advice.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Live } from "../model/resource.ts";

/** Warns that every list was refused, which may be about the key, and says how a contract had it sent. */
export function warnOfRefusedKey({ refusedKey }: Pick<Live, "refusedKey">): Diagnostic[] {
  const { status, keySent } = refusedKey ?? {};
  if (keySent === undefined) return [];
  return [
    {
      severity: "warning",
      code: "key_refused",
      summary: `The API refused every list with ${status ?? "an error"}: the key may be wrong, or sent in a form that the API does not accept: ${keySent}`,
      hint: advice.checkKey,
    },
  ];
}
