import type { Diagnostic } from "../model/diagnostic.ts";
import type { Failure } from "../model/failure.ts";
import { layOutText, printable, type Page } from "./layout.ts";
import { renderFailure } from "./report-text.ts";

/** Returns the diagnostic of an API that cannot be used. */
export const failureDiagnostic = (failure: Failure): Diagnostic => ({
  severity: "error",
  code: "api_unavailable",
  summary: `The hosting API cannot be used: ${renderFailure(failure, { color: false, width: Infinity, mask: (text) => text }).join("; ")}`,
  hint: failureAdvice(failure),
});

/** Renders the failure of an API that cannot be used. */
export function renderUnusable(failure: Failure, sheet: Page): string {
  const text = `The hosting API cannot be used:\n  ${renderFailure(failure, sheet).join("\n  ")}\n  ${printable(sheet, failureAdvice(failure))}\n`;
  return text.replaceAll(/^.+$/gmu, (line) => layOutText(sheet, line, 4).join("\n"));
}

const refusedKey = (sent: string) =>
  `Check HOSTFORM_API_KEY, HOSTFORM_KEY_FILE or --key-file: the server does not know this key, or not as it was sent: ${sent}. request.auth of the contract says how.`;

const advices: Partial<Readonly<Record<Failure["sort"], string>>> = {
  untrusted:
    "Pass the authority that signed the server's certificate with --ca-file; verification cannot be switched off.",
  unauthorized: "Check HOSTFORM_API_KEY, HOSTFORM_KEY_FILE or --key-file: the server does not know this key.",
  not_found:
    "The API does not answer at that address. Check the base URL: the contract adds its own base path, so leave that out.",
  unreachable: "Check the base URL and the network.",
};

/** Returns what to do about an API that cannot be used. */
export function failureAdvice({ sort, code, keySent }: Failure): string {
  if (keySent !== undefined) return refusedKey(keySent);
  const advice = advices[sort] ?? "Try again; if the failure remains, give the request id to the vendor.";
  return code === "ECONNREFUSED" ? `Is the server running? ${advice}` : advice;
}
