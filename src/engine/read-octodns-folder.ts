import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readOctodnsFile, zoneOfFile } from "../import/octodns/read-zone.ts";
import type { FileZone } from "../import/zone.ts";
import type { ZoneText } from "../import/zone-file/read-zone.ts";
import { checkZone } from "../kinds/shared/domain-name.ts";
import { getOrMake } from "../lib/collect.ts";
import { broughtIn, yamlFile } from "../lib/inside.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { InputError } from "./input-error.ts";
import { leadsOut, readSource, unreadable, withFrames, type ReadZones } from "./read-zone-files.ts";

/** Reads the zones of a folder of octoDNS: a file for each zone, several files of one zone, or a folder `example.com.` with a file for each name. */
export function readOctodnsFolder(folder: string, allowed: readonly string[] = []): ReadZones {
  const texts = new Map<string, ZoneText>();
  const zones = new Map<string, FileZone>();
  let diagnostics: readonly Diagnostic[] = [];
  const mayRead = broughtIn(folder, allowed, yamlFile);
  for (const { path, zone } of filesIn(folder, broughtIn(folder, allowed))) {
    const source = mayRead(path) ? readSource(path) : { reason: leadsOut };
    if (!("text" in source)) {
      diagnostics = [...diagnostics, unreadable(path, source.reason)];
      continue;
    }
    texts.set(path, source);
    if (checkZone(zone) !== undefined) {
      diagnostics = [...diagnostics, notZone(path)];
      continue;
    }
    const read = readOctodnsFile(source, zone);
    diagnostics = [...diagnostics, ...read.diagnostics];
    const before = getOrMake(zones, zone, () => ({ ...read.zone, records: [] }));
    zones.set(zone, { ...before, records: [...before.records, ...read.zone.records] });
  }
  if (zones.size === 0 && diagnostics.length === 0)
    diagnostics = [unreadable(folder, "it has no file such as example.com.yaml")];
  return { zones: [...zones.values()], diagnostics: withFrames(diagnostics, texts) };
}

/** A folder that is not to be entered stands for its files. */
function filesIn(
  folder: string,
  mayEnter: (path: string) => boolean,
): { readonly path: string; readonly zone: string }[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new InputError({ type: "no_octodns_folder", path: folder });
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    if (name.endsWith(".") && name.length > 1 && statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      const files = mayEnter(path) ? namesIn(path).filter(isYaml) : [""];
      return files.map((file) => ({ path: join(path, file), zone: zoneOfFile(name) }));
    }
    return isYaml(name) ? [{ path, zone: zoneOfFile(name) }] : [];
  });
}

const namesIn = (path: string) => readdirSync(path).toSorted();

const isYaml = (name: string) => /^[^.].*\.ya?ml$/u.test(name);

const notZone = (path: string): Diagnostic => ({
  severity: "warning",
  code: "not_imported",
  summary: `The file ${path} is not in the manifest: its name is not that of a zone`,
});
