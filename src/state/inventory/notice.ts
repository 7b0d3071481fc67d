import type { Diagnostic } from "../../model/diagnostic.ts";

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

/** Says of a flag that it names a file which is not used. */
export const unused = (flag: string): Diagnostic =>
  notice(
    "not_used",
    `${flag} is not used: the embedded service ends with the command`,
    "pass --emulator-data FILE to keep the service and its inventory",
  );
