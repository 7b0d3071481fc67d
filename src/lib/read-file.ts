import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync, type Stats } from "node:fs";
import type { Readable } from "node:stream";
import { isItself, realPath } from "./inside.ts";
import { orUndefined } from "./or-undefined.ts";
import { inWords } from "./system-words.ts";

/** Milliseconds that reading one file, or standard input, may take in all. */
const longest = 30_000;
const chunkBytes = 1024 * 1024;

let mayRead: ((real: string) => boolean) | undefined;

/** Binds this process for good: it reads no file of which `isOwn` does not take the path, without links. */
export function confineReading(isOwn: (real: string) => boolean): void {
  mayRead = isOwn;
}

/** Returns the path that is opened. Throws an Error for a file that this process may not read, whether or not it is there. */
function readable(path: string): string {
  const real = mayRead === undefined ? path : realPath(path);
  if (mayRead?.(real) === false) throw notRead("it is outside the folder that this server was started for");
  return real;
}

/**
 * Reads a whole regular file, and its permission bits. Throws an Error with its path, a code, and a message in words: the system's, or
 * NOT_READ for a pipe, a device, a socket, more bytes than `maxBytes`, and more time than `milliseconds`. A pipe is refused because it can
 * be read only once, and its end may never come.
 */
export function readFile(path: string, maxBytes: number, milliseconds = longest): { bytes: Buffer; mode: number } {
  const parts: Buffer[] = [];
  const reading = readInParts(path, maxBytes, milliseconds);
  for (;;) {
    const next = worded(path, () => reading.next());
    if (next.done === true) return { bytes: Buffer.concat(parts), mode: next.value };
    parts.push(next.value);
  }
}

/** Reads a regular file part by part, with the limits of `readFile`, and returns its permission bits. The time between parts does not count. */
export function* readInParts(named: string, maxBytes: number, milliseconds = longest): Generator<Buffer, number> {
  const path = readable(named);
  // Opening some devices has an effect, so the path is looked at before it is opened, and the open file again.
  requireRegular(
    worded(named, () => statSync(path)),
    maxBytes,
  );
  const descriptor = worded(named, () => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
  try {
    const stats = fstatSync(descriptor);
    requireRegular(stats, maxBytes);
    yield* readToEnd(descriptor, stats.size, maxBytes, milliseconds);
    return stats.mode & 0o7777;
  } finally {
    closeSync(descriptor);
  }
}

function worded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw Object.assign(inWords(error) as Error, { path });
  }
}

/** Reads a whole regular file as UTF-8, without its byte order mark. Throws as readFile, and for bytes that are not UTF-8. */
export function readText(path: string, maxBytes: number): string {
  const text = textIn(readFile(path, maxBytes).bytes);
  if (text === undefined) throw Object.assign(notRead("it is not UTF-8 text"), { path });
  return text;
}

/** Returns the text that bytes are in UTF-8, without its byte order mark; undefined for bytes that are none. */
export const textIn = (bytes: Uint8Array): string | undefined =>
  orUndefined(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes));

/** The path of a file, or a text that is kept elsewhere. `name`: what messages call it; default: `<text>`. */
export type TextSource = string | { readonly text: string; readonly name?: string };

export const nameOfSource = (from: TextSource): string => (typeof from === "string" ? from : from.name) ?? "<text>";

/**
 * Reads the text of a file that the user named. Throws as readText, and for a link that leads out of its folder: others may have made it,
 * and what is wrong with the file would be shown.
 */
export function readNamedText(path: TextSource, maxBytes: number): string {
  if (typeof path !== "string") return path.text;
  if (!isItself(path)) throw notRead("it is a symbolic link that leads out of its folder; name the file itself");
  return readText(path, maxBytes);
}

/** Reads a stream to its end, with the limits of a file. Throws an Error that says which limit was passed; the stream is then destroyed. */
export async function readStream(stream: Readable, maxBytes: number, milliseconds = longest): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(
    () => stream.destroy(notRead(`it did not end within ${milliseconds / 1000} s`)),
    milliseconds,
  );
  try {
    for await (const chunk of stream) {
      size += (chunk as Buffer).length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk as Buffer);
    }
    return Buffer.concat(chunks);
  } finally {
    clearTimeout(timer);
  }
}

/** Some files of /proc state no size, and a file may grow: only the end of the data is the end. */
function* readToEnd(descriptor: number, size: number, maxBytes: number, milliseconds: number): Generator<Buffer> {
  let total = 0;
  let spent = 0;
  for (;;) {
    const part = Buffer.allocUnsafe(Math.min(Math.max(size - total + 1, 4096), chunkBytes));
    // Node loads `performance` when it is first used, which takes longer than reading most files.
    const started = process.uptime();
    const length = readSync(descriptor, part);
    spent += 1000 * (process.uptime() - started);
    if (length === 0) return;
    total += length;
    if (total > maxBytes) throw tooLarge(maxBytes);
    if (spent > milliseconds) throw notRead("reading it takes too long");
    yield part.subarray(0, length);
  }
}

/**
 * Requires that a path, which another program opens by its name, leads to a regular file or to nothing. Throws an Error with a code:
 * the system's, or NOT_READ for a folder, a pipe, a device, a socket and a link to nothing.
 */
export function requireRegularOrAbsent(path: string): void {
  const found = worded(path, () => lstatSync(path, { throwIfNoEntry: false }));
  if (!found) return;
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw notRead("it is a link that leads nowhere");
  requireRegular(stats, Infinity);
}

function requireRegular(stats: Stats, maxBytes: number): void {
  if (stats.isDirectory()) throw notRead("it is a folder, not a file");
  if (!stats.isFile()) throw notRead(`it is not a regular file, but ${sortOf(stats)}`);
  if (stats.size > maxBytes) throw tooLarge(maxBytes);
}

function sortOf(stats: Stats): string {
  if (stats.isFIFO()) return "a pipe";
  return stats.isSocket() ? "a socket" : "a device";
}

const tooLarge = (maxBytes: number) => notRead(`it is larger than ${sizeText(maxBytes)}`);

const sizeText = (bytes: number) =>
  bytes > 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${Math.round(bytes / 1024)} KiB`;

const notRead = (reason: string) => Object.assign(new Error(reason), { code: "NOT_READ" });
