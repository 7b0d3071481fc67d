import { isAscii } from "node:buffer";
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import { readFile } from "../lib/read-file.ts";

/** Code that V8 has compiled, by the checksum of its source and the version of V8. */
export type CompiledCode = ReadonlyMap<string, Uint8Array>;

export interface LoadedCode<Exports> {
  readonly exports: Exports;
  /** Returns the compiled code of all files that were loaded so far, and the code that was given; undefined where that was all. */
  readonly compiled: () => CompiledCode | undefined;
}

const mostBytes = 16 * 1024 * 1024;

/**
 * Loads a CommonJS file and the files beside it that it requires, and undici, without compiling what was compiled in an earlier run. The
 * compiler is most of the time that a small command takes.
 * @param folder of the files; an absolute path.
 */
export function loadCode<Exports>(folder: string, name: string, given: CompiledCode): LoadedCode<Exports> {
  const modules = new Map<string, { exports: unknown }>();
  const missing = new Map<string, Script>();
  const load = (path: string): unknown => {
    const known = modules.get(path);
    if (known) return known.exports;
    const module = { exports: {} };
    modules.set(path, module);
    const { sum, script } = compile(path, given);
    if (script.cachedDataRejected !== false) missing.set(sum, script);
    const run = script.runInThisContext() as (...values: readonly unknown[]) => void;
    run(module.exports, requireFor(path, load), module, path, dirname(path));
    return module.exports;
  };
  return {
    exports: load(join(folder, name)) as Exports,
    compiled: () =>
      missing.size === 0
        ? undefined
        : new Map([...given, ...[...missing].map(([sum, script]) => [sum, script.createCachedData()] as const)]),
  };
}

/** The files of undici. Other packages are loaded by Node, which knows more forms of them. */
const inUndici = /[\\/]node_modules[\\/]undici[\\/]/u;

/** The most bytes of headers, where Node is not told otherwise: all that undici asks of `node:http`, which takes a fortieth of a small plan to load. */
const usualHeaderSize = 16 * 1024;
const setsHeaderSize = () =>
  `${process.execArgv.join(" ")} ${process.env["NODE_OPTIONS"]}`.includes("max-http-header-size");

/** Returns the function `require` of the file at a path. `load`: loads another file of the program. */
function requireFor(path: string, load: (path: string) => unknown): (id: string) => unknown {
  const requireOther = createRequire(path);
  const isOfUndici = inUndici.test(path);
  return (id) => {
    // Of Node's modules undici needs the longest to load only for HTTP/2, which is never asked for. It is made for a Node that has none.
    if (isOfUndici && id === "node:http2") throw new Error("HTTP/2 is not used");
    if (isOfUndici && id === "node:http" && !setsHeaderSize()) return { maxHeaderSize: usualHeaderSize };
    if (id.startsWith("node:")) return requireOther(id);
    if (id.startsWith("./") && !isOfUndici) return load(join(dirname(path), id));
    const found = requireOther.resolve(id);
    return inUndici.test(found) ? load(found) : requireOther(id);
  };
}

const head = Buffer.from("(function (exports, require, module, __filename, __dirname) {");
const tail = Buffer.from("\n})");

/** Compiles a file as Node compiles a CommonJS module. The checksum is all that tells compiled code of one source from that of another of its length. */
function compile(path: string, given: CompiledCode): { readonly sum: string; readonly script: Script } {
  const { bytes } = readFile(path, mostBytes);
  const sum = createHash("sha256").update(process.versions.v8).update(bytes).digest("hex");
  const cachedData = given.get(sum);
  const wrapped = Buffer.concat([head, bytes, tail]);
  const source = wrapped.toString(isAscii(wrapped) ? "latin1" : "utf8");
  const script = new Script(source, { filename: path, ...(cachedData && { cachedData }) });
  return { sum, script };
}

/** Returns compiled code as one text of bytes: the length of a list of sums and lengths, the list, the code. */
export function packCode(code: CompiledCode): Buffer {
  const list = Buffer.from(JSON.stringify([...code].map(([sum, { length }]) => [sum, length])));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(list.length);
  return Buffer.concat([length, list, ...code.values()]);
}

/** Returns the compiled code that `packCode` has packed. */
export function unpackCode(bytes: Buffer): CompiledCode {
  let start = 4 + bytes.readUInt32LE();
  const list = JSON.parse(bytes.toString("utf8", 4, start)) as readonly (readonly [string, number])[];
  return new Map(
    list.map(([sum, length]) => {
      start += length;
      return [sum, bytes.subarray(start - length, start)];
    }),
  );
}
