import type { Address } from "../../model/address.ts";
import type { WrittenResource } from "../../manifest/read/read-resources.ts";
import type { Provider } from "../../manifest/read/desired.ts";
import type { Desired } from "../../model/resource.ts";
import { withoutUnset } from "../../model/diagnostic.ts";
import type { Selection } from "../../model/plan-input.ts";
import type { Ending } from "./ending.ts";
import type { Emit } from "./events.ts";
import type { Host } from "./host.ts";
import { loadManifestFiles, type FileOptions, type LoadedDesired } from "./load-manifest.ts";
import { openLiveFile, type LiveFile } from "./open-snapshot.ts";
import { openTarget, type OpenTargetOptions } from "./open-target.ts";
import { openOwnership, type OpenOwnership, type OwnershipOptions } from "./ownership.ts";
import { reportLists } from "./with-progress.ts";
import { isPartial } from "./refresh-and-plan.ts";

/** A manifest without mistakes. */
export interface UsableManifest extends Pick<LoadedDesired, "readSecret" | "files" | "outside"> {
  readonly desired: Desired;
  readonly provider: Provider;
  /** The block of the resource that `showing` names. */
  readonly block: WrittenResource | undefined;
}

interface LoadOptions extends FileOptions {
  readonly file: readonly string[];
  /** The resource whose block is needed later. */
  readonly showing?: Address | undefined;
}

/**
 * Loads a manifest and emits its diagnostics. Returns undefined if it has mistakes. The syntax trees take more memory than all that
 * is declared, so they are let go before anything is read.
 */
export async function loadUsableManifest(
  options: LoadOptions,
  io: Host,
  emit: Emit,
): Promise<UsableManifest | undefined> {
  const { result, diagnostics, written, readSecret, files, outside } = await loadManifestFiles(
    options.file,
    options,
    io,
  );
  emit({ type: "diagnostics", diagnostics: withoutUnset(diagnostics) });
  const block = options.showing === undefined ? undefined : written.get(options.showing);
  return result && { ...result, readSecret, files, outside, block };
}

/** A manifest, the live state that it is compared with, and the resources that it owns. Nothing in it can write to the API. */
export interface OpenManifest extends UsableManifest, Pick<LiveFile, "target" | "contract" | "source"> {
  readonly owned: OpenOwnership;
  /** The target that the inventory belongs to; undefined for a service that is gone after the command. */
  readonly inventory: LiveFile["inventory"];
}

interface OpenOptions extends OpenTargetOptions, LoadOptions, OwnershipOptions {
  /** A snapshot to read instead of the API. */
  readonly live?: string | undefined;
  readonly selection?: Selection;
}

/** Opens a manifest and all that a plan of it reads, for the length of `work`. Ends with `wrong_input` if the manifest has mistakes. */
export async function withOpenManifest(
  options: OpenOptions,
  io: Host,
  emit: Emit,
  work: (open: OpenManifest) => Promise<Ending>,
): Promise<Ending> {
  const manifest = await loadUsableManifest(options, io, emit);
  if (!manifest) return "wrong_input";
  io.stopwatch?.begin("reads");
  const { inventory, close, ...live } = await openSource(options, manifest, io, emit);
  try {
    const partial = options.selection !== undefined && isPartial(options.selection);
    const owned = await openOwnership(
      options,
      inventory,
      { files: manifest.files, outside: manifest.outside, partial, removed: manifest.desired.removed },
      io,
    );
    try {
      emit({ type: "diagnostics", diagnostics: owned.notices });
      return await work({ ...manifest, ...live, owned, inventory });
    } finally {
      await owned.close();
    }
  } finally {
    await close();
  }
}

async function openSource(
  options: OpenOptions,
  { desired: { name, variables }, provider }: UsableManifest,
  io: Host,
  emit: Emit,
): Promise<LiveFile> {
  if (options.live !== undefined) return openLiveFile(options.live, options, { name, provider }, io);
  const { connection, ...open } = await openTarget(
    options,
    { name, provider, variables, manifests: options.file },
    io,
    emit,
  );
  return { ...open, source: reportLists(connection, emit) };
}
