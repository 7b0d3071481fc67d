import type { Emit } from "./events.ts";
import type { Reader } from "../api/connection.ts";
import { readLive } from "../live/read-live.ts";
import { missingRows, statusRows } from "../live/status-rows.ts";
import type { StatusRow } from "../model/status-row.ts";
import { accountCollections, wantedCollections } from "../live/wanted-collections.ts";
import { kinds } from "../kinds/index.ts";
import { nearest } from "../model/nearest.ts";
import { matchesGlob } from "../model/glob.ts";
import { warnOfRefusedKey } from "../policy/refused-key.ts";
import { matchPrefixed } from "../plan/match.ts";
import type { Provider } from "../manifest/desired.ts";
import type { Contract } from "../model/contract.ts";
import type { Result } from "../model/failure.ts";
import type { Desired, Live } from "../model/resource.ts";
import type { Ending } from "./ending.ts";
import { InputError } from "./input-error.ts";
import type { Host } from "./host.ts";
import type { FileOptions } from "./load-manifest.ts";
import { loadUsableManifest } from "./open-manifest.ts";
import { openTarget, type OpenTargetOptions } from "./open-target.ts";

export interface StatusOptions extends OpenTargetOptions, FileOptions {
  /** Manifests whose resources are shown; without any, the whole account. */
  readonly file?: readonly string[] | undefined;
  /** Addresses to show, `*` stands for anything; without any, all. */
  readonly address?: readonly string[] | undefined;
  /** Whether a resource makes the run end with `changes`. */
  readonly failsOn: (row: StatusRow) => boolean;
}

/** Shows how live resources are doing: the vendor document's "monitor". */
export async function showStatus(options: StatusOptions, io: Host, emit: Emit): Promise<Ending> {
  options.address?.forEach(checkPattern);
  const manifest = await loadManifestIfAny(options, io, emit);
  if (!manifest) return "wrong_input";
  const { desired, provider } = manifest;
  const { contract, connection, close } = await openTarget(
    options,
    { name: desired?.name ?? "account", provider },
    io,
    emit,
  );
  try {
    const live = await readStatus({ get: connection.get }, contract, desired);
    if (!live.ok) {
      emit({ type: "failure", failure: live.error });
      return "api_unavailable";
    }
    const rows = rowsOf(live.value, contract, desired, io.now()).filter(({ address }) =>
      isSelected(address, options.address, desired),
    );
    emit({ type: "status", rows });
    for (const pattern of options.address ?? []) {
      if (!rows.some(({ address }) => matchesGlob(pattern, address))) emit({ type: "no_match", pattern });
    }
    const incomplete = [...live.value.collections.values()].flatMap((each) =>
      each.incomplete === undefined ? [] : [`${each.id}: ${each.incomplete}`],
    );
    emit({ type: "diagnostics", diagnostics: warnOfRefusedKey(live.value) });
    for (const each of incomplete) emit({ type: "incomplete_read", what: each });
    if (incomplete.length > 0) return "refused";
    return rows.some(options.failsOn) ? "changes" : "done";
  } finally {
    await close();
  }
}

async function loadManifestIfAny(
  { file = [], ...options }: StatusOptions,
  io: Host,
  emit: Emit,
): Promise<{ desired?: Desired; provider: Provider } | undefined> {
  return file.length === 0 ? { provider: {} } : loadUsableManifest({ ...options, file }, io, emit);
}

/** What the manifest touches; without one the account's own lists, and then those of what they hold. */
async function readStatus(reader: Reader, contract: Contract, desired: Desired | undefined): Promise<Result<Live>> {
  if (desired) return readLive(reader, contract, wantedCollections(desired, { inventory: undefined }));
  const first = await readLive(reader, contract, accountCollections(undefined));
  if (!first.ok) return first;
  return readLive(reader, contract, [...accountCollections(undefined), ...accountCollections(first.value)]);
}

/** What is live and has something to watch; with a manifest also what it declares and is not there. */
function rowsOf(found: Live, contract: Contract, declared: Desired | undefined, now: number): StatusRow[] {
  if (!declared) return statusRows(found, now);
  const { desired, live } = matchPrefixed(declared, found, contract, undefined);
  const rows = [...statusRows(live, now), ...missingRows(desired, live)];
  return rows.sort((a, b) => (a.address < b.address ? -1 : 1));
}

/** Throws an InputError for a pattern that no address can match: its kind is none. */
function checkPattern(pattern: string): void {
  const [name = ""] = pattern.split("/", 1);
  if (kinds.some((kind) => matchesGlob(name, kind.name))) return;
  const names = kinds.map((kind) => kind.name);
  const near = nearest(name, names);
  throw new InputError({
    type: "bad_pattern",
    pattern,
    name,
    near: near && `${near}${pattern.slice(name.length)}`,
    kinds: names,
  });
}

function isSelected(address: string, patterns: readonly string[] = [], desired: Desired | undefined): boolean {
  if (patterns.length === 0)
    return desired === undefined || [...desired.resources.keys()].some((each) => each === address);
  return patterns.some((pattern) => matchesGlob(pattern, address));
}
