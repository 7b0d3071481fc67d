import { statSync, readdirSync, realpathSync, type Dirent } from "node:fs";
import { dirname, join, resolve, isAbsolute } from "node:path";
import { InputError, refusedInput } from "../../engine/session/input-error.ts";
import { orUndefined } from "../../lib/or-undefined.ts";
import { nameSome } from "../../lib/shorten.ts";
import { inWords } from "../../lib/system-words.ts";
import { byPlace } from "../../manifest/load.ts";
import { checkSchema, validPart } from "../../manifest/schema/check-schema.ts";
import { readSources } from "../../manifest/sources.ts";
import type { Mistake } from "../../manifest/yaml/diagnostic-at.ts";
import { parseSource } from "../../manifest/yaml/parse.ts";
import type { SourceText, WrittenMap } from "../../manifest/yaml/written.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Fleet, KeySource } from "../model.ts";
import { keyOfWorker, keySource } from "./account-key.ts";
import { checkAccounts, type PlacedAccount } from "./check-accounts.ts";
import { listAt, mapAt, pathOf, readSettings, readVariables, report, textAt, type Reading } from "./settings.ts";
import type { Emit } from "../../engine/session/events.ts";
import { mayBringIn } from "../../lib/inside.ts";
import { matchesGlob } from "../../model/glob.ts";

/**
 * Reads a fleet.yaml, or that of a folder, and finds the folders of its accounts. It reads no manifest and no key. Throws an InputError with
 * all mistakes, each with its place.
 * @param flag the flag that names it.
 */
export async function readFleet(path: string, flag = "-f"): Promise<Fleet> {
  const file = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? join(path, "fleet.yaml") : path;
  const read = await readSources([file], { flag });
  const [source] = read.sources;
  const { fleet, diagnostics } = source ? parseFleet(source) : { fleet: undefined, diagnostics: read.diagnostics };
  if (fleet && diagnostics.length === 0) return fleet;
  throw new InputError({ type: "diagnostics", diagnostics });
}

function parseFleet(source: SourceText): { readonly fleet?: Fleet; readonly diagnostics: readonly Diagnostic[] } {
  const { root, diagnostics: unread } = parseSource(source);
  if (!root) return { diagnostics: unread.length > 0 ? unread : [empty(source)] };
  const checked = checkSchema(root, true, "fleet");
  const tree = validPart(root, checked.wrong, "fleet");
  const diagnostics = [...unread, ...checked.diagnostics];
  const file = resolve(source.file);
  const keys = [mapAt(root, "defaults"), ...entriesOf(root)].map((map) => map?.entries.get("key")?.value);
  // An account with a key that cannot be read does not get that of the worker.
  const hasWrongKey = keys.some((key) => key && checked.wrong.has(key));
  const found = accountsIn(tree, hasWrongKey ? undefined : keyOfWorker, { top: dirname(file), diagnostics });
  diagnostics.push(...checkAccounts(found));
  const accounts = found.map(({ account }) => account);
  return {
    fleet: { name: textAt(tree, "name") ?? "", file, accounts },
    diagnostics: diagnostics.sort(byPlace),
  };
}

const empty = ({ file }: SourceText): Diagnostic => ({
  severity: "error",
  code: "empty_fleet",
  summary: `${file} is empty`,
  detail: "a map with the keys version, name and accounts",
  hint: "begin with: version: 1",
});

function entriesOf(root: WrittenMap): readonly WrittenMap[] {
  const list = root.entries.get("accounts")?.value;
  return list?.type === "list" ? list.items.flatMap((item) => (item.type === "map" ? item : [])) : [];
}

function accountsIn(tree: WrittenMap, usualKey: KeySource | undefined, reading: Reading): PlacedAccount[] {
  const defaults = readSettings(mapAt(tree, "defaults"), reading);
  const shared = readVariables(mapAt(tree, "variables"));
  const templates = listAt(tree, "templates").flatMap((node) => pathOf(node, reading) ?? []);
  return entriesOf(tree).flatMap((entry) => {
    const { key, ...settings } = { ...defaults, ...readSettings(entry, reading) };
    const variables = { ...shared, ...readVariables(mapAt(entry, "variables")) };
    const needs = listAt(entry, "needs");
    const more = { ...settings, variables, needs: needs.map(({ text }) => text) };
    return foldersIn(entry, reading).map(({ name: own, real, node }): PlacedAccount => {
      const name = textAt(entry, "name") ?? own;
      const { owner = name } = settings;
      const source = key === undefined ? usualKey : keySource(key.text, { name, owner });
      const account = { ...more, name, owner, manifests: [join(reading.top, own), ...templates] };
      return { account: source ? { ...account, key: source } : account, real, node, key, needs };
    });
  });
}

/** Returns the folders of an entry, each with the pattern that names it. */
function foldersIn(entry: WrittenMap, reading: Reading) {
  const except = listAt(entry, "except");
  const unused = new Set(except);
  const isExcept = ({ name }: FoundFolder) => {
    const naming = except.filter(({ text }) => namesFolder(text, name));
    for (const node of naming) unused.delete(node);
    return naming.length > 0;
  };
  const found = [...listAt(entry, "folder"), ...listAt(entry, "folders")].flatMap((node) => {
    try {
      const named = findFolders(reading.top, node.text);
      if (named.length === 0) report(reading, node, noFolder(node.text));
      const folders = named.filter((each) => !isExcept(each));
      for (const why of ["leads_out", "no_manifest"] as const) {
        const names = folders.flatMap(({ name, wrong }) => (wrong === why ? name : []));
        if (names.length > 0) report(reading, node, { code: why, ...wrongFolders[why](nameSome(names, 3)) });
      }
      return folders.flatMap((each) => (each.wrong ? [] : { ...each, node }));
    } catch (error) {
      const summary = `The folders of ${node.text} cannot be read: ${(inWords(error) as Error).message}`;
      report(reading, node, { code: "unreadable", summary, hint: "check the permissions of the folders" });
      return [];
    }
  });
  for (const node of unused) report(reading, node, noFolder(node.text));
  return found;
}

const noFolder = (pattern: string): Mistake => ({
  code: "not_found",
  summary: pattern.includes("*")
    ? `The pattern ${pattern} does not match any folder`
    : `The folder ${pattern} does not exist`,
  hint: "check the path: it is relative to the folder of this file",
});

const wrongFolders = {
  leads_out: (names: string) => ({
    summary: `Not below the folder of the fleet's file, or hidden, with all symbolic links followed: ${names}`,
    hint: "put the folder itself there, or leave it out with except:",
  }),
  no_manifest: (names: string) => ({
    summary: `${names} does not contain a manifest`,
    detail: "at least one file that ends in .yaml or .yml; hidden ones and node_modules are not read",
    hint: "write a manifest there, or leave the folder out with except:",
  }),
};

/** Returns the fleet as its file is now. `again`: also where the file is as it was, since a folder may have come. */
export type CurrentFleet = (again?: boolean) => Promise<Fleet>;

/** Reads a fleet again when its file changes. Where it cannot be read, the one before counts, and that is said. */
export function currentFleet(first: Fleet, warn: Emit): CurrentFleet {
  let fleet = first;
  let seen: string | undefined;
  return async (again = false) => {
    const stat = orUndefined(() => statSync(first.file));
    const mark = stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : "";
    if (mark === seen && !again) return fleet;
    seen = mark;
    try {
      const next = await readFleet(first.file);
      if (next.name === first.name) fleet = next;
      else warn({ type: "diagnostics", diagnostics: [unused(first, `it names the fleet ${next.name}`)] });
    } catch (error) {
      const { mistake } = refusedInput(error) ?? {};
      if (!mistake) throw error;
      const [wrong] = mistake.type === "diagnostics" ? mistake.diagnostics : [];
      warn({ type: "diagnostics", diagnostics: [unused(first, wrong?.summary ?? "it cannot be read")] });
    }
    return fleet;
  };
}

const unused = ({ name, file }: Fleet, why: string) => ({
  severity: "warning" as const,
  code: "fleet_not_used",
  summary: `${file} has changed, and is not used: ${why}`,
  hint: `mend the file; until then this worker serves the fleet ${name} as it was`,
});

/** A folder below that of fleet.yaml. */
interface FoundFolder {
  /** Its path relative to the folder of fleet.yaml, with `/`. */
  readonly name: string;
  /** The path without links. */
  readonly real: string;
  /** The reason that it cannot be the folder of an account. */
  readonly wrong?: "leads_out" | "no_manifest";
}

/**
 * Finds the folders that a pattern names, sorted. `*` stands for any characters of one name, and for none of a hidden folder or node_modules.
 * Throws an Error of the system for a folder that cannot be read.
 */
function findFolders(top: string, pattern: string): readonly FoundFolder[] {
  if (isAbsolute(pattern) || pattern.split("/").includes(".."))
    return [{ name: pattern, real: pattern, wrong: "leads_out" }];
  let names = [""];
  for (const part of partsOf(pattern)) names = names.flatMap((name) => namesBelow(top, name, part));
  const realTop = realpathSync.native(top);
  return names.map((name) => inspect(realTop, realpathSync.native(join(top, name)), name));
}

/** Returns whether a pattern names a folder. */
function namesFolder(pattern: string, name: string): boolean {
  const [globs, parts] = [partsOf(pattern), name.split("/")];
  return globs.length === parts.length && globs.every((glob, index) => matchesGlob(glob, parts[index] ?? ""));
}

const partsOf = (pattern: string) => pattern.split("/").filter((part) => part !== "" && part !== ".");

/** Returns the names of the folders in a folder that one part of a pattern names. */
function namesBelow(top: string, name: string, part: string): string[] {
  const below = (entry: string) => (name === "" ? entry : `${name}/${entry}`);
  if (!part.includes("*")) return isFolder(join(top, name, part)) ? [below(part)] : [];
  return readdirSync(join(top, name), { withFileTypes: true })
    .filter((entry) => isShown(entry) && matchesGlob(part, entry.name))
    .filter((entry) => (entry.isSymbolicLink() ? isFolder(join(top, name, entry.name)) : entry.isDirectory()))
    .map((entry) => below(entry.name))
    .sort();
}

const isShown = ({ name }: Dirent) => !name.startsWith(".") && name !== "node_modules";

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function inspect(top: string, real: string, name: string): FoundFolder {
  // The folder of fleet.yaml itself would bring in the manifests of all.
  if (real === top || !mayBringIn(top, real)) return { name, real, wrong: "leads_out" };
  return holdsManifest(real) ? { name, real } : { name, real, wrong: "no_manifest" };
}

function holdsManifest(folder: string): boolean {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(isShown);
  return (
    entries.some((entry) => !entry.isDirectory() && /\.ya?ml$/u.test(entry.name)) ||
    entries.some((entry) => entry.isDirectory() && holdsManifest(join(folder, entry.name)))
  );
}
