import { readText } from "../lib/read-file.ts";
import { openSnapshot, parseSnapshot } from "../live/read-snapshot.ts";
import type { ListSource } from "../live/read-live.ts";
import type { InventoryTarget } from "../inventory/target-key.ts";
import type { Provider } from "../manifest/desired.ts";
import type { Contract } from "../model/contract.ts";
import type { Target } from "../model/plan.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { chooseContract } from "./choose-contract.ts";
import { InputError, inputError } from "./input-error.ts";
import type { Host } from "./host.ts";
import type { TargetOptions } from "./open-target.ts";

export interface LiveFile {
  readonly target: Target;
  readonly contract: Contract;
  readonly source: ListSource;
  /** Whose inventory it is: that of the API. The embedded service's is told by its data file, which a snapshot does not know. */
  readonly inventory: InventoryTarget | undefined;
  readonly close: () => Promise<void>;
}

/** Far more than 100,000 records take. */
export const maxSnapshotBytes = 256 * 1024 * 1024;

/** What `plan` needs, from a snapshot: no key, no connection. Throws an InputError for flags that mean the API, and for a file that is no snapshot. */
export async function openLiveFile(
  path: string,
  options: TargetOptions,
  name: string,
  provider: Provider,
  io: Host,
): Promise<LiveFile> {
  refuseTarget(options);
  const parsed = parseSnapshot(readSnapshotFile(path));
  if (!parsed.ok) throw badSnapshot(path, parsed.error);
  const snapshot = parsed.value;
  const loaded = await chooseContract(options.contract, provider, io.env);
  if (!loaded.contract) throw new InputError(loaded.diagnostics);
  const { contract } = loaded;
  checkSameApi(path, snapshot, contract, provider);
  const opened = await openSnapshot(snapshot, contract);
  if (!opened.ok) throw badSnapshot(path, opened.error);
  const { base_url: baseUrl, emulator } = snapshot.target;
  const target = { name, baseUrl, contract: contract.name, emulator, snapshot: { takenAt: snapshot.taken_at } };
  const inventory = emulator ? undefined : { name, place: baseUrl, contract: contract.name };
  return { target, contract, source: opened.value, inventory, close: async () => undefined };
}

function refuseTarget({ baseUrl, emulator, emulatorData, keyFile, caFile }: TargetOptions): void {
  const flags = { "--base-url": baseUrl, "--emulator": emulator, "--emulator-data": emulatorData };
  const given = Object.entries({ ...flags, "--key-file": keyFile, "--ca-file": caFile }).find(
    ([, value]) => value !== undefined && value !== false,
  );
  if (given)
    throw inputError(
      "two_targets",
      `Both a snapshot (--live) and ${given[0]} are given`,
      `take away ${given[0]} to plan against the snapshot, or --live to plan against the API`,
    );
}

function readSnapshotFile(path: string): string {
  try {
    return readText(path, maxSnapshotBytes);
  } catch (error) {
    const hint = "check the path given with --live";
    throw inputError("no_snapshot", `The snapshot ${path} cannot be read: ${(error as Error).message}`, hint);
  }
}

const badSnapshot = (path: string, fault: string) =>
  inputError(
    "bad_snapshot",
    `${path} is no usable snapshot: ${fault}`,
    "write it anew with hostform snapshot --out FILE",
  );

/** A snapshot of another API, or one that was read by another contract, says nothing about this manifest. */
function checkSameApi(path: string, { target }: Snapshot, contract: Contract, provider: Provider): void {
  if (target.contract !== contract.name)
    throw inputError(
      "other_contract",
      `${path} was taken with the contract ${target.contract}, and this plan uses ${contract.name}`,
      "pass the same --contract to both, or take the snapshot anew",
    );
  if (provider.base_url !== undefined && normalUrl(provider.base_url) !== normalUrl(target.base_url))
    throw inputError(
      "other_target",
      `${path} is of ${target.base_url}, and the manifest's provider.base_url is ${provider.base_url}`,
      "take the snapshot from the API that the manifest means",
    );
}

const normalUrl = (text: string) => (URL.canParse(text) ? new URL(text).href : text);
