import { writeZone, zonesIn } from "../import/zone-file/write-zone.ts";
import { normaliseDomain } from "../kinds/shared/domain-name.ts";
import type { Ending, Session } from "./session/host.ts";
import { InputError } from "./session/input-error.ts";
import type { ManifestOptions } from "./session/load-manifest.ts";
import { loadUsableManifest } from "./session/open-manifest.ts";

export interface ExportOptions extends ManifestOptions {
  /** The zone to write; default: the only one. */
  readonly zone?: string | undefined;
}

/** Writes a zone that a manifest declares as a zone file, without the API. */
export async function exportZone(options: ExportOptions, io: Session): Promise<Ending> {
  const manifest = await loadUsableManifest(options, io);
  if (!manifest) return "wrong_input";
  const zones = zonesIn(manifest.desired);
  const asked = options.zone === undefined ? undefined : normaliseDomain(options.zone);
  const zone = zones.length === 1 ? (asked ?? zones[0]) : asked;
  if (zone === undefined || !zones.includes(zone)) throw new InputError({ type: "no_such_zone", zone: asked, zones });
  const { text, diagnostics } = writeZone(zone, manifest.desired, manifest.contract);
  io.emit({ type: "diagnostics", diagnostics });
  io.emit({ type: "zone_file", zone, text });
  return "done";
}
