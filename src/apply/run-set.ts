import { collectionAt } from "../kinds/derived/collection.ts";
import type { BoundAddress } from "../contract/bound-kind.ts";
import { isUnsettled, mayBeDone, type Result } from "../model/failure.ts";
import type { SetCall } from "../model/http-call.ts";
import { type Ready, awaitJob, done } from "./await-ready.ts";
import { fillCall } from "./build-body.ts";
import { checksETag, failedCall, maxReadLag, pollUntil, type RunContext, unknownOutcome } from "./run-context.ts";
import { findObjects, type FoundObjects } from "./find-objects.ts";
import { buildSetBody, holdsSet, isSameSet } from "./set-body.ts";
import { inTurn } from "./shared-lists.ts";

/**
 * Writes a set as a whole. What stands there is read just before, and must be as the plan saw it, else the step fails as stale and
 * overwrites nothing; a server that checks an ETag does that itself. Where no answer came, the set is read back: it is done if that
 * holds exactly what was written.
 */
export function runSet(context: RunContext, bound: BoundAddress, call: SetCall): Promise<Result<Ready>> {
  return call.zone
    ? inTurn(context.lists, collectionAt(bound.address), async () => {
        const written = await writeSet(context, bound, call);
        return written.ok ? awaitShown(context, bound, call) : written;
      })
    : writeSet(context, bound, call);
}

/** Waits until a list that is written whole shows what was written: the next write sends it all back. */
async function awaitShown(context: RunContext, bound: BoundAddress, call: SetCall): Promise<Result<Ready>> {
  const shown = await lookForWritten(context, bound, call);
  if (!shown.ok || shown.value) return shown.ok ? done : shown;
  const message = "the list does not show what was written to it, so nothing more is written to it; plan again";
  return failedCall(call, "not_ready", message, 1);
}

async function writeSet(context: RunContext, bound: BoundAddress, call: SetCall): Promise<Result<Ready>> {
  const planned = context.live.resources.get(bound.address)?.remotes ?? [];
  const checks = checksETag(context, call);
  const first = checks ? undefined : await readUnmoved(context, bound, call);
  if (first && !first.ok) return first;
  if (first?.value === "held") return done;
  const sent = await sendSet(context, bound, call, {
    seen: first?.value ?? { remotes: planned, items: [] },
    etag: checks ? call.etag : undefined,
  });
  if (sent.ok || !checks || sent.error.sort !== "stale") return sent;
  const again = await readUnmoved(context, bound, call);
  if (!again.ok) return again;
  return again.value === "held"
    ? done
    : sendSet(context, bound, call, { seen: again.value, etag: again.value.remotes[0]?.etag });
}

const fieldsOf = (remotes: FoundObjects["remotes"]) => remotes.map(({ fields }) => fields);

/**
 * Reads a set; fails if it is not as the plan saw it. What is to be deleted may be gone. A set that was changed to exactly what is to be
 * written is `held`: an API that keeps the TTLs of two types as one has changed the second set together with the first.
 */
async function readUnmoved(
  context: RunContext,
  bound: BoundAddress,
  call: SetCall,
): Promise<Result<FoundObjects | "held">> {
  const seen = await findObjects(context, bound, call.read);
  if (!seen.ok) return seen;
  const planned = fieldsOf(context.live.resources.get(bound.address)?.remotes ?? []);
  const { remotes } = seen.value;
  const isGone = call.form === "delete" && remotes.length === 0;
  if (isGone || isSameSet(call, fieldsOf(remotes), planned)) return seen;
  if (remotes.length > 0 && holdsSet(context, bound, call, remotes)) return { ok: true, value: "held" };
  const message = "it was changed by someone else since it was planned, so it was not overwritten; plan again";
  return failedCall(call, "stale", message);
}

async function sendSet(
  context: RunContext,
  bound: BoundAddress,
  call: SetCall,
  { seen, etag }: { readonly seen: FoundObjects; readonly etag: string | undefined },
): Promise<Result<Ready>> {
  const request = fillCall(context, bound.kind, call);
  const body = buildSetBody(context, bound, call, seen);
  const sent = await context.connection.send({ ...request, etag, ...(body !== undefined && { body }) });
  if (sent.ok) {
    const job = await awaitJob(context, request.rules, sent.value);
    return job.ok ? done : job;
  }
  const { error } = sent;
  if (call.form === "delete" && error.sort === "not_found") return done;
  if (!isUnsettled(error)) return sent;
  const written = await lookForWritten(context, bound, call);
  if (written.ok && written.value) return done;
  if (!mayBeDone(error)) return sent;
  const found = written.ok ? "does not hold what was sent so far" : `could not be read back (${written.error.message})`;
  return unknownOutcome(error, `it ${found}. Plan again to see what it holds now`);
}

/** Looks for as long as reads may lag whether a set holds exactly what was written. */
const lookForWritten = (context: RunContext, bound: BoundAddress, call: SetCall): Promise<Result<boolean>> =>
  pollUntil(context, maxReadLag, async (looking) => {
    const read = await findObjects(looking, bound, call.read);
    return read.ok ? { ok: true, value: holdsSet(context, bound, call, read.value.remotes) } : read;
  });
