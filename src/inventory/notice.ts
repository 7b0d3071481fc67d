import type { Diagnostic } from "../model/diagnostic.ts";

/** Something to know that stops nothing. */
export const notice = (code: string, summary: string, hint?: string): Diagnostic => ({
  severity: "notice",
  code,
  summary,
  ...(hint !== undefined && { hint }),
});

/** Something that takes away from what the inventory is for. */
export const warning = (code: string, summary: string, hint?: string): Diagnostic => ({
  ...notice(code, summary, hint),
  severity: "warning",
});
