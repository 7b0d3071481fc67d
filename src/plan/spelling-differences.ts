import { bindKind, type BoundKind } from "../contract/bound-kind.ts";
import { getOrMake } from "../lib/collect.ts";
import type { Contract, KindContract } from "../model/contract.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { pointerReader } from "../model/json-pointer.ts";
import { fieldNames, plainReader, readField } from "../contract/spelling/read-field.ts";
import type { IgnoredSpelling } from "../model/plan.ts";
import type { Body, Desired, Key, PreparedLive, Remote, Resource } from "../model/resource.ts";
import { differs, indexLive, isDifferent } from "./compare-values.ts";
import { isReadWrite } from "../kinds/derived/field-access.ts";

/** Readers of a live value, in the manifest's words and as the server wrote it; undefined where the field stands in several places. */
interface LiveReader {
  readonly read: (raw: JsonObject, key: Key) => Json | undefined;
  readonly rawOf: (raw: JsonObject) => Json | undefined;
}

/** Readers by the field's name, for the fields that can be compared in the API's own form. */
type LiveValues = ReadonlyMap<string, LiveReader>;

/**
 * The managed fields whose written and live values differ as they stand, and are one and the same in normal form, in the order of
 * the manifest. Left out: what is secret, comes from elsewhere (`${…}`) or is an id on the server.
 */
export function spellingDifferences(
  desired: Desired,
  live: PreparedLive,
  contract: Contract,
): readonly IgnoredSpelling[] {
  const liveValues = new Map<string, LiveValues>();
  const found: IgnoredSpelling[] = [];
  for (const resource of desired.resources.values()) {
    const remotes = live.resources.get(resource.address)?.remotes ?? [];
    const kind = bindKind(contract, resource.kind);
    const liveOf = getOrMake(liveValues, kind.name, () => liveValuesOf(kind));
    const before = found.length;
    const comparing = { resource, liveOf, found };
    for (const remote of remotes) addDifferences(comparing, resource, remote);
    // A difference that the members of a set share is reported once.
    if (found.length > before) found.push(...firstOfEach(found.splice(before)));
    if (!resource.members || !kind.members) continue;
    const { identity } = kind.members;
    const sameAs = indexLive(remotes, identity);
    for (const member of resource.members) {
      const remote = sameAs(member.fields[identity]).at(-1);
      if (remote) addDifferences(comparing, member, remote);
    }
  }
  return found.toSorted((a, b) => (a.address === b.address ? 0 : a.address < b.address ? -1 : 1));
}

function liveValuesOf(kind: BoundKind): LiveValues {
  const { entry } = kind;
  const names = fieldNames(entry).filter((name) => entry.fields[name]?.id_of === undefined && isReadWrite(kind, name));
  return new Map(
    names.map((name) => [
      name,
      {
        read: plainReader(kind, name) ?? ((raw, key) => readField({ kind, key }, name, raw)),
        rawOf: rawReader(entry, name),
      },
    ]),
  );
}

/** Returns what reads the value at the place of a field: undefined where the field stands in several places. */
function rawReader({ fields }: KindContract, name: string): LiveReader["rawOf"] {
  const { at, parts, keys } = fields[name] ?? {};
  return at === undefined || parts !== undefined || keys !== undefined ? () => undefined : pointerReader(at);
}

const firstOfEach = (found: readonly IgnoredSpelling[]) =>
  found.filter(({ path }, index) => found.findIndex((other) => other.path === path) === index);

interface Comparing {
  readonly resource: Resource;
  readonly liveOf: LiveValues;
  readonly found: IgnoredSpelling[];
}

/** Adds the differences between a written body and the live object that it stands for. */
function addDifferences({ resource: { address, key }, liveOf, found }: Comparing, body: Body, remote: Remote): void {
  for (const path in body.fields) {
    const desired = body.fields[path];
    if (desired?.is !== "known" || desired.implied) continue;
    const { written = desired.value } = desired;
    const reader = liveOf.get(path);
    const rawValue = reader?.rawOf(remote.raw);
    // Most are the same at the first look.
    if (!reader || written === rawValue) continue;
    const read = reader.read(remote.raw, key) ?? null;
    const raw = rawValue ?? read;
    if (!isDifferent(written, read) || !isDifferent(written, raw) || differs(remote.fields[path], desired)) continue;
    found.push({ address, path, written, live: raw });
  }
}
