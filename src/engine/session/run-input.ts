import { isSecretField, withholdSecrets } from "../../apply/exchanges/held.ts";
import type { RunInput } from "../../apply/run-context.ts";
import type { ReadSecret } from "../../manifest/read/secrets.ts";
import type { Address } from "../../model/address.ts";
import { secretFields } from "../../model/body.ts";
import type { Live } from "../../model/resource.ts";
import type { Ownership, PlanInput } from "../../model/plan-input.ts";
import type { Host } from "./host.ts";
import type { OpenTarget } from "./open-target.ts";

interface RunMeans {
  readonly options: { readonly waitTimeout: number; readonly settle: number };
  readonly io: Host;
  readonly open: OpenTarget;
  readonly readSecret: ReadSecret;
}

/** All that running calls needs beside the plan. */
export function runInput(
  { options, io, open, readSecret }: RunMeans,
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
    made: new Map(),
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
