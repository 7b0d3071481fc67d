import { offers } from "../contract/entry.ts";
import { updateCall } from "../contract/binding.ts";
import { isPlatformOwned } from "../kinds/derived/server-made.ts";
import type { Failure, Result } from "../model/failure.ts";
import type { UpdateCall } from "../model/http-call.ts";
import type { Remote } from "../model/resource.ts";
import type { Ready } from "./await-ready.ts";
import { findByKey } from "./find-objects.ts";
import { differenceFrom, isSentMember, keep, type SentCreation } from "./object-identity.ts";
import { type RunContext, bindingOf } from "./run-context.ts";
import { runUpdate } from "./run-update.ts";

/**
 * After a creation met a 409: what exists is taken for ours where it is the same, field by field, and holds no secret of ours.
 * An object that the platform made along with its parent (a primary FTP account) is updated. Anything else fails with both sides shown.
 */
export async function adoptExisting(
  context: RunContext,
  sent: SentCreation,
  conflict: Failure,
): Promise<Result<Ready>> {
  const { kind } = sent;
  const found = await findByKey(context, sent);
  if (!found.ok) return found;
  const there = found.value.find((remote) => isSentMember(sent, remote));
  if (!there) return { ok: false, error: conflict };
  keep(context, sent, { id: there.id, raw: there.raw });
  if (!kind.members && isPlatformOwned(kind, there) && offers(context.contract, kind, "update"))
    return asAdopted(await runUpdate(context, sent, takeOver(context, sent, there)));
  const secret = sent.call.values.find(({ field }) => kind.fields[field]?.access === "write_only")?.field;
  const difference =
    differenceFrom(sent, there) ??
    (secret === undefined ? undefined : `it is unknown whether its ${secret} is the declared one`);
  if (difference === undefined) return asAdopted({ ok: true, value: { raw: there.raw } });
  return {
    ok: false,
    error: {
      ...conflict,
      message: `${conflict.message} Someone else created it meanwhile, and ${difference}; plan again`,
    },
  };
}

const asAdopted = (result: Result<Ready>): Result<Ready> =>
  result.ok ? { ok: true, value: { ...result.value, adopted: true } } : result;

function takeOver(context: RunContext, { address, kind, key, call }: SentCreation, there: Remote): UpdateCall {
  const { fields } = kind.entry;
  const update = updateCall(bindingOf(context), { address, kind, key, remote: there }, { fields: {} });
  const writable = call.values.filter(({ field }) =>
    ["mutable", "write_only"].includes(kind.fields[field]?.access ?? ""),
  );
  return {
    ...update,
    values: writable.map((value) => ({ ...value, pointer: fields[value.field]?.at ?? value.pointer })),
  };
}
