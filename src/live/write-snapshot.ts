import type { PlanInput } from "../model/plan-input.ts";
import { decodeRecord } from "../contract/decode-record.ts";
import { toAddress } from "../model/address.ts";
import { secretFields } from "../model/body.ts";
import type { Desired, LiveCollection, Remote } from "../model/resource.ts";
import type { Snapshot, SnapshotCollection, SnapshotObject } from "./snapshot.ts";
import { bindKind, type BoundKind } from "../contract/bound-kind.ts";
import type { Kind } from "../kinds/kind.ts";
import { holdsCredentials, looksLikeCredentials } from "../model/credentials.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { placesOf } from "../contract/spelling/read-field.ts";
import { getPointer, omitPointer, setPointer } from "../model/json-pointer.ts";
import { isWriteOnly } from "../kinds/derived/field-access.ts";

export interface SnapshotInput extends Pick<PlanInput, "live" | "contract" | "target" | "now"> {
  /** The manifest, where there is one: fields that it takes from outside are left out. */
  readonly desired: Desired | undefined;
  /** Masks the secrets of this run in a text. */
  readonly mask: (text: string) => string;
  readonly hostform: string;
}

/** Live state as it may lie in a file: sorted by collection, objects in the order of their list, secrets left out. */
export function toSnapshot(input: SnapshotInput): Snapshot {
  const { live, target, desired, mask, hostform, now } = input;
  const collections = [...live.collections.values()]
    // A name that holds a secret cannot be saved, so neither can the object that it names.
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
  const objects = listed.flatMap(({ address, remotes, superseded = [] }) => {
    const fields = secretFields(input.desired?.resources.get(address));
    return [...remotes, ...superseded].map((remote) => toObject(input, { kind, scope, address, fields }, remote));
  });
  const saved = objects.filter((object) => object !== undefined);
  const reason =
    incomplete ?? (saved.length < objects.length ? "the name of an object holds a secret of the run" : undefined);
  return { kind, scope, ...(reason !== undefined && { incomplete: input.mask(reason) }), objects: saved };
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
  const kind = bindKind(contract, name);
  const { record, redacted } = redactRecord(kind, raw, { fields, mask });
  if (mask(address) !== address) return undefined;
  if (redacted.length === 0) return { address, record };
  const { key, remote } = decodeRecord(kind, record, { scope });
  const isNamed = remote.id === id && toAddress(name, kind.naming.addressParts(key)) === address;
  return isNamed ? { address, record, redacted } : undefined;
}

/** Knowledge of secrets beyond the record itself. */
interface RecordSecrets {
  /** Fields whose value the manifest takes from outside. */
  readonly fields: ReadonlySet<string>;
  /** Masks the secrets of this run in a text; a text without any stays as it is. */
  readonly mask: (text: string) => string;
}

/**
 * The part of a live record that may be kept in a file: what the contract names, since a server may send anything beside it, less
 * write-only fields and what is or looks secret. `redacted` names the fields that are there and are left out.
 */
export function redactRecord(
  kind: BoundKind,
  raw: JsonObject,
  secrecy: RecordSecrets,
): { readonly record: JsonObject; readonly redacted: readonly string[] } {
  const { id, etag, managed_when, fields } = kind.entry;
  const own = [id, etag, ...(managed_when ?? []).map(({ pointer }) => pointer)].flatMap((at) =>
    at === undefined || at === "" ? [] : [{ name: at.slice(1), at }],
  );
  const named = Object.entries(fields).flatMap(([name, field]) => placesOf(field).map((at) => ({ name, at })));
  const isSecret = secretTest(kind, raw, secrecy);
  // They go first, since one may stand within another field.
  const writeOnly = named.filter(({ name, at }) => isWriteOnly(kind, name) && (getPointer(raw, at) ?? null) !== null);
  const readable = writeOnly.reduce((rest, { at }) => omitPointer(rest, at), raw);
  const redacted = writeOnly.map(({ name }) => name);
  let record: JsonObject = {};
  for (const { name, at } of [...own, ...named]) {
    const value = getPointer(readable, at);
    if (value === undefined) continue;
    if (isSecret(name, value)) redacted.push(name);
    else record = setPointer(record, at, value);
  }
  return { record, redacted: [...new Set(redacted)] };
}

function secretTest(
  kind: Kind,
  raw: JsonObject,
  { fields, mask }: RecordSecrets,
): (name: string, value: Json) => boolean {
  // Most records hold no secret of the run, and one look at the whole tells so.
  const whole = JSON.stringify(raw);
  const isMasked = mask(whole) === whole ? () => false : (text: string) => mask(text) !== text;
  return (name, value) => {
    const field = kind.fields[name];
    if (value === null) return false;
    if (fields.has(name)) return true;
    const test = field?.mayHoldCredentials === true ? looksLikeCredentials : () => false;
    return holdsCredentials(value, (text) => isMasked(text) || test(text));
  };
}
