import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { Block, Declared, Omission } from "../../import/block.ts";
import type { DeclareOptions } from "../../import/declare-account.ts";
import { fileNameOf } from "../../import/file-names.ts";
import { isPlaceable, insertBlocks } from "../../import/insert.ts";
import { parseFile, placeBlocks, type ParsedFile } from "../../import/find-place.ts";
import {
  mainFile,
  schemaFile,
  schemaLine,
  sectionsText,
  writeManifest,
  type Head,
} from "../../import/write-manifest.ts";
import { kinds } from "../../kinds/index.ts";
import { groupBy } from "../../lib/collect.ts";
import { isLink } from "../../lib/inside.ts";
import { packageFile } from "../../lib/package-file.ts";
import { readFile, readText } from "../../lib/read-file.ts";
import { requireOwnPlace, writeFile, writeFolder } from "../../lib/write-file.ts";
import { decodeSource, maxSourceBytes } from "../../manifest/yaml/decode-source.ts";
import { loadManifest } from "../../manifest/load.ts";
import { memberOf, toJson, type SourceText, type WrittenMap } from "../../manifest/yaml/written.ts";
import { kindOf } from "../../model/address.ts";
import { isObject } from "../../model/json-pointer.ts";
import type { PlanInput } from "../../model/plan-input.ts";
import { InputError } from "../session/input-error.ts";
import { ignoringGlob } from "../../policy/deletions.ts";
import { wayTo } from "./new-manifest.ts";
import type { UsableManifest } from "../session/open-manifest.ts";

type Account = Pick<PlanInput, "live" | "contract">;

/** The destination of an imported manifest: a new folder, or a manifest that is there. */
export interface Destination {
  /** Which live resources are declared, and how. */
  readonly rules: (account: Account) => Pick<DeclareOptions, "isTaken" | "isWanted" | "desired" | "defaults">;
  /** Finds the place of each block. */
  readonly place: (draft: Declared) => Declared;
  /** Returns the whole manifest with the blocks in it. */
  readonly write: (declared: Declared) => readonly SourceText[];
  /** Writes the files that change, and returns how many. */
  readonly save: (declared: Declared) => number;
}

/** A manifest that is not there yet. */
export interface NewFolder {
  /** The folder to write. */
  readonly folder: string;
  readonly layout: "folder" | "single";
  /** Receives the texts of the folder's files by their names; then nothing is written. Default: the folder is written. */
  readonly texts?: Map<string, string> | undefined;
}

/** The folder that is taken for a manifest where none is named, unless the usual file stands beside it. */
const usualFolder = "hosting";

/** Throws an InputError for a link, by whatever name it is given: what it leads to is elsewhere. */
export function requireNoLink(path: string): void {
  if (isLink(path)) throw new InputError({ type: "link_in_the_way", path });
}

/** Throws an InputError for a link, for a file, for a folder that holds anything, and for one that would be a second manifest where none is named. */
export function requireNewFolder(folder: string): void {
  requireNoLink(folder);
  const isFile = statSync(folder, { throwIfNoEntry: false })?.isFile() === true;
  if (isFile || (existsSync(folder) && readdirSync(folder).length > 0))
    throw new InputError({ type: "folder_not_empty", path: folder, isFile });
  const file = join(dirname(resolve(folder)), mainFile);
  if (basename(resolve(folder)) === usualFolder && existsSync(file))
    throw new InputError({ type: "manifest_beside", path: relative(".", file) });
}

/**
 * Writes a new manifest, and the schema that its files name. Returns how many files the manifest has.
 * @param texts receives the files by their names. Default: the folder is written.
 */
export function writeNewManifest(folder: string, files: readonly SourceText[], texts?: Map<string, string>): number {
  const schema = { file: schemaFile, text: readText(packageFile(`dist/schemas/${schemaFile}`), maxSourceBytes) };
  const all = texts ?? new Map<string, string>();
  for (const { file, text } of [...files, schema]) all.set(file, text);
  if (!texts) writeFolder(folder, all, 0o644);
  return files.length;
}

/** A manifest in a new folder. */
export function newFolder({ folder, layout, texts }: NewFolder, head: Head): Destination {
  const write = (declared: Declared) => writeManifest(declared, head, layout);
  return {
    rules: () => ({ isTaken: () => false, isWanted: () => true, desired: undefined, defaults: {} }),
    place: (draft) => draft,
    write,
    save: (declared) => writeNewManifest(folder, write(declared), texts),
  };
}

/** A manifest, and its texts when it was loaded. */
export interface OpenExisting extends Pick<UsableManifest, "desired" | "outside"> {
  readonly texts: readonly SourceText[];
  readonly allowed?: readonly string[];
}

/** Throws an InputError if a manifest is not what it was before the account was read: it would be compared with what it no longer says. */
function requireSame(path: string, before: readonly SourceText[], now: readonly SourceText[]): void {
  const known = new Map(before.map(({ file, text }) => [file, text]));
  const changed = now.find(({ file, text }) => known.get(file) !== text)?.file;
  if (changed === undefined && now.length === before.length) return;
  throw new InputError({ type: "manifest_changed", path: changed ?? path });
}

/** The manifest at a path, to which what it does not manage is added. */
export async function existingManifest(
  path: string,
  { desired, outside, texts: before, allowed = [] }: OpenExisting,
): Promise<Destination> {
  const { sources, tree } = await loadManifest([path], { allowed }, outside);
  requireSame(path, before, sources);
  const isFolder = statSync(path).isDirectory();
  const files = sources.map(parseFile);
  const newFile = (domain: string) => (isFolder ? join(path, fileNameOf(domain)) : path);
  const texts = (declared: Declared) => editedTexts(files, declared, schemaIn(sources, path));
  return {
    rules: (account) => rulesOf({ desired, ...account }, tree),
    place: (draft) => placed(draft, files, newFile),
    write: (declared) => {
      const edited = texts(declared);
      const changed = new Set(edited.map(({ file }) => file));
      return [...sources.filter(({ file }) => !changed.has(file)), ...edited];
    },
    save: (declared) => {
      texts(declared).forEach(({ file }) => requireSaveable(files.find((each) => each.file === file)?.text, file));
      const saved = new Map<string, string>();
      for (const stage of stagesOf(declared)) {
        for (const source of texts(stage)) {
          if (saved.get(source.file) !== source.text) saveFile(source);
          saved.set(source.file, source.text);
        }
      }
      return saved.size;
    },
  };
}

export function rulesOf(
  { desired, live, contract }: Account & Pick<PlanInput, "desired">,
  tree?: WrittenMap,
): ReturnType<Destination["rules"]> {
  const written = memberOf(tree, "defaults");
  const defaults = written && toJson(written);
  return {
    desired,
    defaults: isObject(defaults) ? defaults : {},
    isTaken: (address) => desired.resources.has(address),
    isWanted: (address) => {
      const resource = live.resources.get(address);
      if (!resource || desired.resources.has(address) || desired.removed.has(address)) return false;
      return ignoringGlob({ desired, contract }, resource) === undefined;
    },
  };
}

/** Finds the place of each block in the files that are there. What has none there is left out. */
function placed(draft: Declared, files: readonly ParsedFile[], newFile: (domain: string) => string): Declared {
  const byName = new Map(files.map((file) => [file.file, file]));
  const isOpen = (block: Block & { readonly file: string }) => {
    const file = byName.get(block.file);
    return file === undefined || isPlaceable(file, block);
  };
  const blocks = placeBlocks(draft.blocks, files, newFile);
  const closed = blocks
    .filter((block) => !isOpen(block))
    .map(({ address: of, domain, path, file }): Omission => ({
      of,
      domain,
      path,
      reason: `its place in ${file} is an alias, or a value that has an anchor or is not a map`,
    }));
  return {
    blocks: blocks.filter(isOpen),
    ignores: placeBlocks(draft.ignores, files, newFile).filter(isOpen),
    omissions: [...draft.omissions, ...closed],
  };
}

/**
 * Returns what is added, kind by kind, each time with all before it. A resource may need another in another file, so this is the order in
 * which the manifest is valid at each moment, whatever file the run ends at.
 */
function stagesOf(declared: Declared): Declared[] {
  const added = new Set(declared.blocks.map(({ address }) => kindOf(address)));
  const order = kinds.map(({ name }) => name).filter((name) => added.has(name));
  const isOneFile = new Set(declared.blocks.map(({ file }) => file)).size <= 1;
  if (isOneFile || order.length <= 1) return [declared];
  return order.map((_, index) => {
    const until = new Set(order.slice(0, index + 1));
    if (until.size === order.length) return declared;
    return { ...declared, ignores: [], blocks: declared.blocks.filter(({ address }) => until.has(kindOf(address))) };
  });
}

/** Returns the comment by which the files of a manifest name its schema, as a file in its folder writes it. */
function schemaIn(sources: readonly SourceText[], folder: string): string | undefined {
  for (const { file, text } of sources) {
    const schema = /^# yaml-language-server: \$schema=(\S+)/mu.exec(text)?.[1];
    if (schema === undefined) continue;
    const isRelative = !isAbsolute(schema) && !/^[a-z]{2,}:/iu.test(schema);
    return schemaLine(isRelative ? wayTo(folder, join(dirname(file), schema)) : schema);
  }
  return undefined;
}

/** Returns the files that change, with the blocks in them. A new file names the schema if the others do. */
function editedTexts(
  files: readonly ParsedFile[],
  { blocks, ignores }: Declared,
  schema: string | undefined,
): SourceText[] {
  const byFile = groupBy([...blocks, ...ignores], ({ file = "" }) => file);
  return [...byFile].flatMap(([file, added]) => {
    const there = files.find((each) => each.file === file);
    if (!there) {
      const head = schema === undefined ? "" : `${schema}\n\n`;
      return [{ file, text: head + sectionsText(added) }];
    }
    const text = insertBlocks(there, added);
    return text === there.text ? [] : [{ file, text }];
  });
}

/** Writes a file of a manifest that was edited. Throws an InputError if it is not as it was read. */
export function saveEdited(before: SourceText, text: string): void {
  requireSaveable(before.text, before.file);
  saveFile({ ...before, text });
}

/** Throws an InputError for a file that is not as it was read, or where something else stands in the way of a new one. */
function requireSaveable(text: string | undefined, file: string): void {
  requireOwnPlace(file);
  if (text === undefined) {
    if (existsSync(file)) throw new InputError({ type: "no_place", path: file });
    return requireNoLink(file);
  }
  const now = existsSync(file) ? decodeSource(file, readFile(file, maxSourceBytes).bytes) : undefined;
  if (now && "source" in now && now.source.text === text) return;
  throw new InputError({ type: "manifest_changed", path: file });
}

/** Writes a file with the mode and the byte order mark that it has. */
function saveFile({ file, text }: SourceText): void {
  if (!existsSync(file)) return writeFile(file, text, 0o644);
  const path = realpathSync(file);
  const { bytes, mode } = readFile(path, maxSourceBytes);
  const hasMark = bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]));
  return writeFile(path, hasMark ? `\ufeff${text}` : text, mode & 0o777);
}
