import { isSecretField, withholdSecrets } from "../../apply/exchanges/held.ts";
import type { RunInput } from "../../apply/run-context.ts";
import type { Address } from "../../model/address.ts";
import { secretFields } from "../../model/body.ts";
import type { Ownership, PlanInput } from "../../model/plan-input.ts";
import type { Leftover } from "../../model/journal.ts";
import type { Live } from "../../model/resource.ts";
import type { PlanRequest } from "../session/open-manifest.ts";
import type { OpenOwnership } from "../session/ownership.ts";
import type { Alone, ApplyMeans } from "../session/run-alone.ts";

/** An apply whose plan is made. */
export interface Run extends Alone {
  readonly owned: OpenOwnership;
  readonly asked: PlanRequest;
  /** The unfinished work of the last apply. */
  readonly leftover: Leftover;
  /** Called when the plan begins to run: from then on it takes care of the leftover. */
  readonly onBegin: () => void;
  /** False where only what a saved plan touches is known: what else there is may be declared as well, so it is not called unmanaged. */
  readonly knowsAllDeclared: boolean;
}

/** All that running calls needs beside the plan. */
export function runInput(
  { options, io, open, readSecret }: ApplyMeans,
  { desired, ownership, inventory }: Pick<PlanInput, "desired" | "ownership"> & Partial<Pick<Ownership, "inventory">>,
  live: Live,
): RunInput {
  const { contract, connection } = open;
  const fields = (address: Address) =>
    secretFields(desired.resources.get(address), ownership.declaredThen?.resources.get(address));
  return {
    connection,
    contract,
    live,
    readSecret,
    withhold: (held) => ({
      ...withholdSecrets(contract, held, { fields, mask: io.mask }),
      ...(inventory?.addresses.has(held.address) === true && { ours: true }),
    }),
    isSecret: (address, field, value) => isSecretField({ fields, mask: io.mask }, address, field, value),
    waitTimeout: options.waitTimeout * 1000,
    settle: options.settle * 1000,
    deps: { now: io.now, sleep: io.sleep, newIdempotencyKey: io.newId },
  };
}
