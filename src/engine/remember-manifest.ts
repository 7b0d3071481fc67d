import { hash } from "node:crypto";
import { openCache, type Cache } from "../cache/cache.ts";
import { packDesired, unpackDesired, type PackedDesired } from "../cache/pack-desired.ts";
import type { Provider } from "../manifest/desired.ts";
import { secretReader } from "../manifest/secrets.ts";
import { readSources } from "../manifest/sources.ts";
import type { Contract } from "../model/contract.ts";
import { hasErrors, type Diagnostic } from "../model/diagnostic.ts";
import { chooseContract } from "./choose-contract.ts";
import type { Host } from "./host.ts";
import type { FileOptions, LoadedDesired } from "./load-manifest.ts";
import { allowedFolders, manifestFolder } from "./manifest-folder.ts";
import { buildMark } from "./version.ts";

/** A manifest as it is kept. */
interface KeptManifest {
  /** The hash of the contract that it was checked against. */
  readonly contract: string;
  readonly provider: Provider;
  readonly diagnostics: readonly Diagnostic[];
  readonly desired: PackedDesired;
}

export interface RememberOptions extends FileOptions {
  readonly file: readonly string[];
  /** Whether the cache may be used. Default: false. */
  readonly cache?: boolean | undefined;
}

type Loaded = Omit<LoadedDesired, "tree">;

/**
 * Loads a manifest as `loadManifestFiles` does, but without the places at which resources are written. It is taken from the cache where
 * the same files, with the same names, came to it under the same contract; values from outside the files are not kept there.
 */
export async function loadRemembered(options: RememberOptions, io: Host): Promise<Loaded> {
  const load = async (read = options.read): Promise<Loaded> =>
    (await import("./load-manifest.ts")).loadManifestFiles(options.file, { ...options, read }, io);
  const cache = options.cache === true && !takesValues(options, io) ? openCache(io.env, io.runner.uid) : undefined;
  if (!cache) return load();
  io.stopwatch?.begin("parse");
  const read = options.read ?? (await readSources(options.file, { ...io, allowed: allowedFolders(options.allowFile) }));
  if (read.diagnostics.length > 0) return load(read);
  const parts = [buildMark(), ...read.sources.flatMap(({ file, text }) => [file, hash("sha256", text)])];
  const kept = findKept(cache, parts);
  const contract = kept && (await chooseContract(options.contract, kept.provider, io.env)).contract;
  if (!kept || !contract || hashOf(contract) !== kept.contract) {
    const loaded = await load(read);
    await keep(cache, parts, loaded, options, io);
    return loaded;
  }
  io.stopwatch?.begin("validate");
  for (const { text } of read.sources) io.keepPublic(text);
  return {
    result: { desired: unpackDesired(kept.desired), provider: kept.provider },
    written: new Map(),
    readSecret: secretReader(io.env, manifestFolder(options.file), io.keepSecret, allowedFolders(options.allowFile)),
    files: read.sources.map(({ file }) => file),
    outside: { flags: [], files: [], env: io.env },
    diagnostics: kept.diagnostics,
  };
}

/** Whether variables may have values from outside the files. */
const takesValues = ({ var: flags = [], varFile = [] }: FileOptions, { env }: Host): boolean =>
  flags.length + varFile.length > 0 || Object.keys(env).some((name) => name.startsWith("HOSTFORM_VAR_"));

/** Diagnostics that are kept at most: each has the line of its file with it. */
const mostDiagnostics = 1000;

async function keep(
  cache: Cache,
  parts: readonly string[],
  { result, diagnostics }: Loaded,
  { contract: flag }: FileOptions,
  { env }: Host,
): Promise<void> {
  if (!result || hasErrors(diagnostics) || diagnostics.length > mostDiagnostics) return;
  const { contract } = await chooseContract(flag, result.provider, env);
  const desired = packDesired(result.desired);
  if (!contract || !desired) return;
  const kept: KeptManifest = { contract: hashOf(contract), provider: result.provider, diagnostics, desired };
  cache.keep("manifest", parts, Buffer.from(JSON.stringify(kept)));
}

function findKept(cache: Cache, parts: readonly string[]): KeptManifest | undefined {
  const content = cache.read("manifest", parts);
  return content && (JSON.parse(content.toString("utf8")) as KeptManifest);
}

export const hashOf = (contract: Contract): string => hash("sha256", JSON.stringify(contract));
