import { escapeJson } from "../lib/escape.ts";
import { writeFile } from "../lib/write-file.ts";
import { toSnapshot, type SnapshotInput } from "../live/write-snapshot.ts";
import type { Result } from "../model/failure.ts";
import { addressOfParent } from "../kinds/derived/parents.ts";
import type { PlanInput } from "../model/plan-input.ts";
import type { Desired, Live } from "../model/resource.ts";
import { prepare } from "../plan/prepare.ts";
import type { Snapshot } from "../live/snapshot.ts";
import { warnOfRefusedKey } from "../policy/refused-key.ts";
import { keepFormerSecrets } from "./run/former-secrets.ts";
import { requireReplaceable } from "./run/saved-plan-file.ts";
import type { Ending, Session } from "./session/host.ts";
import { orMistake } from "./session/input-error.ts";
import type { FileOptions } from "./session/load-manifest.ts";
import { planRequest, withOpenManifest } from "./session/open-manifest.ts";
import { readAccount, refreshAndPlan, reportIncomplete, reportLists, unavailable } from "./session/read-and-plan.ts";
import { withTarget, type OpenTargetOptions } from "./session/open-target.ts";
import { version } from "./session/node-host.ts";

export interface ReadingOptions extends OpenTargetOptions, FileOptions {
  /** Manifests: what a plan of them reads is recorded, beside the account's own lists; without any, the whole account. */
  readonly file?: readonly string[] | undefined;
  /** Whether the whole account is recorded though there are manifests: they say which values are secret. Default: false. */
  readonly isWhole?: boolean | undefined;
}

export interface SnapshotOptions extends ReadingOptions {
  /** The file to write. */
  readonly out: string;
}

/** Records live state, without secrets, so that a plan can be made where there is neither key nor network. */
export async function takeSnapshot({ out, ...options }: SnapshotOptions, io: Session): Promise<Ending> {
  requireReplaceable("snapshot", out, (text) => /^\{\s*"snapshot":/u.test(text));
  return readSnapshot(options, io, (taken, reads) => {
    // Written aside and renamed, so that it is never there half-written, nor open to others for a moment.
    orMistake(
      () => writeFile(out, snapshotText(taken), 0o600),
      (reason) => ({ type: "unwritable", file: "snapshot", path: out, reason }),
    );
    const { taken_at, collections } = taken;
    const objects = collections.flatMap((each) => each.objects);
    const redacted = objects.filter((object) => object.redacted !== undefined).length;
    const counts = { objects: objects.length, lists: collections.length, redacted, reads };
    io.emit({ type: "snapshot", file: out, taken_at, ...counts });
  });
}

type Keep = (taken: Snapshot, reads: number) => void;

/** Reads live state, without secrets, and hands it to `keep` if the API could be read. */
export async function readSnapshot(options: ReadingOptions, io: Session, keep: Keep): Promise<Ending> {
  const { file = [], isWhole = false } = options;
  // The recorded data is not older than the time before it was read.
  if (file.length === 0)
    return withTarget(options, {}, io, async (open) => {
      const now = io.now();
      const live = await readAccount(reportLists(open.connection, io), open.contract);
      return record({ ...open, desired: undefined, now }, live, io, keep);
    });
  return withOpenManifest({ ...options, file }, io, async (open) => {
    const { contract, source } = open;
    const asked = { ...planRequest(open), now: io.now() };
    const made = await refreshAndPlan(source, asked);
    const live = made.ok ? await readAccount(source, contract, () => isWhole, made.value.live) : made;
    if (!live.ok) return unavailable(live.error, io);
    const read = { ...asked, live: live.value };
    keepFormerSecrets(read, io);
    return record({ ...open, now: asked.now, desired: byServerNames(read) }, live, io, keep);
  });
}

/** Returns what is declared, also under the names that the server has given it: by these, live state is recorded. */
function byServerNames(read: PlanInput): Desired {
  const { desired } = read;
  const resources = new Map(desired.resources);
  for (const each of prepare(read).live.resources.values()) {
    const declared = desired.resources.get(each.address);
    if (declared) resources.set(addressOfParent(each), declared);
  }
  return { ...desired, resources };
}

function record(
  recorded: Pick<SnapshotInput, "target" | "contract" | "desired" | "now">,
  live: Result<Live>,
  io: Session,
  keep: Keep,
): Ending {
  if (!live.ok) return unavailable(live.error, io);
  io.emit({ type: "diagnostics", diagnostics: warnOfRefusedKey(live.value) });
  const taken = toSnapshot({ ...recorded, live: live.value, mask: io.mask, hostform: version() });
  keep(taken, live.value.reads);
  return reportIncomplete(live.value.collections.values(), io) ?? "done";
}

/** Returns a snapshot as its file holds it. */
export const snapshotText = (taken: Snapshot): string => `${escapeJson(JSON.stringify(taken, undefined, 1))}\n`;
