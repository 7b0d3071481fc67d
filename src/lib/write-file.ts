import {
  appendFileSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isInside, isLink, realPath, staysHere } from "./inside.ts";
import { orUndefined } from "./or-undefined.ts";
import { inWords } from "./system-words.ts";
import { draftIn, makeTempFolder, removeAbandoned } from "./temp-folder.ts";

/** Nothing that stands at the name is opened, whether it is a file or a link that leads elsewhere. */
const newFileOnly = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Throws an Error for a path that a link leads out of the working folder, and for a link to another folder anywhere: whoever may write to a
 * repository may have made it.
 */
export function requireOwnPlace(path: string): void {
  const isElsewhere = isLink(path) && !(existsSync(path) && isInside(realPath(dirname(path)), realPath(path)));
  if (!isElsewhere && staysHere(path)) return;
  throw Object.assign(new Error(`${path} leads out of its folder by a symbolic link, so nothing is written there`), {
    code: "LEADS_OUT",
  });
}

/** Throws an Error for a path at which no file can be written: as requireOwnPlace, for a folder, and for one in no folder. */
export function requireFilePlace(path: string): void {
  requireOwnPlace(path);
  const isIn = statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() === true;
  if (isIn && statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  const reason = isIn ? "it is a folder" : `there is no folder ${dirname(path)}`;
  throw Object.assign(new Error(`No file can be written to ${path}: ${reason}`), { code: "NO_PLACE" });
}

/** Creates a file with a first text, synced, and returns it open. Throws the system's error, EEXIST where the name is taken. */
export async function createFile(path: string, text: string, mode: number): Promise<FileHandle> {
  requireOwnPlace(dirname(path));
  const file = await open(path, newFileOnly, mode).catch((error: unknown) => {
    throw inWords(error, path);
  });
  try {
    await file.writeFile(text);
    await file.sync();
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Appends a text to a file at a path, or to an open one by its descriptor, at once: to hand the copy into the system's memory to a thread
 * would take longer than the copy. It is on the disk after a `datasync`. Throws the system's error.
 */
export const appendText = (file: string | number, text: string): void => appendFileSync(file, text);

/**
 * Writes a whole file: under a random hidden name in the same folder, synced, and then renamed. Readers see the old content or the new, and a
 * power failure leaves one of the two. Replaces a regular file or a link; throws for a folder, a pipe or a device, and the system's errors.
 * Removes the drafts of killed runs from that folder.
 */
export function writeFile(path: string, content: string | Uint8Array, mode: number): void {
  removeAbandoned(dirname(path));
  replaceFile(path, content, mode, "synced");
}

/**
 * As writeFile, without looking for the drafts of killed runs.
 * @param durability `unsynced`: a power failure may leave anything, for content that its reader can tell from damaged content.
 */
export function replaceFile(
  path: string,
  content: string | Uint8Array,
  mode: number,
  durability: "synced" | "unsynced",
): void {
  requireOwnPlace(dirname(path));
  const there = lstatSync(path, { throwIfNoEntry: false });
  // To rename over a device would take it away from every program.
  if (there && !there.isFile() && !there.isSymbolicLink()) throw new Error(`${path} is not a regular file`);
  const draft = draftIn(dirname(path));
  try {
    withDescriptor(openSync(draft, newFileOnly, mode), (descriptor) => {
      writeFileSync(descriptor, content);
      if (durability === "synced") fsyncSync(descriptor);
    });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw inWords(error, path);
  }
  if (durability === "synced") syncFolder(dirname(path));
}

/**
 * Makes a folder, and those above it, unless they are there. Throws the system's error in words. Node's own way with `recursive` never
 * ends where the system says of a folder that it is to make that it does not exist, as below /proc.
 */
export function makeFolders(path: string, mode?: number): void {
  if (!existsSync(dirname(path))) makeFolders(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // It is there already, or another process has made it meanwhile.
    if (orUndefined(() => statSync(path))?.isDirectory() !== true) throw inWords(error, path);
  }
}

/**
 * Writes a folder of new files: under a random hidden name beside it, and then renamed, so that it is never there with a part of its
 * files. The folder must be empty or absent. Throws the system's errors. The working folder cannot be renamed: its files are written one
 * by one, the first of them last.
 */
export function writeFolder(path: string, files: ReadonlyMap<string, string>, mode: number): void {
  requireOwnPlace(path);
  makeFolders(dirname(resolve(path)));
  const isWorkingFolder = existsSync(path) && realpathSync(path) === realpathSync(".");
  const draft = isWorkingFolder ? path : makeTempFolder(".hostform-new", dirname(resolve(path)));
  try {
    for (const [name, text] of [...files].toReversed()) replaceFile(join(draft, name), text, mode, "synced");
    if (!isWorkingFolder) {
      renameSync(draft, path);
      chmodSync(path, 0o777 & ~process.umask());
    }
  } catch (error) {
    if (!isWorkingFolder) rmSync(draft, { recursive: true, force: true });
    throw inWords(error, path);
  }
  syncFolder(dirname(resolve(path)));
}

/** Waits until the names in a folder are on the disk. */
export function syncFolder(folder: string): void {
  withDescriptor(openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY), fsyncSync);
}

function withDescriptor(descriptor: number, work: (descriptor: number) => void): void {
  try {
    work(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
