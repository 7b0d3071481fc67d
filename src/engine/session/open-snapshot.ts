import { nameOfSource, readNamedText, type TextSource } from "../../lib/read-file.ts";
import { openSnapshot, parseSnapshot } from "../../live/read-snapshot.ts";
import type { ListSource } from "../../live/read-live.ts";
import type { InventoryTarget } from "../../state/inventory/target-key.ts";
import type { Provider } from "../../manifest/read/desired.ts";
import type { Contract } from "../../model/contract.ts";
import type { Target } from "../../model/plan.ts";
import type { Snapshot } from "../../live/snapshot.ts";
import { canonicalUrl, chooseContract } from "./choose-target.ts";
import type { TargetOption } from "../../messages/mistakes.ts";
import { InputError, orMistake } from "./input-error.ts";
import type { Ending, Session } from "./host.ts";
import { reportLists } from "./read-and-plan.ts";
import { nameOf, withTarget, type AskingManifest, type OpenTargetOptions } from "./open-target.ts";

export interface LiveFile {
  readonly target: Target;
  readonly contract: Contract;
  readonly source: ListSource;
  /** The API, which the inventory belongs to. The embedded service is identified by its data file, which a snapshot does not know. */
  readonly inventory: InventoryTarget | undefined;
}

export interface SourceOptions extends OpenTargetOptions {
  /** A snapshot to read instead of the API. */
  readonly live?: TextSource | undefined;
}

/** Opens a snapshot, or else the API that is meant, for the length of `work`, which can only read it. */
export async function withSource(
  options: SourceOptions,
  manifest: AskingManifest,
  io: Session,
  work: (open: LiveFile) => Promise<Ending>,
): Promise<Ending> {
  if (options.live !== undefined) return work(await openLiveFile(options.live, options, manifest, io));
  return withTarget(options, manifest, io, ({ connection, ...open }) =>
    work({ ...open, source: reportLists(connection, io) }),
  );
}

/** Far more than 100,000 records take. */
const maxSnapshotBytes = 256 * 1024 * 1024;

/** Opens a snapshot for `plan`, without key or connection. Throws an InputError for options that choose an API, and for a file of another sort. */
async function openLiveFile(
  live: TextSource,
  options: OpenTargetOptions,
  manifest: AskingManifest,
  io: Session,
): Promise<LiveFile> {
  const { provider = {} } = manifest;
  const name = nameOf(manifest);
  refuseTarget(options);
  const path = nameOfSource(live);
  const text = orMistake(
    () => readNamedText(live, maxSnapshotBytes),
    (reason) => ({ type: "unreadable", file: "snapshot", path, reason }),
  );
  const parsed = parseSnapshot(text);
  if (!parsed.ok) throw badSnapshot(path, parsed.error);
  const snapshot = parsed.value;
  const { contract, diagnostics } = await chooseContract(options.contract, provider, io.env);
  if (!contract) throw new InputError({ type: "diagnostics", diagnostics });
  checkSameApi(path, snapshot, contract, provider);
  const opened = await openSnapshot(snapshot, contract);
  if (!opened.ok) throw badSnapshot(path, opened.error);
  const { base_url: baseUrl, emulator } = snapshot.target;
  const target = { name, baseUrl, contract: contract.name, emulator, snapshot: { takenAt: snapshot.taken_at } };
  const inventory = emulator ? undefined : { name, place: baseUrl, contract: contract.name };
  return { target, contract, source: opened.value, inventory };
}

function refuseTarget({ baseUrl, emulator, emulatorData, keyFile, caFile }: OpenTargetOptions): void {
  const values = { baseUrl, emulator: emulator || undefined, emulatorData, keyFile, caFile };
  const [option] = (Object.keys(values) as TargetOption[]).filter((name) => values[name] !== undefined);
  if (option) throw new InputError({ type: "snapshot_and_target", option });
}

const badSnapshot = (path: string, fault: string) => new InputError({ type: "bad_snapshot", path, fault });

/** A snapshot of another API, or one that was read by another contract, says nothing about this manifest. */
function checkSameApi(path: string, { target }: Snapshot, contract: Contract, provider: Provider): void {
  const { contract: taken, base_url: baseUrl } = target;
  if (taken !== contract.name)
    throw new InputError({ type: "snapshot_of_other_contract", path, taken, used: contract.name });
  const declared = provider.base_url;
  if (declared !== undefined && normalUrl(declared) !== normalUrl(baseUrl))
    throw new InputError({ type: "snapshot_of_other_api", path, taken: baseUrl, declared });
}

const normalUrl = (text: string) => (URL.canParse(text) ? canonicalUrl(text) : text);
