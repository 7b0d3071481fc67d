import { existsSync, readdirSync } from "node:fs";
import { relative, resolve } from "node:path";
import { declareAccount, liveValues } from "../import/declare-account.ts";
import type { Declared, Omission } from "../import/block.ts";
import { writeManifest, type Head } from "../import/write-manifest.ts";
import type { Kind } from "../kinds/kind.ts";
import { packageFile } from "../lib/package-file.ts";
import { writeFolder } from "../lib/write-file.ts";
import type { ListSource } from "../live/read-live.ts";
import type { Address } from "../model/address.ts";
import { kindOf } from "../model/address.ts";
import { matchesGlob } from "../model/glob.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Target } from "../model/plan.ts";
import type { Live } from "../model/resource.ts";
import type { Ending } from "./ending.ts";
import type { Emit } from "./events.ts";
import type { Host } from "./host.ts";
import { InputError } from "./input-error.ts";
import { openLiveFile, type LiveFile } from "./open-snapshot.ts";
import { openTarget, type OpenTargetOptions } from "./open-target.ts";
import { everything, nothingAllowed } from "../model/plan-input.ts";
import { plan } from "../plan/plan.ts";
import { loadUsableManifest } from "./open-manifest.ts";
import { openOwnership } from "./ownership.ts";
import { endingOfPlan } from "./plan.ts";
import { readAccount } from "./read-account.ts";
import { settleImport } from "./settle-import.ts";

export interface ImportOptions extends OpenTargetOptions {
  /** The folder to write. */
  readonly folder: string;
  readonly layout: "folder" | "single";
  /** Globs of addresses; none: all. */
  readonly only: readonly string[];
  /** Names of kinds; none: all. */
  readonly kind: readonly string[];
  /** A snapshot to read instead of the API. */
  readonly fromSnapshot?: string | undefined;
  /** Its file; default: the git repository of the manifest. */
  readonly inventory?: string | undefined;
}

/** Reads an account and writes the manifest that a person would have written for it; then plans that manifest. */
export async function importAccount(options: ImportOptions, io: Host, emit: Emit): Promise<Ending> {
  requireEmpty(options.folder);
  const { close, ...open } = await openSource(options, io, emit);
  try {
    const read = await readAccount(open.source, open.contract, (kind) => isWantedKind(options, kind));
    if (!read.ok) {
      emit({ type: "failure", failure: read.error });
      return "api_unavailable";
    }
    return await writeAccount(options, { ...open, live: read.value }, io, emit);
  } finally {
    await close();
  }
}

interface OpenAccount extends Pick<LiveFile, "target" | "contract" | "inventory"> {
  readonly live: Live;
}

async function writeAccount(options: ImportOptions, open: OpenAccount, io: Host, emit: Emit): Promise<Ending> {
  const { folder, layout } = options;
  const head = headOf(options, open.target, io);
  const write = (declared: Declared) => writeManifest(declared, head, layout);
  const draft = declareAccount(open.live, {
    contract: open.contract,
    isWanted: (address) => isWanted(options, address),
    inherited: () => undefined,
  });
  const declared = settleImport(draft, {
    ...open,
    now: io.now(),
    write: (each) => write(each).map(({ name, text }) => ({ file: name, text })),
    valuesOf: (address) => liveValues(open.live, address),
  });
  const files = write(declared);
  writeFolder(folder, new Map(files.map(({ name, text }) => [name, text])), 0o644);
  const { blocks, omissions } = declared;
  emit({ type: "diagnostics", diagnostics: omissions.map(omissionDiagnostic) });
  const { reads } = open.live;
  emit({
    type: "imported",
    place: folder,
    files: files.length,
    resources: blocks.length,
    left_out: omissions.length,
    reads,
  });
  return planImported(options, open, io, emit);
}

/** Plans the manifest that was written, against the live state that was read. */
async function planImported(
  options: ImportOptions,
  { live, contract, target, inventory }: OpenAccount,
  io: Host,
  emit: Emit,
): Promise<Ending> {
  const file = [options.folder];
  const manifest = await loadUsableManifest({ ...options, file, allowFile: [] }, io, emit);
  if (!manifest) return "wrong_input";
  const { desired, files } = manifest;
  const place = inventory && { ...inventory, name: desired.name };
  const owned = await openOwnership({ file, inventory: options.inventory }, place, { files, partial: false }, io);
  try {
    emit({ type: "diagnostics", diagnostics: owned.notices });
    const asked = { consent: nothingAllowed, ownership: owned.ownership, selection: everything, now: io.now() };
    const made = plan({ ...asked, desired, live, contract, target: { ...target, name: desired.name } });
    emit({ type: "diagnostics", diagnostics: made.diagnostics });
    emit({ type: "plan", plan: made });
    return endingOfPlan(made, true);
  } finally {
    await owned.close();
  }
}

export function omissionDiagnostic({ of, field, reason }: Omission): Diagnostic {
  const what = field === undefined ? of : `${field} of ${of}`;
  return { severity: "warning", code: "not_imported", summary: `${what} is not in the manifest: ${reason}` };
}

const isWantedKind = ({ kind: names }: ImportOptions, { name }: Kind) => names.length === 0 || names.includes(name);

export const isWanted = ({ kind: names, only }: ImportOptions, address: Address) =>
  (names.length === 0 || names.includes(kindOf(address))) &&
  (only.length === 0 || only.some((glob) => matchesGlob(glob, address)));

/** Throws an InputError for a folder that holds anything, and for a file. */
export function requireEmpty(folder: string): void {
  if (!existsSync(folder)) return;
  if (readdirSync(folder).length > 0) throw new InputError({ type: "folder_not_empty", path: folder });
}

async function openSource(options: ImportOptions, io: Host, emit: Emit): Promise<LiveFile & { source: ListSource }> {
  const named = { name: "account", provider: {} };
  if (options.fromSnapshot !== undefined) return openLiveFile(options.fromSnapshot, options, named, io);
  const { connection, ...open } = await openTarget(options, named, io, emit);
  return { ...open, source: { get: connection.get } };
}

const schemaFile = packageFile("schemas/manifest.schema.json");

export function headOf({ folder, contract, caFile }: ImportOptions, target: Target, { env }: Host): Head {
  const beside = (path: string) => {
    const way = relative(resolve(folder), resolve(path));
    return way.startsWith(".") ? way : `./${way}`;
  };
  const usedContract = contract ?? env["HOSTFORM_CONTRACT"];
  const usedCa = caFile ?? env["HOSTFORM_CA_FILE"];
  const own = usedContract === undefined || !/[/.]/u.test(usedContract) ? usedContract : beside(usedContract);
  return {
    name: target.emulator ? "imported" : nameOf(target.baseUrl),
    provider: {
      ...(!target.emulator && { base_url: target.baseUrl.replace(/\/$/u, "") }),
      ...(own !== undefined && { contract: own }),
      ...(usedCa !== undefined && !target.emulator && { ca_file: beside(usedCa) }),
    },
    schema: beside(schemaFile),
  };
}

/** Returns a name for a manifest from the host of its API. */
function nameOf(baseUrl: string): string {
  const host = new URL(baseUrl).hostname.replace(/^api\./u, "").toLowerCase();
  const name = host
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-|-$/gu, "")
    .slice(0, 63);
  return name === "" ? "imported" : name;
}
