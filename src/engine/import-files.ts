import { hasErrors } from "../model/diagnostic.ts";
import type { Declared } from "../import/block.ts";
import { declareZones } from "../import/declare-zones.ts";
import { writeManifest, type Head } from "../import/write-manifest.ts";
import type { FileZone } from "../import/zone.ts";
import { writeFolder } from "../lib/write-file.ts";
import type { Contract } from "../model/contract.ts";
import { chooseContract } from "./choose-contract.ts";
import type { Ending } from "./ending.ts";
import type { Emit } from "./events.ts";
import type { Host } from "./host.ts";
import { isWanted, omissionDiagnostic, type ImportOptions } from "./import-account.ts";
import { requireNewFolder } from "./import-destination.ts";
import { headOf } from "./import-head.ts";
import { allowedFolders } from "./manifest-folder.ts";
import { readOctodnsFolder } from "./read-octodns-folder.ts";
import { readZoneFiles, type ReadZones } from "./read-zone-files.ts";
import { settleImport } from "./settle-import.ts";
import { validateManifest } from "./validate.ts";

/** The files that are read instead of an account. */
export interface ImportFilesOptions extends ImportOptions {
  readonly source: "zone-file" | "octodns";
  readonly paths: readonly string[];
}

/** Writes a manifest of the zones that files hold, and checks it. Asks no API, so that nothing is planned. */
export async function importFiles(options: ImportFilesOptions, io: Host, emit: Emit): Promise<Ending> {
  requireNewFolder(options.folder);
  const { contract, diagnostics: ofContract } = await chooseContract(options.contract, {}, io.env);
  const read = readSources(options);
  const made = contract && declareZones(read.zones, { contract, isWanted: (address) => isWanted(options, address) });
  const found = [...ofContract, ...read.diagnostics, ...(made?.diagnostics ?? [])];
  emit({ type: "diagnostics", diagnostics: found });
  if (!made || hasErrors(found)) return "wrong_input";
  return writeZones(options, { declared: made.declared, zones: read.zones, contract }, io, emit);
}

/** Reads zone files, or the only folder of octoDNS. */
function readSources({ source, paths, allowFile }: ImportFilesOptions): ReadZones {
  const allowed = allowedFolders(allowFile);
  return source === "octodns" ? readOctodnsFolder(paths[0] ?? "", allowed) : readZoneFiles(paths, allowed);
}

interface Made {
  readonly declared: Declared;
  readonly zones: readonly FileZone[];
  readonly contract: Contract;
}

async function writeZones(options: ImportFilesOptions, made: Made, io: Host, emit: Emit): Promise<Ending> {
  const { folder, layout, baseUrl = "" } = options;
  const { zones, contract } = made;
  const target = { name: "", baseUrl, contract: contract.name, emulator: baseUrl === "" };
  const head: Head = { ...headOf(folder, options, target, io, emit), ...(target.emulator && { name: nameOf(zones) }) };
  const write = (each: Declared) => writeManifest(each, head, layout);
  const declared = settleImport(made.declared, {
    contract,
    live: undefined,
    target,
    now: io.now(),
    write: (each) => write(each).map(({ name, text }) => ({ file: name, text })),
    valuesOf: () => [],
  });
  const files = write(declared);
  writeFolder(folder, new Map(files.map(({ name, text }) => [name, text])), 0o644);
  const { blocks, omissions } = declared;
  emit({ type: "diagnostics", diagnostics: omissions.map(omissionDiagnostic) });
  const counts = { files: files.length, resources: blocks.length, left_out: omissions.length, reads: 0 };
  emit({ type: "imported", place: folder, ...counts, is_new: true });
  return validateManifest({ file: [folder], allowFile: [], contract: options.contract }, io, emit);
}

/** Returns a name for a manifest: that of its only zone. */
function nameOf(zones: readonly FileZone[]): string {
  const [zone, other] = zones;
  const name = zone && !other ? zone.name.replaceAll(/[^a-z0-9]+/gu, "-").replaceAll(/^-|-$/gu, "") : "";
  return name === "" ? "imported" : name.slice(0, 63).replace(/-$/u, "");
}
