import { readLive, type ListSource } from "../live/read-live.ts";
import { childrenNotRead, wantedCollections } from "../live/wanted-collections.ts";
import { normaliseAddress } from "../kinds/derived/normalise-address.ts";
import { findKind, kinds } from "../kinds/index.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { Result } from "../model/failure.ts";
import type { Plan } from "../model/plan.ts";
import type { Live } from "../model/resource.ts";
import type { Consent, PlanInput, Selection } from "../model/plan-input.ts";
import { plan } from "../plan/plan.ts";
import { inputError } from "./input-error.ts";

/** A plan, and the live state that it was made from. */
export interface MadePlan {
  readonly plan: Plan;
  readonly live: Live;
}

/**
 * Reads what is live and plans; what hangs below resources that are to go is read as well, before that is decided. It is given what it
 * reads from, so it cannot write.
 * @param lookAt addresses that are read though the plan may have nothing to do with them.
 */
export async function refreshAndPlan(
  source: ListSource,
  asked: Omit<PlanInput, "live">,
  lookAt: readonly Address[] = [],
): Promise<Result<MadePlan>> {
  const { contract, desired, ownership } = asked;
  const addresses = new Set([...(ownership.inventory?.addresses ?? []), ...lookAt]);
  let live = await readLive(source, contract, wantedCollections(desired, { inventory: { addresses } }));
  for (;;) {
    if (!live.ok) return live;
    const made = plan({ ...asked, live: live.value });
    const going = made.steps.filter(({ action }) => action === "delete").map(({ address }) => address);
    const unread = childrenNotRead(going, live.value);
    if (unread.length === 0) return { ok: true, value: { plan: made, live: live.value } };
    live = await readLive(source, contract, unread, live.value);
  }
}

export interface ConsentOptions {
  readonly allowDelete: readonly string[];
  readonly allowPurchase: readonly string[];
  readonly retry: readonly string[];
  readonly rotate: readonly string[];
  readonly rollback: boolean;
}

export interface SelectionOptions {
  readonly only: readonly string[];
  readonly except: readonly string[];
}

/** The addresses that the command line names. Throws an InputError for one that is none. */
export function readConsent({ allowDelete, allowPurchase, retry, rotate, rollback }: ConsentOptions): Consent {
  const counts = allowDelete.filter((text) => countPattern.test(text));
  return {
    deletes: readAddresses(
      "--allow-delete",
      allowDelete.filter((text) => !countPattern.test(text)),
    ),
    purchases: readAddresses("--allow-purchase", allowPurchase),
    deleteCounts: new Map(counts.map(readCount)),
    retries: readAddresses("--retry", retry),
    rotations: readRotations(rotate),
    rollback,
  };
}

/** Addresses in the spelling of plans; patterns as they are. */
export function readSelection({ only, except }: SelectionOptions): Selection {
  return { only: readGlobs(only), except: readGlobs(except) };
}

/** Whether a run is about some addresses only. */
export const isPartial = ({ only, except }: Selection) => only.length > 0 || except.length > 0;

const readGlobs = (texts: readonly string[]) => texts.map((text) => normaliseAddress(text) ?? text);

/** `kind/*=N`: exactly that many of a kind. */
const countPattern = /^([^/]+)\/\*=(\d+)$/u;

function readCount(text: string): [kind: string, count: number] {
  const [, kind = "", count] = countPattern.exec(text) ?? [];
  if (!Number.isSafeInteger(Number(count)))
    throw inputError("bad_address", `--allow-delete ${text}: the count is too large`, "write the number of deletions");
  if (findKind(kind)) return [kind, Number(count)];
  throw inputError(
    "bad_address",
    `--allow-delete ${text}: there is no kind ${kind}`,
    `write one of ${kinds.map(({ name }) => name).join(", ")}`,
  );
}

function readRotations(texts: readonly string[]): ReadonlySet<Address> {
  const rotating = kinds.filter(({ fields }) => Object.values(fields).some(({ rotates }) => rotates === true));
  const addresses = readAddresses("--rotate", texts);
  for (const address of addresses) {
    if (rotating.some(({ name }) => name === kindOf(address))) continue;
    throw inputError(
      "bad_rotation",
      `--rotate ${address}: a ${kindOf(address)} has nothing that is only written and can be sent again`,
      `name one of these kinds: ${rotating.map(({ name }) => name).join(", ")}`,
    );
  }
  return addresses;
}

function readAddresses(flag: string, texts: readonly string[]): ReadonlySet<Address> {
  return new Set(
    texts.map((text) => {
      const address = normaliseAddress(text);
      if (address === undefined)
        throw inputError(
          "bad_address",
          `${flag} ${text}: this is no address`,
          flag === "--allow-delete" && /^[^/]+\/\*$/u.test(text)
            ? `write how many of that kind: ${text}=N`
            : "write KIND/NAME, such as mailbox/old@example.com",
        );
      return address;
    }),
  );
}
