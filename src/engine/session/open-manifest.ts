import type { Address } from "../../model/address.ts";
import type { WrittenResource } from "../../manifest/read/read-resources.ts";
import type { Desired } from "../../model/resource.ts";
import { withoutUnset } from "../../model/diagnostic.ts";
import { everything, isPartial, nothingAllowed, type PlanInput, type Selection } from "../../model/plan-input.ts";
import type { Ending, Session } from "./host.ts";
import { loadManifestFiles, type LoadedDesired, type ManifestOptions } from "./load-manifest.ts";
import { withSource, type LiveFile, type SourceOptions } from "./open-snapshot.ts";
import { withOwnership, type OpenOwnership, type OwnershipOptions } from "./ownership.ts";
import type { CommandUse } from "./secret-commands.ts";

/** A manifest without mistakes. */
export interface UsableManifest extends Pick<
  LoadedDesired,
  "readSecret" | "files" | "outside" | "provider" | "contract"
> {
  readonly desired: Desired;
  /** The block of the resource that `showing` names. */
  readonly block: WrittenResource | undefined;
}

interface LoadOptions extends ManifestOptions {
  /** The resource whose block is needed later. */
  readonly showing?: Address | undefined;
  /** Default: the commands of the manifest are left alone. */
  readonly use?: CommandUse | undefined;
}

/**
 * Loads a manifest and emits its diagnostics. Returns undefined if it has mistakes. The syntax trees take more memory than all that
 * is declared, so they are let go before anything is read.
 */
export async function loadUsableManifest(options: LoadOptions, io: Session): Promise<UsableManifest | undefined> {
  const loaded = await loadManifestFiles(options.file, options, io, options.use);
  const { result, diagnostics, written, readSecret, files, outside, provider, contract } = loaded;
  io.emit({ type: "diagnostics", diagnostics: withoutUnset(diagnostics) });
  const block = options.showing === undefined ? undefined : written.get(options.showing);
  return result && { ...result, readSecret, files, outside, provider, contract, block };
}

/** A manifest, the live state that it is compared with, and the resources that it owns. Nothing in it can write to the API. */
export interface OpenManifest
  extends Omit<UsableManifest, "contract">, Pick<LiveFile, "target" | "contract" | "source"> {
  readonly owned: OpenOwnership;
  /** The target that the inventory belongs to; undefined for a service that is gone after the command. */
  readonly inventory: LiveFile["inventory"];
}

export type PlanRequest = Omit<PlanInput, "live" | "now">;

/** Returns the request for a plan of an open manifest. By default it is about all of it, and allows nothing that needs consent. */
export const planRequest = (
  { desired, contract, target, owned: { ownership } }: Pick<OpenManifest, "desired" | "contract" | "target" | "owned">,
  { consent = nothingAllowed, selection = everything }: Partial<Pick<PlanInput, "consent" | "selection">> = {},
): PlanRequest => ({ desired, contract, target, consent, ownership, selection });

interface OpenOptions extends SourceOptions, LoadOptions, OwnershipOptions {
  readonly selection?: Selection;
  /** Whether the run makes again what the last apply declared. Default: false. */
  readonly onlyDrift?: boolean | undefined;
}

/** Returns which part of what is ours a run is about. */
export const ownedPart = (
  { selection = everything, onlyDrift: again = false }: Pick<OpenOptions, "selection" | "onlyDrift">,
  { removed }: Desired,
) => (again ? { partial: true, again } : { partial: isPartial(selection), removed });

/** Opens a manifest and all that a plan of it reads, for the length of `work`. Ends with `wrong_input` if the manifest has mistakes. */
export async function withOpenManifest(
  options: OpenOptions,
  io: Session,
  work: (open: OpenManifest) => Promise<Ending>,
): Promise<Ending> {
  const manifest = await loadUsableManifest(options, io);
  if (!manifest) return "wrong_input";
  io.stopwatch?.begin("reads");
  const { desired, files, outside } = manifest;
  const asked = { files, outside, ...ownedPart(options, desired) };
  return withSource(options, { ...manifest, manifests: options.file }, io, ({ inventory, ...live }) =>
    withOwnership(options, inventory, asked, io, (owned) => work({ ...manifest, ...live, owned, inventory })),
  );
}
