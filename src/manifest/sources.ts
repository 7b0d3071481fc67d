import { advice } from "../messages/advice.ts";
import { readdirSync, realpathSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";
import { isInside, leadsToHidden, mayBringIn, staysHere, yamlFile } from "../lib/inside.ts";
import { inWords } from "../lib/system-words.ts";
import { readFile } from "../lib/read-file.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { decodeSource, maxSourceBytes, replacement, tooLarge } from "./yaml/decode-source.ts";
import type { Mistake } from "./yaml/diagnostic-at.ts";
import type { SourceText } from "./yaml/written.ts";
import { orUndefined } from "../lib/or-undefined.ts";

export interface SourceDeps {
  /** Reads the whole of standard input. Rejects for more bytes than `maxBytes`, and for an input that does not end. Absent where `-` is a file. */
  readonly readStdin?: (maxBytes: number) => Promise<Uint8Array>;
  /** The flag that names the paths. Default: -f, which HOSTFORM_FILE of `env` stands for. */
  readonly flag?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Folders that links may lead to as well. */
  readonly allowed?: readonly string[];
}

export interface ReadSources {
  readonly sources: SourceText[];
  readonly diagnostics: Diagnostic[];
}

/**
 * Reads manifest files, folders (their .yaml and .yml files at any depth, sorted, without hidden ones and node_modules) and `-`
 * for standard input. A file that is named twice is read once. What cannot be read is a diagnostic, and so is a link that leads out of the
 * folder, or to what the folder would not bring in itself: nothing of it is shown.
 */
export async function readSources(paths: readonly string[], deps: SourceDeps): Promise<ReadSources> {
  const reading: SourceReading = { sources: [], diagnostics: [], seen: new Set(), files: 0, folders: 0, deps };
  for (const path of paths)
    if (path === "-" && deps.readStdin) await readInput(reading, deps.readStdin);
    else readPath(reading, path, []);
  return { sources: reading.sources, diagnostics: reading.diagnostics };
}

/** A whole disk that was named by mistake must not be walked to its end. */
const maxFolders = 10_000;

interface SourceReading extends ReadSources {
  /** Real paths, and `-`: what has been read. */
  readonly seen: Set<string>;
  /** The number of files met, those read before among them. */
  files: number;
  folders: number;
  readonly deps: SourceDeps;
}

async function readInput(reading: SourceReading, readStdin: NonNullable<SourceDeps["readStdin"]>): Promise<void> {
  if (reading.seen.has("-")) return;
  reading.seen.add("-");
  try {
    addSource(reading, "<stdin>", await readStdin(maxSourceBytes));
  } catch (error) {
    refuse(reading, (error as Error).message, unreadableInput);
  }
}

/** Tells why something is not read. `what`: its path, or the reason. */
function refuse({ diagnostics, deps }: SourceReading, what: string, describe: (what: string, flag: string) => Mistake) {
  diagnostics.push({ severity: "error", ...describe(what, deps.flag ?? "-f") });
}

/** @param ancestors the real paths of the folders on the way, to notice a link that leads back. */
function readPath(reading: SourceReading, path: string, ancestors: readonly string[]): void {
  try {
    // A pipe that is reached through /dev/fd has no real path, so its sort is asked for first.
    const found = statSync(path);
    if (!found.isFile() && !found.isDirectory()) return refuse(reading, path, notAFile(reading.deps));
    const real = realpathSync.native(path);
    const [top] = ancestors;
    const isOwn =
      isAllowed(reading, real) || (top === undefined ? isNamed(path, found) : mayBringIn(top, real, nameOf(found)));
    if (!isOwn) return refuse(reading, path, leadsOut);
    if (found.isDirectory()) return readFolder(reading, path, real, ancestors);
    reading.files += 1;
    if (found.size > maxSourceBytes) reading.diagnostics.push(tooLarge(path, found.size));
    else if (!reading.seen.has(real)) {
      reading.seen.add(real);
      addSource(reading, path, readFile(real, maxSourceBytes).bytes);
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ELOOP") refuse(reading, path, loop);
    else if (code === "ENOENT" || code === "ENOTDIR") refuse(reading, path, notFound(reading.deps));
    else refuse(reading, `${path} cannot be read: ${(inWords(error) as Error).message}`, unreadable);
  }
}

const isAllowed = ({ deps: { allowed = [] } }: SourceReading, real: string) =>
  allowed.some((folder) => isInside(realpathSync(folder), real));

/** A link that the user names may lead anywhere but out of the working folder, if it leads to a manifest by its name. */
const isNamed = (path: string, found: Stats) => staysHere(path) && !leadsToHidden(path, nameOf(found));

const nameOf = (found: Stats) => (found.isDirectory() ? undefined : yamlFile);

function readFolder(reading: SourceReading, path: string, real: string, ancestors: readonly string[]): void {
  if (ancestors.includes(real)) return refuse(reading, path, loop);
  reading.folders += 1;
  if (reading.folders === maxFolders + 1) refuse(reading, path, tooManyFolders);
  if (reading.folders > maxFolders) return;
  const before = reading.files + reading.diagnostics.length;
  const entries = readdirSync(real, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const inside = join(path, entry.name);
    const mayHoldManifests = entry.isDirectory() || (entry.isSymbolicLink() && isFolder(inside));
    if (/\.ya?ml$/u.test(entry.name) || mayHoldManifests) readPath(reading, inside, [...ancestors, real]);
  }
  const isEmpty = reading.files + reading.diagnostics.length === before;
  if (isEmpty && ancestors.length === 0) refuse(reading, path, emptyFolder);
}

/** Returns whether a path leads to a folder. Why it cannot be followed is said by whoever reads it. */
export const isFolder = (path: string): boolean => orUndefined(() => statSync(path).isDirectory()) === true;

function addSource(reading: SourceReading, file: string, bytes: Uint8Array): void {
  const decoded = decodeSource(file, bytes);
  if ("source" in decoded) reading.sources.push(decoded.source);
  else reading.diagnostics.push(decoded.diagnostic);
}

const notFound =
  ({ flag, env }: SourceDeps) =>
  (path: string): Mistake => ({
    code: "not_found",
    summary: `There is no file or folder ${path.replaceAll(replacement, String.raw`\ufffd`)}`,
    hint: path.includes(replacement)
      ? String.raw`\ufffd stands for what is not UTF-8 in the name: rename the file or folder`
      : `check the path ${flag === undefined && env?.["HOSTFORM_FILE"] === path ? "in HOSTFORM_FILE" : `given with ${flag ?? "-f"}`}`,
  });

const unreadable = (summary: string): Mistake => ({
  code: "unreadable",
  summary,
  hint: "check the permissions of the file and its folders",
});

const unreadableInput = (reason: string, flag: string): Mistake => ({
  code: "unreadable",
  summary: `Standard input cannot be read: ${reason}`,
  hint: `write it to a file first, and name that file with ${flag}`,
});

const loop = (path: string, flag: string): Mistake => ({
  code: "symlink_loop",
  summary: `The symbolic link ${path} leads back to where it stands`,
  hint: `remove the link, or name the files themselves with ${flag}`,
});

const leadsOut = (path: string, flag: string): Mistake => ({
  code: "leads_out",
  summary: `The symbolic link ${path} leads out of the folder that was named, or to a file that is not a manifest, so it is not read`,
  detail: "a link to a .yaml or .yml file below that folder, and not to a hidden one",
  hint: advice.putFileThere(flag),
});

const notAFile =
  ({ readStdin }: SourceDeps) =>
  (path: string, flag: string): Mistake => ({
    code: "not_a_file",
    summary: `${path} is neither a file nor a folder`,
    detail: "a regular file or a folder: a pipe can be read only once, and a device may have no end",
    hint: readStdin ? `to read from a pipe, or what a command prints, use: ${flag} -` : "put the file itself there",
  });

const tooManyFolders = (path: string, flag: string): Mistake => ({
  code: "too_many_folders",
  summary: `There are more than ${maxFolders.toLocaleString("en")} folders; reading stopped at ${path}`,
  hint: `name a smaller folder that contains the manifests: ${flag} FOLDER`,
});

const emptyFolder = (path: string, flag: string): Mistake => ({
  code: "empty_folder",
  summary: `There is no manifest in the folder ${path}`,
  detail: "at least one file that ends in .yaml or .yml; hidden ones and node_modules are not read",
  hint: `name a folder that contains .yaml or .yml files: ${flag} FOLDER`,
});
