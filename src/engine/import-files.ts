import { hasErrors, type Diagnostic } from "../model/diagnostic.ts";
import { declareZones } from "../import/declare-zones.ts";
import { flowItems, type Head } from "../import/write-manifest.ts";
import type { FileZone, TextFile } from "../import/zone.ts";
import { chooseContract } from "./session/choose-target.ts";
import type { Ending, Session } from "./session/host.ts";
import { emitImported, isWanted, type ImportOptions } from "./import-account.ts";
import { newFolder, requireNewFolder } from "./import/import-destination.ts";
import { headOf, nameFrom, unnamed } from "./import/new-manifest.ts";
import { allowedFolders } from "./session/load-manifest.ts";
import {
  readZoneFiles,
  type ReadZones,
  leadsOut,
  readSource,
  unreadable,
  withFrames,
} from "./import/read-zone-files.ts";
import { settleImport } from "./import/settle-import.ts";
import { validateManifest } from "./validate.ts";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readOctodnsFile, zoneOfFile } from "../import/octodns/read-zone.ts";
import { checkZone } from "../kinds/shared/domain-name.ts";
import { getOrMake, groupBy } from "../lib/collect.ts";
import { broughtIn, yamlFile } from "../lib/inside.ts";
import { InputError } from "./session/input-error.ts";

/** The files that are read instead of an account. */
export interface ImportFilesOptions extends ImportOptions {
  readonly source: "zone-file" | "octodns";
  readonly paths: readonly string[];
}

/** Writes a manifest of the zones that files hold, and checks it. Asks no API, so that nothing is planned. */
export async function importFiles(options: ImportFilesOptions, io: Session): Promise<Ending> {
  requireNewFolder(options.folder);
  const { contract, diagnostics: ofContract } = await chooseContract(options.contract, {}, io.env);
  const { folder, layout, baseUrl = "", source, paths } = options;
  const allowed = allowedFolders(options.allowFile);
  const read = source === "octodns" ? readOctodnsFolder(paths[0] ?? "", allowed) : readZoneFiles(paths, allowed);
  const made = contract && declareZones(read.zones, { contract, isWanted: (address) => isWanted(options, address) });
  const found = [...ofContract, ...read.diagnostics, ...(made?.diagnostics ?? [])];
  io.emit({ type: "diagnostics", diagnostics: found });
  if (!made || hasErrors(found)) return "wrong_input";
  const target = { name: "", baseUrl, contract: contract.name, emulator: baseUrl === "" };
  const [zone, other] = read.zones;
  const name = zone && !other ? nameFrom(zone.name) : unnamed;
  const head: Head = { ...headOf(folder, options, target, io), ...(target.emulator && { name }) };
  const { write, save } = newFolder({ folder, layout }, head);
  const drafted = groupBy(made.declared.blocks, ({ address }) => address);
  const declared = settleImport(made.declared, {
    contract,
    live: undefined,
    target,
    now: io.now(),
    write,
    valuesOf: (address) => (drafted.get(address) ?? []).map((block) => flowItems([block])),
  });
  emitImported(declared, { place: folder, files: save(declared), reads: 0, is_new: true }, [], io);
  return validateManifest({ file: [folder], allowFile: [], contract: options.contract }, io);
}

/** Reads the zones of a folder of octoDNS: a file for each zone, several files of one zone, or a folder `example.com.` with a file for each name. */
function readOctodnsFolder(folder: string, allowed: readonly string[]): ReadZones {
  const texts = new Map<string, TextFile>();
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
      const summary = `The file ${path} is not in the manifest: its name is not that of a zone`;
      diagnostics = [...diagnostics, { severity: "warning", code: "not_imported", summary }];
      continue;
    }
    const read = readOctodnsFile(source, zone);
    diagnostics = [...diagnostics, ...read.diagnostics];
    const before = getOrMake(zones, zone, () => ({ ...read.zone, records: [] }));
    zones.set(zone, { ...before, records: [...before.records, ...read.zone.records] });
  }
  return { zones: [...zones.values()], diagnostics: withFrames(diagnostics, texts) };
}

/** A folder that is not to be entered stands for its files. Throws an InputError for what is not a folder of zone files. */
function filesIn(
  folder: string,
  mayEnter: (path: string) => boolean,
): { readonly path: string; readonly zone: string }[] {
  const names = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? namesIn(folder) : [];
  const found = names.flatMap((name) => {
    const path = join(folder, name);
    if (name.endsWith(".") && name.length > 1 && statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
      const files = mayEnter(path) ? namesIn(path).filter(isYaml) : [""];
      return files.map((file) => ({ path: join(path, file), zone: zoneOfFile(name) }));
    }
    return isYaml(name) ? [{ path, zone: zoneOfFile(name) }] : [];
  });
  if (found.length > 0) return found;
  throw new InputError({ type: "no_octodns_folder", path: folder });
}

const namesIn = (path: string) => readdirSync(path).toSorted();

const isYaml = (name: string) => /^[^.].*\.ya?ml$/u.test(name);
