import { advice } from "../messages/advice.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { GivenVariable } from "../model/resource.ts";
import { checkSchema, validPart } from "./schema/check-schema.ts";
import { mergeMaps } from "./yaml/merge.ts";
import { parseSource } from "./yaml/parse.ts";
import { joinSources } from "./yaml/secret-spans.ts";
import { readSources, type ReadSources, type SourceDeps } from "./sources.ts";
import { nothingOutside, type OutsideValues } from "./templates/bind-variables.ts";
import { ownSections } from "./templates/definitions.ts";
import { expandTemplates } from "./templates/expand.ts";
import { memberOf, type SourceText, type Variable, type WrittenMap, type WrittenNode } from "./yaml/written.ts";
import { readdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { orUndefined } from "../lib/or-undefined.ts";
import { readFile } from "../lib/read-file.ts";
import { kinds } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import { diagnosticAt, type Mistake } from "./yaml/diagnostic-at.ts";
import { findBlocks, findCollectionBlocks, writeOnlyNodes, type FoundBlock } from "./read/read-resources.ts";
import { outsideInName } from "./templates/substitute.ts";

export interface LoadedManifest {
  /** The written tree, as far as it fits the schema: parts with a mistake are left out. Undefined where nothing could be read. */
  readonly tree: WrittenMap | undefined;
  readonly sources: readonly SourceText[];
  /** The values of variables that come from outside. */
  readonly given: readonly GivenVariable[];
  /** Every mistake of every file, sorted by file, line and column; those without a place come first. */
  readonly diagnostics: readonly Diagnostic[];
  /** Those of them about keys that every manifest needs and this one lacks. */
  readonly lacking?: readonly Diagnostic[];
}

interface LoadDeps extends SourceDeps {
  /** Called once the texts are parsed. */
  readonly onParsed?: () => void;
  /** The texts that were read at the paths. Default: they are read. */
  readonly read?: ReadSources | undefined;
}

/**
 * Reads a manifest from files, folders and standard input (`-`): merged key by key and checked against the schema.
 * The user's mistakes are diagnostics; nothing is thrown for them.
 * @param outside values of variables that do not stand in the manifest.
 */
export async function loadManifest(
  paths: readonly string[],
  deps: LoadDeps,
  outside = nothingOutside,
): Promise<LoadedManifest> {
  const { sources, diagnostics: unread } = deps.read ?? (await readSources(paths, deps));
  const loaded = parseManifest(sources, unread, outside, deps.onParsed);
  return { ...loaded, diagnostics: await namePartsOfFolder(loaded, paths) };
}

/** The same from texts that are at hand already: expands their templates, merges them, and checks them against the schema. */
export function parseManifest(
  sources: readonly SourceText[],
  unread: readonly Diagnostic[] = [],
  outside: OutsideValues = nothingOutside,
  onParsed?: () => void,
): LoadedManifest {
  const parsed = sources.map(parseSource);
  onParsed?.();
  joinSources(sources);
  const found = [...unread, ...parsed.flatMap(({ diagnostics }) => diagnostics)];
  const { roots, broken, given, hasVariables, diagnostics } = expandTemplates(
    parsed.flatMap(({ root }) => root ?? []),
    outside,
  );
  const [first, ...others] = roots;
  if (!first) {
    const all = [...found, ...diagnostics];
    return {
      tree: undefined,
      sources,
      given,
      diagnostics: all.length > 0 ? all.sort(byPlace) : [emptyManifest(sources.map(({ file }) => file))],
    };
  }
  const merged = mergeMaps([first, ...others]);
  const checked = checkSchema(merged.root, found.length === 0, "manifest", broken);
  const tree = validPart(merged.root, checked.wrong);
  const keys = parsed.flatMap(({ root }) => (root ? [...root.entries.keys()] : []));
  const isOther =
    keys.length > 0 &&
    tree?.entries.size === 0 &&
    !keys.some((key) => ownSections.includes(key)) &&
    checked.diagnostics.every(isOfOtherFile);
  const mistakes = isOther
    ? roots.map(otherFile)
    : [...merged.diagnostics, ...checked.diagnostics, ...(hasVariables ? checkPlaces(tree) : [])];
  return {
    tree,
    sources,
    given,
    lacking: checked.lacking,
    diagnostics: [...found, ...diagnostics, ...mistakes].sort(byPlace),
  };
}

/** Compares diagnostics by file, line and column; those without a place come first. */
export function byPlace({ at: one }: Diagnostic, { at: other }: Diagnostic): number {
  const files = (one?.file ?? "").localeCompare(other?.file ?? "", "en");
  return files || (one?.line ?? 0) - (other?.line ?? 0) || (one?.col ?? 0) - (other?.col ?? 0);
}

const emptyManifest = (paths: readonly string[]): Diagnostic => ({
  severity: "error",
  code: "empty_manifest",
  summary: paths.length === 1 ? `${paths.join("")} is empty` : `These files are empty: ${paths.join(", ")}`,
  detail: "a map with keys such as version, name, services and dns",
  hint: "begin with: version: 1",
});

/** Whether a mistake is one of a key that is not like any of a manifest, or that is missing. */
const isOfOtherFile = ({ code, hint }: Diagnostic) =>
  code === "missing_key" || (code === "unknown_key" && hint === undefined);

const otherFile = (root: WrittenMap): Diagnostic =>
  diagnosticAt(root, {
    code: "not_a_manifest",
    summary: `${root.source.file} is not a manifest: none of its keys is one`,
    detail: "keys such as version, name, services and dns",
    hint: "check the path; a saved plan is applied with: hostform apply PLAN",
  });

/** The keys that a manifest needs once, in one of its files. */
const once = [/^version:\s*["']?1["']?\s*(?:#.*)?$/mu, /^name:\s*\S/mu];

/** A folder of a manifest has few files, and a folder of anything else is not searched. */
const mostFiles = 100;
const mostBytes = 1024 * 1024;

/**
 * Replaces the hints of mistakes that come from naming a file of a manifest alone: its version or its name stands in a file beside it.
 * @param paths the paths of the manifest, as they were given.
 */
async function namePartsOfFolder(
  { diagnostics, lacking = [] }: LoadedManifest,
  paths: readonly string[],
): Promise<readonly Diagnostic[]> {
  const [first] = paths;
  if (first === undefined || lacking.length === 0 || !paths.every((path) => /\.ya?ml$/u.test(path))) return diagnostics;
  const folder = dirname(first);
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  if (!found.every((each) => each?.isFile() === true)) return diagnostics;
  const beside = await textsBeside(folder, paths);
  if (!once.every((pattern) => beside.some((text) => pattern.test(text)))) return diagnostics;
  const shown = folder.endsWith("/") ? folder : `${folder}/`;
  const hint = advice.nameFolder(paths.length === 1 ? "this file is" : "these files are", shown);
  return diagnostics.map((each) => (lacking.includes(each) ? { ...each, hint } : each));
}

/** Returns the texts of the manifest files in a folder, without those that were given. */
async function textsBeside(folder: string, given: readonly string[]): Promise<readonly string[]> {
  const known = new Set(given.map((path) => resolve(path)));
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const others = entries
    .filter((entry) => entry.isFile() && /\.ya?ml$/u.test(entry.name) && !entry.name.startsWith("."))
    .map(({ name }) => join(folder, name))
    .filter((path) => !known.has(resolve(path)));
  return others
    .slice(0, mostFiles)
    .flatMap((path) => orUndefined(() => readFile(path, mostBytes).bytes.toString()) ?? []);
}

/**
 * Finds variables in secrets, and values from outside that would decide which resources are ours, what may be deleted, or what a resource
 * belongs to. Those in keys are found where they are put in.
 */
function checkPlaces(tree: WrittenMap): Diagnostic[] {
  const found = kinds.flatMap((kind) => [
    ...findBlocks(kind, tree).flatMap((block) => checkBlock(kind, block)),
    ...findCollectionBlocks(kind, tree).flatMap(({ node }) => checkNames(node, ["exclusive", "ignore"])),
  ]);
  // Two kinds may share a collection's options.
  return [...new Map(found.map(({ node, mistake }) => [node, mistake]))].map(([node, mistake]) =>
    diagnosticAt(node, mistake),
  );
}

interface MisplacedNode {
  readonly node: WrittenNode;
  readonly mistake: Mistake;
}

function checkBlock(kind: Kind, { key, node }: FoundBlock): MisplacedNode[] {
  const { naming, relations } = kind;
  const inBody = naming.fromBody ? Object.keys(naming.toFields(key)) : [];
  // A field that names others by its keys has had them checked.
  const reference = relations?.references?.field;
  const isName = reference !== undefined && memberOf(node, reference)?.type === "scalar";
  return [
    ...checkNames(node, [...inBody, "lifecycle", ...(isName ? [reference] : [])]),
    ...writeOnlyNodes(kind, node).flatMap(({ name, node: value }) =>
      nodesIn(value).flatMap((each) => {
        const [variable] = each.variables ?? [];
        // Numbers, true and false are no secrets, though the API does not return them.
        const isText = each.type === "scalar" && typeof each.value === "string";
        return variable && isText ? { node: each, mistake: variableInSecret(variable, name) } : [];
      }),
    ),
  ];
}

const checkNames = (body: WrittenNode, keys: readonly string[]): MisplacedNode[] =>
  keys
    .flatMap((key) => memberOf(body, key) ?? [])
    .flatMap(nodesIn)
    .flatMap((node) => {
      const outside = node.variables?.find((variable) => variable.outside !== undefined);
      return outside ? { node, mistake: outsideInName(outside) } : [];
    });

/** Returns the scalars in a node, and the lists and maps that a variable holds. */
function nodesIn(node: WrittenNode): WrittenNode[] {
  if (node.type === "scalar" || node.variables) return [node];
  const inner = node.type === "list" ? node.items : [...node.entries.values()].map(({ value }) => value);
  return inner.flatMap(nodesIn);
}

const variableInSecret = ({ name }: Variable, field: string): Mistake => ({
  code: "variable_in_secret",
  summary: `${field} takes no variable: plans show the value of ${name}`,
  detail: "${env:NAME} or ${file:PATH}",
  hint: "write ${env:NAME} here, or give it to the template in with:",
});
