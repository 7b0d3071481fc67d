import { advice } from "../messages/advice.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Plan } from "../model/plan.ts";
import type { ReadSecret } from "../model/template-parts.ts";

/** Finds the values that this plan would send but cannot: variables that are not set, files that are not there. Asked before the first write. */
export function missingSecrets(plan: Plan, readSecret: ReadSecret): Diagnostic[] {
  return plan.steps.flatMap((step) =>
    step.calls.flatMap((call) => {
      if (call.operation === "delete") return [];
      return call.values.flatMap((value) => {
        if (!("parts" in value)) return [];
        const missing = value.parts.flatMap((part) => {
          const found = typeof part === "string" || "ref" in part ? undefined : readSecret(part);
          return found && "missing" in found ? [found] : [];
        });
        return missing.map(({ missing: reason, source, refused }): Diagnostic => ({
          severity: "error",
          code: "unset",
          summary: `${step.address} cannot be sent: ${reason}`,
          detail: `it is the value of ${value.field}`,
          hint:
            refused === "command"
              ? advice.allowCommand(source)
              : "set it before you apply; nothing is written without it",
          ...(source !== undefined && { source }),
          ...(step.at && { at: step.at }),
        }));
      });
    }),
  );
}
