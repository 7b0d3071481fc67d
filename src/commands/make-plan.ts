import type { Reader } from "../api/connection.ts";
import { readLive } from "../live/read-live.ts";
import { childrenNotRead, wantedCollections } from "../live/wanted-collections.ts";
import { normaliseAddress } from "../kinds/derived/normalise-address.ts";
import type { Address } from "../model/address.ts";
import type { Contract } from "../model/contract.ts";
import type { Result } from "../model/failure.ts";
import type { Plan, Target } from "../model/plan.ts";
import type { Desired, Live } from "../model/resource.ts";
import type { Consent } from "../plan/context.ts";
import { plan } from "../plan/plan.ts";
import { inputError } from "./input-error.ts";

/** Reads what is live and plans; what hangs below resources that are to go is read as well, before that is decided. It is given a reader, so it cannot write. */
export async function makePlan(
  reader: Reader,
  contract: Contract,
  target: Target,
  desired: Desired,
  consent: Consent,
  now: number,
): Promise<Result<{ plan: Plan; live: Live }>> {
  let live = await readLive(reader, contract, wantedCollections(desired));
  for (;;) {
    if (!live.ok) return live;
    const made = plan({ desired, live: live.value, contract, target, consent, now });
    const going = made.steps.filter(({ action }) => action === "delete").map(({ address }) => address);
    const unread = childrenNotRead(going, live.value);
    if (unread.length === 0) return { ok: true, value: { plan: made, live: live.value } };
    live = await readLive(reader, contract, unread, live.value);
  }
}

export interface ConsentOptions {
  readonly allowDelete: readonly string[];
  readonly allowPurchase: readonly string[];
  readonly retry: readonly string[];
}

/** The addresses that the command line names. Throws an InputError for one that is none. */
export function readConsent({ allowDelete, allowPurchase, retry }: ConsentOptions): Consent {
  return {
    deletes: readAddresses("--allow-delete", allowDelete),
    purchases: readAddresses("--allow-purchase", allowPurchase),
    retries: readAddresses("--retry", retry),
  };
}

function readAddresses(flag: string, texts: readonly string[]): ReadonlySet<Address> {
  return new Set(
    texts.map((text) => {
      const address = normaliseAddress(text);
      if (address === undefined)
        throw inputError(
          "bad_address",
          `${flag} ${text}: this is no address`,
          "write KIND/NAME, such as mailbox/old@example.com",
        );
      return address;
    }),
  );
}
