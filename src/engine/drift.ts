import type { Address } from "../model/address.ts";
import { acceptDrift } from "./run/accept-drift.ts";
import { findDrift, type DriftRules } from "./run/find-drift.ts";
import type { Ending } from "./session/ending.ts";
import type { Session } from "./session/host.ts";
import type { FileOptions } from "./session/load-manifest.ts";
import { planRequest, withOpenManifest } from "./session/open-manifest.ts";
import type { SourceOptions } from "./session/open-snapshot.ts";
import type { OwnershipOptions } from "./session/ownership.ts";
import { checkPattern } from "./status.ts";

export interface DriftOptions extends SourceOptions, FileOptions, OwnershipOptions, DriftRules {
  /** A resource whose live values are written into the manifest. */
  readonly accept?: Address | undefined;
}

/** Compares the live state with the manifest as it was last applied. Only reads. */
export async function showDrift(options: DriftOptions, io: Session): Promise<Ending> {
  options.tolerate.forEach(checkPattern);
  return withOpenManifest(options, io, async (open) => {
    const found = await findDrift(open, planRequest(open), options, io);
    if (typeof found === "string") return found;
    if (options.accept !== undefined) {
      await acceptDrift(options.accept, found, planRequest(open), options, io);
      return "done";
    }
    const { items, incomplete } = found.drift;
    io.emit({ type: "drift", drift: found.drift });
    if (incomplete.length > 0) return "refused";
    return items.length > 0 ? "changes" : "done";
  });
}
