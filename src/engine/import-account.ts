import { declareAccount, liveValues } from "../import/declare-account.ts";
import type { Declared, Omission } from "../import/block.ts";
import type { Kind } from "../kinds/kind.ts";
import { groupBy } from "../lib/collect.ts";
import { join } from "node:path";
import { yamlFile } from "../lib/inside.ts";
import { requireOwnPlace } from "../lib/write-file.ts";
import { readSources, type ReadSources } from "../manifest/sources.ts";
import { kindOf, type Address } from "../model/address.ts";
import { hasErrors, type Diagnostic } from "../model/diagnostic.ts";
import { matchesGlob } from "../model/glob.ts";
import type { Live } from "../model/resource.ts";
import { withoutDoubles } from "../plan/shared-lists.ts";
import { prepare } from "../plan/prepare.ts";
import { byItself } from "../saved-plans/portable-desired.ts";
import { editInventory } from "./inventory.ts";
import type { Ending, Session } from "./session/host.ts";
import { inputError } from "./session/input-error.ts";
import type { Emit, EngineEvent } from "./session/events.ts";
import {
  existingManifest,
  newFolder,
  requireNewFolder,
  type Destination,
  type NewFolder,
} from "./import/import-destination.ts";
import { headOf } from "./import/new-manifest.ts";
import { type FileOptions, allowedFolders } from "./session/load-manifest.ts";
import { loadUsableManifest, planRequest, type UsableManifest } from "./session/open-manifest.ts";
import { withSource, type LiveFile, type SourceOptions } from "./session/open-snapshot.ts";
import { withOwnership } from "./session/ownership.ts";
import { endingOfPlan } from "./plan.ts";
import { readAccount, refreshAndPlan, unavailable, withProgress } from "./session/read-and-plan.ts";
import { checkPattern } from "./status.ts";
import { settleImport } from "./import/settle-import.ts";

export interface ImportOptions extends SourceOptions, FileOptions, NewFolder {
  /** A manifest to which what it does not manage is added, instead of a new folder. */
  readonly into?: string | undefined;
  /** Globs of addresses; none: all. */
  readonly only: readonly string[];
  /** Names of kinds; none: all. */
  readonly kind: readonly string[];
  /** Whether the imported resources become ours at once, and not with the next apply. */
  readonly own: boolean;
}

/** Reads an account and writes the manifest that a person would have written for it; then plans that manifest. */
export async function importAccount(options: ImportOptions, host: Session): Promise<Ending> {
  const io = { ...host, emit: eachOnce(host.emit) };
  const { into, folder } = options;
  options.only.forEach(checkPattern);
  if (into !== undefined) requireOwnPlace(into);
  else if (!options.texts) requireNewFolder(folder);
  const allowed = allowedFolders(options.allowFile);
  const texts = await readSources(into === undefined ? [] : [into], { flag: "--into", allowed });
  const existing =
    into === undefined ? undefined : await loadQuietly({ ...manifestAt(options, into), read: texts }, io);
  if (into !== undefined && !existing) return "wrong_input";
  const asking = { ...existing, manifests: into === undefined ? undefined : [into] };
  const importFrom = async (open: LiveFile) => {
    const source = withProgress(open.source, io);
    const read = await readAccount(source, open.contract, ({ kind }) => isWantedKind(options, kind));
    if (!read.ok) return unavailable(read.error, io);
    requireWanted(options, read.value);
    const destination =
      existing && into !== undefined
        ? await existingManifest(into, { ...existing, texts: texts.sources, allowed })
        : newFolder(options, headOf(folder, options, open.target, io));
    const account = { ...open, source, live: read.value, existing };
    const added = writeAccount(options, account, destination, io);
    return planImported({ ...options, read: readIn(options) }, { ...account, added }, io);
  };
  return withSource(options, asking, io, importFrom);
}

/** Returns a manifest that was not written; undefined for one that was. */
function readIn({ folder, texts }: ImportOptions): ReadSources | undefined {
  const manifests = [...(texts ?? [])].filter(([name]) => yamlFile.test(name));
  return texts && { sources: manifests.map(([name, text]) => ({ file: join(folder, name), text })), diagnostics: [] };
}

/** Leaves out what was said before: a manifest that is written, planned and owned in one run is loaded more than once. */
function eachOnce(emit: Emit): Emit {
  const said = new Set<string>();
  const isNew = (each: unknown) => said.size < said.add(JSON.stringify(each)).size;
  return (event) => {
    if (event.type === "diagnostics") emit({ ...event, diagnostics: event.diagnostics.filter(isNew) });
    else if (event.type !== "settings_overridden" || isNew(event)) emit(event);
  };
}

/** Loads a manifest whose warnings come later, when it is planned. */
async function loadQuietly(asked: ReturnType<typeof manifestAt>, io: Session) {
  const events: EngineEvent[] = [];
  const manifest = await loadUsableManifest(asked, { ...io, emit: (event) => events.push(event) });
  if (!manifest) events.forEach(io.emit);
  return manifest;
}

const manifestAt = (options: ImportOptions, path: string) => ({ ...options, file: [path] });

interface OpenAccount extends Pick<LiveFile, "source" | "target" | "contract" | "inventory"> {
  readonly live: Live;
  /** The manifest to which the account is added. */
  readonly existing: UsableManifest | undefined;
}

/** Writes the manifest, and returns how many resources it adds. */
function writeAccount(
  options: ImportOptions,
  { live, contract, target, existing }: OpenAccount,
  destination: Destination,
  io: Session,
): number {
  // An object may have a longer name on the server than in the manifest, and is not to be imported a second time.
  const desired = existing?.desired;
  const named = desired
    ? prepare({ ...byItself(desired, undefined), desired, live, contract }).live
    : withoutDoubles(live);
  const rules = destination.rules({ live: named, contract });
  const draft = declareAccount(named, {
    ...rules,
    contract,
    mask: io.mask,
    isWanted: (address) => rules.isWanted(address) && isWanted(options, address),
  });
  const declared = settleImport(destination.place(draft), {
    live,
    contract,
    target,
    now: io.now(),
    write: destination.write,
    valuesOf: (address) => liveValues(live, address).map(io.mask),
    ...(existing && { existing }),
  });
  const files = destination.save(declared);
  const place = options.into ?? options.folder;
  const written = { place, files, reads: live.reads, is_new: options.into === undefined };
  emitImported(declared, written, unmatched(options, live), io);
  return declared.blocks.length;
}

/**
 * Says which files an import has written, and what it has left out of them.
 * @param unmatched the patterns that nothing matches.
 */
export function emitImported(
  { blocks, omissions }: Declared,
  written: { readonly place: string; readonly files: number; readonly reads: number; readonly is_new: boolean },
  unmatched: readonly string[],
  { emit }: Session,
): void {
  // Lists that could not be read for one reason are named together.
  const omitted = groupBy(omissions, (each) => (each.isList === true ? each.reason : each));
  emit({ type: "diagnostics", diagnostics: [...omitted.values()].map(omissionDiagnostic) });
  for (const pattern of unmatched) emit({ type: "no_match", pattern });
  const unread = omissions.filter(({ isList }) => isList === true).length;
  emit({ type: "imported", ...written, resources: blocks.length, left_out: omissions.length - unread, unread });
}

/** Plans the manifest that was written, against the live state that was read, and the lists that only an existing manifest needs. */
async function planImported(
  options: ImportOptions,
  { source, live, contract, target, inventory, added }: OpenAccount & { readonly added: number },
  io: Session,
): Promise<Ending> {
  const asked = manifestAt(options, options.into ?? options.folder);
  const manifest = await loadUsableManifest(asked, io);
  if (!manifest) return "wrong_input";
  const { desired, files, outside } = manifest;
  const place = inventory && { ...inventory, name: desired.name };
  return withOwnership(asked, place, { files, outside, partial: false }, io, async (owned) => {
    const request = planRequest({ desired, contract, target: { ...target, name: desired.name }, owned });
    const planned = await refreshAndPlan(source, { ...request, live, now: io.now() });
    if (!planned.ok) return unavailable(planned.error, io);
    const { plan: made } = planned.value;
    // A mistake of the manifest that only the live state shows is not one of the import, unless that could do nothing else.
    const worst = added > 0 ? "warning" : "error";
    const diagnostics = made.diagnostics.map((each): Diagnostic =>
      each.severity === "error" ? { ...each, severity: worst } : each,
    );
    io.emit({ type: "diagnostics", diagnostics });
    if (hasErrors(diagnostics)) return "wrong_input";
    // The target was shown before the account was read; only the name of the manifest is new.
    // The live spelling is where the manifest came from.
    io.emit({ type: "plan", plan: { ...made, target, ignoredSpellings: [] } });
    const ending = endingOfPlan(made, true);
    const { adopts = [] } = made;
    if (!options.own) {
      if (adopts.length > 0) io.emit({ type: "not_owned", count: adopts.length });
      return ending;
    }
    if (ending === "refused") return ending;
    const wishes = { adopt: new Set(adopts), forget: new Set<Address>(), why: undefined, unlock: false };
    const adopted = await editInventory({ ...asked, wishes }, io);
    return adopted === "done" ? ending : adopted;
  });
}

function omissionDiagnostic(all: readonly [Omission, ...Omission[]]): Diagnostic {
  const [{ field, reason }] = all;
  const of = all.map((each) => each.of).join(", ");
  const what = field === undefined ? of : `${field} of ${of}`;
  const verb = all.length === 1 ? "was" : "were";
  return { severity: "warning", code: "not_imported", summary: `${what} ${verb} left out: ${reason}` };
}

/** Returns the patterns and kinds that no live resource has. */
function unmatched({ only, kind: names }: ImportOptions, { resources }: Live): string[] {
  const patterns = [...only, ...names.map((name) => `${name}/*`)];
  return patterns.filter((pattern) => ![...resources.keys()].some((address) => matchesGlob(pattern, address)));
}

/** Throws an InputError where `--only` and `--kind` leave nothing of an account that was read whole. */
function requireWanted(options: ImportOptions, { resources, collections }: Live): void {
  const { only, kind: names } = options;
  const flags = [...only.map((pattern) => `--only ${pattern}`), ...names.map((name) => `--kind ${name}`)];
  if (flags.length === 0 || [...resources.keys()].some((address) => isWanted(options, address))) return;
  if ([...collections.values()].some(({ incomplete }) => incomplete !== undefined)) return;
  const summary = `Nothing in the account matches ${flags.join(" ")}, so nothing is written`;
  throw inputError("no_match", summary, "hostform status lists what is live");
}

const isWantedKind = ({ kind: names }: ImportOptions, { name }: Kind) => names.length === 0 || names.includes(name);

export const isWanted = ({ kind: names, only }: ImportOptions, address: Address) =>
  (names.length === 0 || names.includes(kindOf(address))) &&
  (only.length === 0 || only.some((glob) => matchesGlob(glob, address)));
