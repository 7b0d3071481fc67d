import type { Emit } from "./session/events.ts";
import { escapeJson } from "../lib/escape.ts";
import { readFile } from "../lib/read-file.ts";
import { requireOwnPlace, writeFile } from "../lib/write-file.ts";
import { readLive } from "../live/read-live.ts";
import { accountCollections } from "../live/wanted-collections.ts";
import { toSnapshot } from "../live/write-snapshot.ts";
import type { Result } from "../model/failure.ts";
import type { Desired, Live } from "../model/resource.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { everything, nothingAllowed, type Ownership } from "../model/plan-input.ts";
import { warnOfRefusedKey } from "../policy/refused-key.ts";
import { keepFormerSecrets } from "./run/former-secrets.ts";
import type { Ending } from "./session/ending.ts";
import { InputError } from "./session/input-error.ts";
import type { Host } from "./session/host.ts";
import type { FileOptions } from "./session/load-manifest.ts";
import { loadUsableManifest, type UsableManifest } from "./session/open-manifest.ts";
import { maxSnapshotBytes } from "./session/open-snapshot.ts";
import { readAccount } from "./session/read-account.ts";
import { refreshAndPlan } from "./session/refresh-and-plan.ts";
import { openTarget, type OpenTarget, type OpenTargetOptions } from "./session/open-target.ts";
import { reportLists } from "./session/with-progress.ts";
import { openOwnership } from "./session/ownership.ts";
import { version } from "./session/version.ts";

export interface SnapshotOptions extends OpenTargetOptions, FileOptions {
  /** Manifests: what a plan of them reads is recorded, beside the account's own lists; without any, the whole account. */
  readonly file?: readonly string[] | undefined;
  /** Its file; default: the git repository of the manifest. */
  readonly inventory?: string | undefined;
  /** The file to write. */
  readonly out: string;
}

/** Records live state, without secrets, so that a plan can be made where there is neither key nor network. */
export async function takeSnapshot(options: SnapshotOptions, io: Host, emit: Emit): Promise<Ending> {
  refuseToOverwrite(options.out);
  const { file } = options;
  const manifest = file && (await loadUsableManifest({ ...options, file }, io, emit));
  if (file && !manifest) return "wrong_input";
  const { desired, provider = {} } = manifest ?? {};
  const open = await openTarget(
    options,
    { name: desired?.name ?? "account", provider, variables: desired?.variables, manifests: file },
    io,
    emit,
  );
  try {
    // The recorded data is not older than this.
    const now = io.now();
    const owned = manifest && (await readOwnership({ ...options, ...manifest }, open.inventory, io, emit));
    const live =
      desired && owned
        ? await readDeclared(open, { desired, ownership: owned, now }, emit)
        : await readAccount(reportLists(open.connection, emit), open.contract);
    if (!live.ok) {
      emit({ type: "failure", failure: live.error });
      return "api_unavailable";
    }
    if (desired && owned) keepFormerSecrets({ desired, ownership: owned }, live.value, io);
    emit({ type: "diagnostics", diagnostics: warnOfRefusedKey(live.value) });
    const { target, contract } = open;
    const taken = toSnapshot({ live: live.value, contract, target, desired, mask: io.mask, hostform: version(), now });
    writeSnapshot(options.out, taken);
    return tell(options.out, taken, live.value.reads, emit);
  } finally {
    await open.close();
  }
}

/** Reads the ownership, which decides which lists a plan reads. */
async function readOwnership(
  {
    file = [],
    inventory,
    ...manifest
  }: Pick<SnapshotOptions, "file" | "inventory"> & Pick<UsableManifest, "files" | "outside">,
  target: OpenTarget["inventory"],
  io: Host,
  emit: Emit,
): Promise<Ownership> {
  const { ownership, notices, close } = await openOwnership(
    { file, inventory },
    target,
    { ...manifest, partial: false },
    io,
  );
  await close();
  emit({ type: "diagnostics", diagnostics: notices });
  return ownership;
}

/** Reads the lists that a plan of the manifest reads, and all lists of the account itself. */
async function readDeclared(
  { connection, contract, target }: OpenTarget,
  { desired, ownership, now }: { readonly desired: Desired; readonly ownership: Ownership; readonly now: number },
  emit: Emit,
): Promise<Result<Live>> {
  const asked = { desired, contract, target, consent: nothingAllowed, ownership, selection: everything, now };
  const reader = reportLists(connection, emit);
  const made = await refreshAndPlan(reader, asked);
  return made.ok ? readLive(reader, contract, accountCollections(undefined), made.value.live) : made;
}

function tell(path: string, { taken_at, collections }: Snapshot, reads: number, emit: Emit): Ending {
  const objects = collections.flatMap((each) => each.objects);
  const redacted = objects.filter((object) => object.redacted !== undefined).length;
  const incomplete = collections.flatMap(({ kind, scope, incomplete: reason }) =>
    reason === undefined ? [] : [`${[kind, ...Object.values(scope)].join("/")}: ${reason}`],
  );
  emit({ type: "snapshot", file: path, taken_at, objects: objects.length, lists: collections.length, redacted, reads });
  for (const each of incomplete) emit({ type: "incomplete_read", what: each });
  return incomplete.length > 0 ? "refused" : "done";
}

/** A mistyped name must not cost a manifest. */
function refuseToOverwrite(path: string): void {
  requireOwnPlace(path);
  if (/^(\{\s*"snapshot":|$)/u.test(startOf(path))) return;
  throw new InputError({ type: "would_overwrite", file: "snapshot", path });
}

/** Returns an empty text for a file that is not there. */
function startOf(path: string): string {
  try {
    return readFile(path, maxSnapshotBytes).bytes.toString("utf8", 0, 64);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "" : "unreadable";
  }
}

/** Written aside and renamed, so that it is never there half-written, nor open to others for a moment. */
function writeSnapshot(path: string, taken: Snapshot): void {
  try {
    writeFile(path, `${escapeJson(JSON.stringify(taken, undefined, 1))}\n`, 0o600);
  } catch (error) {
    throw new InputError({ type: "unwritable", file: "snapshot", path, reason: (error as Error).message });
  }
}
