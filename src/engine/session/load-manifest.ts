import { dirname, resolve } from "node:path";
import { offeredPart } from "../../contract/offered.ts";
import { checkOffered } from "../../manifest/read/check-offered.ts";
import { readDesired, readProvider, type Provider, type ReadDesired } from "../../manifest/read/desired.ts";
import { byPlace, loadManifest, parseManifest } from "../../manifest/load.ts";
import { secretReader } from "../../manifest/read/secrets.ts";
import type { ReadSecret } from "../../model/template-parts.ts";
import { broughtIn, isLink, yamlFile } from "../../lib/inside.ts";
import { isFolder, readSources, type ReadSources } from "../../manifest/sources.ts";
import type { OutsideValues } from "../../manifest/templates/bind-variables.ts";
import { parseInterpolation } from "../../manifest/read/interpolation.ts";
import { positionOf, toJson, type SourceText, type WrittenMap } from "../../manifest/yaml/written.ts";
import type { Contract } from "../../model/contract.ts";
import { hasErrors, type Diagnostic } from "../../model/diagnostic.ts";
import type { Json } from "../../model/json.ts";
import type { Desired } from "../../model/resource.ts";
import { chooseSetting } from "./choose-setting.ts";
import { chooseContract, readBaseUrl } from "./choose-target.ts";
import type { Host } from "./host.ts";
import { InputError } from "./input-error.ts";
import { secretCommands, type CommandOptions, type CommandUse, type SecretCommands } from "./secret-commands.ts";

export interface LoadedDesired {
  /** Undefined where a mistake stands in the way. */
  readonly result: Pick<ReadDesired, "desired"> | undefined;
  /** Empty where the manifest cannot be read. */
  readonly provider: Provider;
  /** Undefined where a mistake in it stands in the way. */
  readonly contract: Contract | undefined;
  /** The place of each resource in the manifest. It holds the whole text, so that it is not to be kept. */
  readonly written: ReadDesired["written"];
  readonly readSecret: ReadSecret;
  /** The manifest files that were read, folders taken apart; `<stdin>` for standard input. */
  readonly files: readonly string[];
  /** The manifest as it is with its templates expanded. */
  readonly tree: WrittenMap | undefined;
  readonly outside: OutsideValues;
  readonly diagnostics: readonly Diagnostic[];
}

/** The files that belong to a manifest. */
export interface FileOptions extends CommandOptions {
  /** Folders beside the manifest's own that it may read its secrets from. */
  readonly allowFile: readonly string[];
  /** The contract that says which values the API takes; default: that of the environment, or of the manifest. */
  readonly contract?: string | undefined;
  /** The base URL that comes before that of the manifest. */
  readonly baseUrl?: string | undefined;
  /** Values of variables, as `NAME=VALUE`. */
  readonly var?: readonly string[] | undefined;
  /** Files with values of variables. */
  readonly varFile?: readonly string[] | undefined;
  /** The files of the manifest, where they are read already. */
  readonly read?: ReadSources | undefined;
}

/** The options of what reads a manifest alone, and needs no API. */
export interface ManifestOptions extends FileOptions {
  readonly file: readonly string[];
}

/**
 * Reads and checks the manifests at the paths: everything that needs no API. Throws an InputError where a folder that files may be read
 * from is none, and as `secretCommands`.
 */
export async function loadManifestFiles(
  paths: readonly string[],
  options: FileOptions,
  io: Host,
  use: CommandUse = "leave",
): Promise<LoadedDesired> {
  const allowed = allowedFolders(options.allowFile);
  const folders = (paths.length > 0 ? paths : ["."]).map((path) => manifestFolder([path]));
  const commands = secretCommands(use, options, folders, io);
  const readSecret = secretReader(io.env, manifestFolder(paths), io.keepSecret, allowed, commands.outputOf);
  return loadWith(readSecret, paths, options, io, commands.run);
}

/** The same without reading the secrets: for what shows only where they come from. */
export const loadWithoutSecrets = (paths: readonly string[], options: FileOptions, io: Host): Promise<LoadedDesired> =>
  loadWith(() => ({ missing: "it is not read" }), paths, options, io);

async function loadWith(
  readSecret: ReadSecret,
  paths: readonly string[],
  options: FileOptions,
  io: Host,
  run: SecretCommands["run"] = async () => undefined,
): Promise<LoadedDesired> {
  io.stopwatch?.begin("parse");
  const allowed = allowedFolders(options.allowFile);
  const outside = await readOutside(options, allowed, io);
  const { tree, given, sources, ...loaded } = await loadManifest(
    paths,
    {
      readStdin: io.readStdin,
      env: io.env,
      allowed,
      read: options.read,
      onParsed: () => io.stopwatch?.begin("validate"),
    },
    outside,
  );
  const withhold = withholderFor([...paths, ...(options.varFile ?? [])], allowed);
  const diagnostics = [...outside.diagnostics, ...loaded.diagnostics];
  const provider = tree ? readProvider(tree) : {};
  const { contract, diagnostics: ofContract } = await chooseContract(options.contract, provider, io.env, [
    manifestFolder(paths),
    ...allowed,
  ]);
  const read = { readSecret, files: sources.map(({ file }) => file), outside, provider, contract };
  if (!tree) return { ...read, result: undefined, tree, written: new Map(), diagnostics: withhold(diagnostics) };
  for (const { text } of sources) io.keepPublic(text);
  if (!hasErrors([...diagnostics, ...ofContract]) && sources.some(({ text }) => text.includes("${exec:")))
    await run(commandsIn(toJson(tree)));
  const { desired: offered, written, diagnostics: found } = readOffered(tree, readSecret, contract);
  const desired = given.length > 0 ? { ...offered, variables: given } : offered;
  const ofUrl = contract ? mistakeInUrl(tree, options.baseUrl, contract, io) : ofContract;
  const all = [...diagnostics, ...found, ...ofUrl].toSorted(byPlace);
  const result = hasErrors(all) ? undefined : { desired };
  return { ...read, result, tree, written, diagnostics: withhold(all) };
}

/** Returns the names of the commands in the texts of a manifest. */
function commandsIn(value: Json): string[] {
  if (typeof value === "object") return Object.values(value ?? {}).flatMap(commandsIn);
  const parsed = typeof value === "string" && value.includes("${exec:") ? parseInterpolation(value) : { parts: [] };
  const parts = "parts" in parsed ? parsed.parts : [];
  return parts.flatMap((part) => (typeof part === "object" && "exec" in part ? part.exec : []));
}

/** Takes out what is wrong with a file that a link of the user leads to: it may be any file of this machine, and a mistake quotes it. */
function withholderFor(paths: readonly string[], allowed: readonly string[]) {
  const elsewhere = paths.filter((path) => isLink(path) && !broughtIn(dirname(path), allowed, yamlFile)(path));
  return (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] => {
    const wrong = elsewhere.filter((file) => hasErrors(diagnostics.filter(isOf(file))));
    return [...diagnostics.filter((each) => !wrong.some((file) => isOf(file)(each))), ...wrong.map(withheld)];
  };
}

const isOf = (file: string) => (each: Diagnostic) =>
  [each, ...(each.related ?? [])].some(({ at }) => at?.file === file);

const withheld = (file: string): Diagnostic => ({
  severity: "error",
  code: "leads_out",
  summary: `The file to which the symbolic link ${file} leads, out of its folder, has mistakes, which are not shown`,
  hint: "name the file itself to see them, or allow its folder: --allow-file FOLDER",
});

/** Returns the mistake in the base URL of a manifest, if that URL is the one that counts. */
function mistakeInUrl(
  tree: WrittenMap,
  flag: string | undefined,
  contract: Contract,
  { env }: Host,
): readonly Diagnostic[] {
  const provider = tree.entries.get("provider")?.value;
  const node = provider?.type === "map" ? provider.entries.get("base_url")?.value : undefined;
  const from = chooseSetting("base_url", flag, readProvider(tree), env);
  if (!node || from?.from !== "manifest") return [];
  const read = readBaseUrl(from, contract);
  return "code" in read ? [{ ...read, at: positionOf(node) }] : [];
}

/** Reads the values of variables that do not stand in the manifest. */
async function readOutside(
  { var: flags = [], varFile = [] }: FileOptions,
  allowed: readonly string[],
  { env, readStdin }: Host,
): Promise<OutsideValues & { readonly diagnostics: readonly Diagnostic[] }> {
  const { sources, diagnostics } = await readSources(varFile, { readStdin, flag: "--var-file", allowed });
  return { flags, files: sources, env, diagnostics };
}

/** Reads the resources of a manifest, and checks them against the contract if there is one. */
export function readOffered(tree: WrittenMap, readSecret: ReadSecret, contract: Contract | undefined): ReadDesired {
  const read = readDesired(tree, readSecret, contract);
  if (!contract) return read;
  const untaken = checkOffered(read, contract);
  return { ...read, desired: offeredPart(contract, read.desired), diagnostics: [...read.diagnostics, ...untaken] };
}

/**
 * Returns the declarations of manifests whose texts are no files any more (those of an earlier commit); undefined where they were wrong.
 * Variables have the values of today.
 * @param readSecret default: secrets are not looked up, since those of today may not be those of then.
 */
export function declaredIn(
  texts: readonly SourceText[],
  outside: OutsideValues,
  readSecret: ReadSecret = () => ({ missing: "it is of an earlier manifest" }),
): Desired | undefined {
  const { tree, diagnostics } = parseManifest(texts, [], outside);
  // A variable of today may have been added since.
  if (!tree || hasErrors(diagnostics.filter(({ code }) => code !== "unknown_given_variable"))) return undefined;
  const read = readDesired(tree, readSecret);
  return hasErrors(read.diagnostics) ? undefined : read.desired;
}

/** Folders that secrets may be read from. Throws an InputError for one that is none. */
export function allowedFolders(paths: readonly string[]): readonly string[] {
  const wrong = paths.find((path) => !isFolder(path));
  if (wrong === undefined) return paths.map((path) => resolve(path));
  throw new InputError({ type: "no_folder", path: wrong });
}

/** The folder that `${file:…}` is relative to and may not leave: the first manifest's. */
export function manifestFolder([path = "."]: readonly string[]): string {
  if (path === "-") return resolve(".");
  return isFolder(path) ? resolve(path) : dirname(resolve(path));
}
