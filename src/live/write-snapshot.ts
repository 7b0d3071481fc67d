import { decodeRecord } from "../contract/decode-record.ts";
import { kindNamed } from "../kinds/index.ts";
import { toAddress } from "../model/address.ts";
import { secretFields } from "../model/body.ts";
import type { Contract } from "../model/contract.ts";
import type { Target } from "../model/plan.ts";
import type { Desired, Live, LiveCollection, Remote } from "../model/resource.ts";
import type { Snapshot, SnapshotCollection, SnapshotObject } from "../model/snapshot.ts";
import { redactRecord } from "./redact-record.ts";

export interface SnapshotInput {
  readonly live: Live;
  readonly contract: Contract;
  readonly target: Target;
  /** The manifest, where there is one: fields that it takes from outside are left out. */
  readonly desired: Desired | undefined;
  /** Masks the secrets of this run in a text. */
  readonly mask: (text: string) => string;
  readonly hostform: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Live state as it may lie in a file: sorted by collection, objects in the order of their list, secrets left out. */
export function toSnapshot(input: SnapshotInput): Snapshot {
  const { live, target, desired, mask, hostform, now } = input;
  const collections = [...live.collections.values()]
    // A name that holds a secret cannot be told, so neither can what it names.
    .filter(({ id }) => mask(id) === id)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return {
    snapshot: 1,
    hostform,
    taken_at: new Date(now).toISOString(),
    target: {
      ...(desired && { name: mask(desired.name) }),
      base_url: mask(target.baseUrl),
      contract: target.contract,
      emulator: target.emulator,
    },
    collections: collections.map((collection) => toCollection(input, collection)),
  };
}

function toCollection(
  input: SnapshotInput,
  { kind, scope, addresses, incomplete }: LiveCollection,
): SnapshotCollection {
  const listed = addresses.flatMap((address) => input.live.resources.get(address) ?? []);
  const objects = listed.flatMap(({ address, remotes }) => {
    const fields = secretFields(input.desired?.resources.get(address));
    return remotes.map((remote) => toObject(input, { kind, scope, address, fields }, remote));
  });
  const told = objects.filter((object) => object !== undefined);
  const reason =
    incomplete ?? (told.length < objects.length ? "the name of an object holds a secret of the run" : undefined);
  return { kind, scope, ...(reason !== undefined && { incomplete: input.mask(reason) }), objects: told };
}

interface Listed extends Pick<LiveCollection, "kind" | "scope"> {
  readonly address: string;
  /** Fields that hold secrets. */
  readonly fields: ReadonlySet<string>;
}

/** The object without what is secret; undefined where its name would be lost with that. */
function toObject(
  { contract, mask }: SnapshotInput,
  { kind: name, scope, address, fields }: Listed,
  { id, raw }: Remote,
): SnapshotObject | undefined {
  const kind = kindNamed(name);
  const { record, redacted } = redactRecord(contract, kind, raw, { fields, mask });
  if (mask(address) !== address) return undefined;
  if (redacted.length === 0) return { address, record };
  const { key, remote } = decodeRecord(contract, kind, record, { scope });
  const isNamed = remote.id === id && toAddress(name, kind.naming.addressParts(key)) === address;
  return isNamed ? { address, record, redacted } : undefined;
}
