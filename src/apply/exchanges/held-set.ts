import { decodeRecord } from "../../contract/decode-record.ts";
import type { BoundAddress } from "../../contract/bound-kind.ts";
import { setCalls, takesWholeSets } from "../../contract/set-calls.ts";
import { membersOfRecord } from "../../contract/sets.ts";
import { collectionOf } from "../../kinds/derived/collection.ts";
import { knownValues } from "../../model/body.ts";
import type { Result } from "../../model/failure.ts";
import type { HeldRecord } from "../../model/journal.ts";
import type { Json } from "../../model/json.ts";
import { findObjects } from "../find-objects.ts";
import { bindingOf, type RunContext } from "../run-context.ts";
import { buildSetBody } from "../set-body.ts";

/** Returns the body of the request that makes a held set again, beside the others as they are now where those are written with it. */
export async function bodyOfHeldSet(context: RunContext, bound: BoundAddress, held: HeldRecord): Promise<Result<Json>> {
  const { address, kind, key } = bound;
  const { operations } = kind.entry;
  const { scope } = collectionOf(kind, key);
  const remotes = membersOfRecord(kind.entry, held.record).map((raw) => decodeRecord(kind, raw, { scope }).remote);
  const shared = Object.entries(remotes[0]?.fields ?? {}).filter(
    ([name, value]) => kind.members?.shared.includes(name) === true && value !== null,
  );
  const [call] = setCalls(bindingOf(context), kind, {
    address,
    key,
    live: [],
    members: remotes.map((stays) => ({ stays, fields: {} })),
    shared: knownValues(Object.fromEntries(shared)),
    changed: new Set(),
  });
  const now = operations.zone ? await findObjects(context, bound, undefined) : undefined;
  if (now && !now.ok) return now;
  if (!call) return { ok: true, value: held.record };
  const whole = takesWholeSets(operations) ? { ...call, whole: true as const } : call;
  const body = buildSetBody(context, bound, whole, { remotes, items: now?.value.items ?? [] });
  return { ok: true, value: body ?? null };
}
