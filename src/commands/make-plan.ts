import type { Reader } from "../api/connection.ts";
import { readLive } from "../live/read-live.ts";
import { childrenNotRead, wantedCollections } from "../live/wanted-collections.ts";
import { normaliseAddress } from "../kinds/derived/normalise-address.ts";
import type { Address } from "../model/address.ts";
import type { Result } from "../model/failure.ts";
import type { Plan } from "../model/plan.ts";
import type { Live } from "../model/resource.ts";
import type { Consent, Ownership, PlanInput, Selection } from "../plan/context.ts";
import { plan } from "../plan/plan.ts";
import { inputError } from "./input-error.ts";

/** Reads what is live and plans; what hangs below resources that are to go is read as well, before that is decided. It is given a reader, so it cannot write. */
export async function makePlan(
  reader: Reader,
  asked: Omit<PlanInput, "live">,
): Promise<Result<{ plan: Plan; live: Live }>> {
  const { contract, desired } = asked;
  let live = await readLive(reader, contract, wantedCollections(desired, asked.ownership));
  for (;;) {
    if (!live.ok) return live;
    const made = plan({ ...asked, live: live.value });
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

/** Nothing is known to be ours. */
export const noOwnership: Ownership = { inventory: undefined, rolledBack: false, declaredThen: undefined };
export const everything: Selection = { only: [], except: [] };

/** The addresses that the command line names. Throws an InputError for one that is none. */
export function readConsent({ allowDelete, allowPurchase, retry }: ConsentOptions): Consent {
  return {
    deletes: readAddresses("--allow-delete", allowDelete),
    purchases: readAddresses("--allow-purchase", allowPurchase),
    deleteCounts: new Map(),
    retries: readAddresses("--retry", retry),
    rotations: new Set(),
    rollback: false,
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
