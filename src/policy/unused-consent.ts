import { flagMistakes } from "../messages/advice.ts";
import type { Address } from "../model/address.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Step } from "../model/plan.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { countScopes, scopeText, zoneConsenting } from "./delete-scopes.ts";

/** Flags that allow what the plan does not do: it was bought already, or they are most likely mistyped, so they are reported. */
export function unusedConsent(input: PlanInput, steps: readonly Step[]): Diagnostic[] {
  const had = boughtAlready(input, steps);
  return [
    ...[...had].map((address) => ({
      severity: "notice" as const,
      code: "unused_consent",
      ...flagMistakes.boughtAlready(address),
    })),
    ...unusedFlags(input, steps, had).map((words) => ({
      severity: "warning" as const,
      code: "unused_consent",
      ...words,
    })),
  ];
}

/** A job that runs again still names what its first run bought. */
function boughtAlready({ consent, desired, live }: PlanInput, steps: readonly Step[]): ReadonlySet<Address> {
  const bought = new Set(steps.flatMap(({ purchase, address }) => (purchase ? [address] : [])));
  const isThere = (address: Address) => desired.resources.has(address) && live.resources.has(address);
  return new Set([...consent.purchases].filter((address) => isThere(address) && !bought.has(address)));
}

function unusedFlags(
  { consent, ownership }: PlanInput,
  steps: readonly Step[],
  boughtAlready: ReadonlySet<Address>,
): Pick<Diagnostic, "summary" | "hint">[] {
  const by = (holds: (step: Step) => boolean) => new Set(steps.filter(holds).map(({ address }) => address));
  // An update may need the same consent as a deletion, such as one that switches signing off.
  const deleted = by(({ action }) => action === "delete" || action === "update");
  const zones = steps.flatMap(({ action, address }) =>
    action === "delete" ? (zoneConsenting(consent.deletes, address) ?? []) : [],
  );
  const bought = by(({ purchase }) => purchase);
  const touched = by(() => true);
  const numbers = countScopes(consent, steps).flatMap(({ scope, allowed, deleted: { size } }) =>
    size > 0 ? [] : [flagMistakes.unused("deletes", `${scopeText(scope)}=${allowed}`)],
  );
  const unused = (by: "deletes" | "purchases" | "retries", used: ReadonlySet<Address>) =>
    [...consent[by]].filter((address) => !used.has(address)).map((address) => flagMistakes.unused(by, address));
  return [
    ...unused("deletes", new Set([...deleted, ...zones])),
    ...numbers,
    ...unused("purchases", new Set([...bought, ...boughtAlready])),
    ...unused("retries", touched),
    ...(consent.rollback && !ownership.rolledBack ? [flagMistakes.unused("rollback")] : []),
  ];
}
