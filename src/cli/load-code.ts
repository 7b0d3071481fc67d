import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import { constants, Script } from "node:vm";
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
 * Loads a CommonJS file and the files beside it that it requires, without compiling what was compiled in an earlier run. The compiler is
 * most of the time that a small command takes.
 * @param folder of the files; an absolute path.
 */
export function loadCode<Exports>(folder: string, name: string, given: CompiledCode): LoadedCode<Exports> {
  const modules = new Map<string, { exports: unknown }>();
  const missing = new Map<string, Script>();
  const requireOther = createRequire(join(folder, name));
  const require = (id: string): unknown => (id.startsWith("./") ? load(id.slice(2)) : requireOther(id));
  const load = (file: string): unknown => {
    const known = modules.get(file);
    if (known) return known.exports;
    const module = { exports: {} };
    modules.set(file, module);
    const path = join(folder, file);
    const { sum, script } = compile(path, given);
    if (script.cachedDataRejected !== false) missing.set(sum, script);
    const run = script.runInThisContext() as (...values: readonly unknown[]) => void;
    run(module.exports, require, module, path, folder);
    return module.exports;
  };
  return {
    exports: load(name) as Exports,
    compiled: () =>
      missing.size === 0
        ? undefined
        : new Map([...given, ...[...missing].map(([sum, script]) => [sum, script.createCachedData()] as const)]),
  };
}

const head = Buffer.from("(function (exports, require, module, __filename, __dirname) {");
const tail = Buffer.from("\n})");

/** Compiles a file, which is in ASCII, as Node compiles a CommonJS module. The checksum is all that tells compiled code of one source from that of another of its length. */
function compile(path: string, given: CompiledCode): { readonly sum: string; readonly script: Script } {
  const { bytes } = readFile(path, mostBytes);
  const sum = createHash("sha256").update(process.versions.v8).update(bytes).digest("hex");
  const cachedData = given.get(sum);
  const source = Buffer.concat([head, bytes, tail]).toString("latin1");
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const script = new Script(source, { filename: path, importModuleDynamically, ...(cachedData && { cachedData }) });
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
