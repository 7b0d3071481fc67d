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
      summary: `--allow-purchase ${address} has no effect: the resource already exists`,
      hint: "leave it out",
    })),
    ...unusedFlags(input, steps, had).map((flag) => ({
      severity: "warning" as const,
      code: "unused_consent",
      summary: `this plan does nothing that needs ${flag}`,
      hint:
        flag === "--rollback"
          ? "leave it out: the commit of the last apply is an ancestor of this one"
          : "check its spelling against the addresses that the plan prints, or leave it out",
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
): string[] {
  const by = (holds: (step: Step) => boolean) => new Set(steps.filter(holds).map(({ address }) => address));
  // An update may need the same consent as a deletion, such as one that switches signing off.
  const deleted = by(({ action }) => action === "delete" || action === "update");
  const zones = steps.flatMap(({ action, address }) =>
    action === "delete" ? (zoneConsenting(consent.deletes, address) ?? []) : [],
  );
  const bought = by(({ purchase }) => purchase);
  const touched = by(() => true);
  const numbers = countScopes(consent, steps).flatMap(({ scope, allowed, deleted: { size } }) =>
    size > 0 ? [] : [`--allow-delete ${scopeText(scope)}=${allowed}`],
  );
  return [
    ...unused("--allow-delete", consent.deletes, new Set([...deleted, ...zones])),
    ...numbers,
    ...unused("--allow-purchase", consent.purchases, new Set([...bought, ...boughtAlready])),
    ...unused("--retry", consent.retries, touched),
    ...(consent.rollback && !ownership.rolledBack ? ["--rollback"] : []),
  ];
}

const unused = (flag: string, given: ReadonlySet<Address>, used: ReadonlySet<Address>) =>
  [...given].filter((address) => !used.has(address)).map((address) => `${flag} ${address}`);
