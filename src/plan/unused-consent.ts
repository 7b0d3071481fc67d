import type { Address } from "../model/address.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Step } from "../model/plan.ts";
import type { PlanInput } from "./context.ts";
import { deletionsByKind } from "./guards/consent.ts";

/** Flags that allow what the plan does not do: most likely misspelt, so they are told. */
export function unusedConsent({ consent, ownership }: PlanInput, steps: readonly Step[]): Diagnostic[] {
  const counts = deletionsByKind(steps);
  const by = (holds: (step: Step) => boolean) => new Set(steps.filter(holds).map(({ address }) => address));
  // An update may need the same consent as a deletion, such as one that switches signing off.
  const deleted = by(({ action }) => action === "delete" || action === "update");
  const bought = by(({ purchase }) => purchase);
  const touched = by(() => true);
  const numbers = [...consent.deleteCounts].flatMap(([kind, count]) =>
    counts.has(kind) ? [] : [`--allow-delete ${kind}/*=${count}`],
  );
  const flags = [
    ...unused("--allow-delete", consent.deletes, deleted),
    ...numbers,
    ...unused("--allow-purchase", consent.purchases, bought),
    ...unused("--retry", consent.retries, touched),
    ...(consent.rollback && !ownership.rolledBack ? ["--rollback"] : []),
  ];
  return flags.map((flag) => ({
    severity: "warning",
    code: "unused_consent",
    summary: `${flag} allows nothing that this plan does`,
    hint:
      flag === "--rollback"
        ? "leave it out: this commit contains that of the last apply"
        : "check its spelling against the addresses that the plan prints, or leave it out",
  }));
}

const unused = (flag: string, given: ReadonlySet<Address>, used: ReadonlySet<Address>) =>
  [...given].filter((address) => !used.has(address)).map((address) => `${flag} ${address}`);
