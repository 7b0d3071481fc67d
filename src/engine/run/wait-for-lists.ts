import type { Contract } from "../../model/contract.ts";
import type { Unconfirmed } from "../../model/inventory.ts";
import type { HeldRecord, SentIntent } from "../../model/journal.ts";
import type { Plan } from "../../model/plan.ts";
import { isOnce } from "../../policy/unknown-outcomes.ts";
import type { EarlierState, Resolved } from "./look-up-earlier.ts";
import type { Lookup } from "../session/run.ts";

/** Milliseconds after it was sent in which a creation with an idempotency key, or a deletion, may still not show in a list. */
export const lag = 10_000;
const readAgainAfter = 1_000;

/**
 * Waits a moment if a list may still show a write of the last apply, for some servers answer reads a little behind their writes. Returns
 * whether to look again.
 * @param firstLook when the lists were first read.
 */
export async function waitForLists(
  { io, emit, stop, options }: Lookup,
  { fates, unconfirmed, heldIn, plan }: EarlierState,
  contract: Contract,
  firstLook: number,
  isFirst: boolean,
): Promise<boolean> {
  const times = { settle: options.settle * 1000, firstLook, now: io.now() };
  const wait = Math.max(
    0,
    ...fates.map((each) => mayStillShow(each, contract, times)),
    ...unconfirmed.map((each) => mayBeConfirmed(each, plan, times)),
    ...heldIn("lagging", "unsure").map((each) => mayStillGo(each, times)),
  );
  const isEarly = wait > 0;
  if (!isEarly) return false;
  const why = fates.some(isOpen) || unconfirmed.length > 0 ? "created" : "deleted";
  if (isFirst) emit({ type: "waiting", why, milliseconds: wait });
  await io.sleep(Math.min(wait, readAgainAfter), stop);
  return true;
}

const isOpen = ({ intent, fate }: Resolved) =>
  fate.is === "untold" || fate.is === "unlisted" || (fate.is === "not_done" && makesObject(intent));

/** Whether a list may show later what a write has made. A set is read again before it is written. */
const makesObject = ({ operation, set }: SentIntent) => operation === "create" && set !== true;

interface Times {
  readonly settle: number;
  readonly firstLook: number;
  readonly now: number;
}

/**
 * Milliseconds for which it is worth while to look again. The time of an intent may come from another clock, or be damaged, so no
 * more is waited than `lag`, or `settle`, since the first look. `lag` is enough where a creation goes again under its idempotency key;
 * else it is looked for `settle` long by the apply that sent it, and as long again by the next.
 */
function mayStillShow(
  { intent, id, fate }: Resolved,
  { request }: Contract,
  { settle, firstLook, now }: Times,
): number {
  const looked = now - firstLook;
  if (id !== undefined) return settle - looked;
  const isLate = fate.is === "not_done" ? makesObject(intent) : fate.is === "untold" && fate.late === true;
  if (!isLate) return 0;
  // Without the hash of its body, it is not known to be the same creation, and goes under another key.
  const hasKey = request.idempotency !== undefined && intent.key !== undefined && intent.body !== undefined;
  const [longest, since] = hasKey ? [lag, lag] : [Math.max(lag, settle), 2 * Math.max(lag, settle)];
  const sent = Date.parse(intent.at ?? "");
  return Number.isNaN(sent) ? longest - looked : Math.min(sent + since - now, longest - looked);
}

/** Returns how many milliseconds to keep looking for an earlier request that the plan would send again; 0 if it would not. */
function mayBeConfirmed({ address, id }: Unconfirmed, { steps }: Plan, { settle, firstLook, now }: Times): number {
  if (!steps.some((step) => step.address === address && isOnce(step))) return 0;
  return (id === undefined ? Math.max(lag, settle) : settle) - (now - firstLook);
}

/** Returns the milliseconds for which a list may still show what was deleted. */
function mayStillGo({ deletion }: HeldRecord, { firstLook, now }: Times): number {
  const looks = lag - (now - firstLook);
  return deletion?.is === "unknown" ? Math.min(Date.parse(deletion.at) + lag - now, looks) : looks;
}
