import { kindNamed } from "../kinds/index.ts";
import { flagMistakes } from "../messages/advice.ts";
import { refusals, type Refusal } from "../messages/refusals.ts";
import { kindOf, type Address } from "../model/address.ts";
import { openFields } from "../model/body.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Step } from "../model/plan.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { countScopes, isNamed, scopeText, zoneConsenting } from "./delete-scopes.ts";

/** Returns the refusals of the kinds themselves, such as that of a change that would break a chain of trust. */
export function refusedByKind({ live, desired, consent }: PlanInput, steps: readonly Step[]): Refusal[] {
  const counts = countScopes(consent, steps);
  return steps.flatMap((step): Refusal[] => {
    const before = live.resources.get(step.address)?.remotes[0]?.fields;
    if (!before || step.action === "create") return [];
    const wanted = step.action === "delete" && !step.replaces ? undefined : desired.resources.get(step.address);
    const refused = kindNamed(kindOf(step.address)).guard?.refuse?.(before, wanted && openFields(wanted.fields));
    if (!refused) return [];
    // A number of deletions says nothing of updates.
    const named = step.action === "delete" ? isNamed(consent, counts, step) : consent.deletes.has(step.address);
    if (refused.consent && named) return [];
    return [refused.consent ? refusals.needsConsent(step, refused.summary) : refusals.byKind(step, refused.summary)];
  });
}

/** Refuses each step that costs money or cannot be undone, and is not named. */
export function unnamedPurchases({ consent }: PlanInput, steps: readonly Step[]): Refusal[] {
  return steps.filter(({ purchase, address }) => purchase && !consent.purchases.has(address)).map(refusals.purchase);
}

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
