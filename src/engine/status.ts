import { readLive, type ListSource } from "../live/read-live.ts";
import { markUndeclared, missingRows, statusRows } from "../live/status-rows.ts";
import type { StatusRow } from "../model/report.ts";
import { accountCollections, wantedCollections } from "../live/wanted-collections.ts";
import { collectionAt, type CollectionRef, normaliseAddress } from "../kinds/derived/collection.ts";
import { nearKind } from "../kinds/derived/address-mistake.ts";
import { kinds } from "../kinds/index.ts";
import { matchesGlob } from "../model/glob.ts";
import { warnOfRefusedKey } from "../policy/refused-key.ts";
import { matchPrefixed } from "../plan/match.ts";
import type { Contract } from "../model/contract.ts";
import type { Result } from "../model/failure.ts";
import type { Desired, Live, LiveResource } from "../model/resource.ts";
import type { Ending, Session } from "./session/host.ts";
import { InputError } from "./session/input-error.ts";
import type { FileOptions } from "./session/load-manifest.ts";
import { loadUsableManifest, type UsableManifest } from "./session/open-manifest.ts";
import { readAccount, reportIncomplete, unavailable, withProgress } from "./session/read-and-plan.ts";
import { withTarget, type OpenTargetOptions } from "./session/open-target.ts";

export interface StatusOptions extends OpenTargetOptions, FileOptions {
  /** Manifests whose resources are shown; without any, the whole account. */
  readonly file?: readonly string[] | undefined;
  /** Addresses to show, `*` stands for anything; without any, all. */
  readonly address?: readonly string[] | undefined;
  /** Whether a resource makes the run end with `changes`. */
  readonly failsOn: (row: StatusRow) => boolean;
}

/** Shows how live resources are doing: the vendor document's "monitor". */
export async function showStatus(options: StatusOptions, io: Session): Promise<Ending> {
  const { address: patterns = [] } = options;
  patterns.forEach(checkPattern);
  const { file = [] } = options;
  const manifest: Partial<UsableManifest> | undefined =
    file.length === 0 ? {} : await loadUsableManifest({ ...options, file }, io);
  if (!manifest) return "wrong_input";
  const { desired } = manifest;
  return withTarget(options, { ...manifest, manifests: options.file }, io, async ({ contract, connection }) => {
    const reader = withProgress(connection, io);
    const live = await readStatus(reader, contract, desired, patterns);
    if (!live.ok) return unavailable(live.error, io);
    const rows = rowsOf(live.value, { contract, desired, patterns }, io.now());
    io.emit({ type: "status", rows });
    for (const pattern of patterns) {
      if (!rows.some(({ address }) => matchesGlob(pattern, address))) io.emit({ type: "no_match", pattern });
    }
    io.emit({ type: "diagnostics", diagnostics: warnOfRefusedKey(live.value) });
    return reportIncomplete(live.value.collections.values(), io) ?? (rows.some(options.failsOn) ? "changes" : "done");
  });
}

/**
 * Reads the lists that the manifest touches, without one the account's own lists and then those below; and the lists that may hold a
 * resource which a pattern names.
 */
async function readStatus(
  reader: ListSource,
  contract: Contract,
  desired: Desired | undefined,
  patterns: readonly string[],
): Promise<Result<Live>> {
  const touched = desired && (await readLive(reader, contract, wantedCollections(desired, { inventory: undefined })));
  if (touched?.ok === false) return touched;
  if (patterns.length > 0)
    return readAccount(reader, contract, (ref) => patterns.some((each) => mayList(ref, each)), touched?.value);
  if (touched) return touched;
  const first = await readLive(reader, contract, accountCollections(undefined));
  if (!first.ok) return first;
  return readLive(reader, contract, accountCollections(first.value), first.value);
}

/** Returns whether a list may hold a resource that a pattern names. Addresses of three parts and more begin with the id of their list. */
function mayList({ id, kind }: CollectionRef, pattern: string): boolean {
  const exact = pattern.includes("*") ? undefined : normaliseAddress(pattern);
  if (exact !== undefined) return collectionAt(exact) === id;
  const [name = "", scope = "", ...rest] = pattern.split("/");
  if (!matchesGlob(name, kind.name)) return false;
  return name.includes("*") || rest.length === 0 || scope.includes("*") || matchesGlob(`${kind.name}/${scope}`, id);
}

interface RowRules {
  readonly contract: Contract;
  readonly desired: Desired | undefined;
  /** Globs of the resources that the user has named: each of them is shown, also of a kind that has nothing to watch. */
  readonly patterns: readonly string[];
}

/** Returns the rows of live resources, and with a manifest also of those that it declares and that do not exist. */
function rowsOf(found: Live, { contract, desired: declared, patterns }: RowRules, now: number): StatusRow[] {
  const isNamed = ({ address }: Pick<LiveResource, "address">) => patterns.some((each) => matchesGlob(each, address));
  const isShown = patterns.length > 0 ? isNamed : undefined;
  if (!declared) return statusRows(found, now, isShown);
  const { live } = matchPrefixed(declared, found, contract, undefined);
  const rows = [...markUndeclared(statusRows(live, now, isShown), declared, live), ...missingRows(declared, live)];
  return rows
    .filter(isShown ?? (({ address }) => declared.resources.has(address)))
    .sort((a, b) => (a.address < b.address ? -1 : 1));
}

/** Throws an InputError for a pattern that no address can match: its kind is none. */
export function checkPattern(pattern: string): void {
  const [name = ""] = pattern.split("/", 1);
  if (kinds.some((kind) => matchesGlob(name, kind.name))) return;
  const names = kinds.map((kind) => kind.name);
  const near = nearKind(name);
  throw new InputError({
    type: "bad_pattern",
    pattern,
    name,
    near: near && `${near}${pattern.slice(name.length)}`,
    kinds: names,
  });
}
