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
import { settleImport } from "./import/settle-import.ts";
import { validateManifest } from "./validate.ts";
import { readdirSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { readZone, type ReadInclude } from "../import/zone-file/read-zone.ts";
import { readOctodnsFile, zoneOfFile } from "../import/octodns/read-zone.ts";
import { checkZone } from "../kinds/shared/domain-name.ts";
import { getOrMake, groupBy } from "../lib/collect.ts";
import { broughtIn, isItself, realPath, yamlFile } from "../lib/inside.ts";
import { readText } from "../lib/read-file.ts";
import { withFrame } from "../manifest/yaml/diagnostic-at.ts";
import { lineStarts } from "../manifest/yaml/written.ts";
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

/** Zones that files hold, and all mistakes in the files. */
interface ReadZones {
  readonly zones: readonly FileZone[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Bytes of one file, and of all files that a zone file includes. */
const mostBytes = 50 * 1024 * 1024;
const deepest = 10;
const mostIncludes = 1000;

/** Reads a zone from each file, with the files below its folder that it includes. */
export function readZoneFiles(paths: readonly string[], allowed: readonly string[] = []): ReadZones {
  const read = paths.map((path) => readZoneFile(path, allowed));
  return {
    zones: read.flatMap(({ zones }) => zones),
    diagnostics: read.flatMap(({ diagnostics }) => diagnostics),
  };
}

function readZoneFile(path: string, allowed: readonly string[]): ReadZones {
  const texts = new Map<string, TextFile>();
  const mayRead = broughtIn(dirname(path), allowed);
  const main: ReturnType<typeof readSource> = mayRead(path) || isItself(path) ? readSource(path) : { reason: leadsOut };
  if (!("text" in main)) return { zones: [], diagnostics: [unreadable(path, main.reason)] };
  texts.set(path, main);
  const { zone, diagnostics } = readZone(main, includeBelow(path, texts, mayRead));
  return { zones: zone ? [zone] : [], diagnostics: withFrames(diagnostics, texts) };
}

/** Reads one file. */
function readSource(path: string): TextFile | { readonly reason: string } {
  try {
    return { file: path, text: readText(path, mostBytes) };
  } catch (error) {
    return { reason: (error as Error).message };
  }
}

/** The mistake of a file that cannot be read. */
const unreadable = (path: string, reason: string): Diagnostic => ({
  severity: "error",
  code: "unreadable_file",
  summary: `The file ${path} cannot be read: ${reason}`,
  hint: "name files of zones; the folder to write stands before --from",
});

/** Reads included files, which must be below the folder of a zone file: a zone file of others must not show files of this machine. */
function includeBelow(path: string, texts: Map<string, TextFile>, mayRead: (path: string) => boolean): ReadInclude {
  const folder = dirname(path);
  let count = 0;
  let bytes = 0;
  return (name, open) => {
    if (isAbsolute(name) || !mayRead(join(folder, name)))
      return { found: `The file ${name} is not below the folder ${folder}`, expected: "a file below it" };
    const file = join(folder, name);
    if (open.some((each) => realPath(each.file) === realPath(file)))
      return { found: `The file ${file} includes itself`, expected: "no cycle of files" };
    if (open.length > deepest)
      return { found: `The file ${file} is included too deep`, expected: `at most ${deepest} files in each other` };
    const read = texts.get(file) ?? readSource(file);
    if (!("text" in read)) return { found: `The file ${file} cannot be read: ${read.reason}`, expected: "a zone file" };
    count += 1;
    bytes += read.text.length;
    if (count > mostIncludes || bytes > mostBytes)
      return {
        found: `${file} is one file too many`,
        expected: `at most ${mostIncludes} included files of 50 MiB in all`,
      };
    texts.set(file, read);
    return read;
  };
}

/** The reason why a link is not read. */
const leadsOut = "it leads out of its folder, or to a hidden file; name the file itself, or use --allow-file FOLDER";

/** Adds the source line to each diagnostic. The line is cut out when it is asked for. */
function withFrames(diagnostics: readonly Diagnostic[], texts: ReadonlyMap<string, TextFile>): readonly Diagnostic[] {
  return diagnostics.map((diagnostic) => {
    const { at } = diagnostic;
    const source = texts.get(at?.file ?? "");
    if (!at || !source) return diagnostic;
    const start = (lineStarts(source)[at.line - 1] ?? 0) + at.col - 1;
    const end = start + Math.max(1, (at.endCol ?? at.col) - at.col);
    return withFrame(diagnostic, { source, start, end });
  });
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
