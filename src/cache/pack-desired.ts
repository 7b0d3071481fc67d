import { kindNamed } from "../kinds/index.ts";
import { toAddress, type Address } from "../model/address.ts";
import type { Position } from "../model/diagnostic.ts";
import type { Json } from "../model/json.ts";
import type {
  Body,
  CollectionId,
  CollectionPolicy,
  Desired,
  Lifecycle,
  Removal,
  Resource,
  Value,
  Values,
} from "../model/resource.ts";

/**
 * The desired state as JSON: maps as lists of their entries, and resources without what follows from their kind and their neighbours:
 * a third of the text that their objects would take.
 */
export type PackedDesired = Omit<Desired, "resources" | "collections" | "removed"> & {
  readonly runs: readonly PackedRun[];
  readonly collections: readonly (readonly [CollectionId, CollectionPolicy])[];
  readonly removed: readonly (readonly [Address, Removal])[];
};

/** Resources of one kind and file that stand one after another. */
interface PackedRun {
  readonly kind: string;
  readonly file: string;
  /** The names of the parts of their keys. */
  readonly parts: readonly string[];
  readonly resources: PackedResource[];
}

type PackedResource = readonly [
  key: readonly string[],
  at: readonly [line: number, col: number, endCol: number] | Position,
  fields: PackedValues,
  members?: readonly PackedValues[] | null,
  lifecycle?: Lifecycle,
];

/** A known value, and how it is written, where that is not its normal form. Another value stands as it is. */
type PackedValue = readonly [value: Json, written?: Json] | Value;
type PackedValues = Readonly<Record<string, PackedValue>>;

/** Returns what is desired as JSON; undefined where a file must not hold it: a value is secret, may be one, or comes from outside. */
export function packDesired(desired: Desired): PackedDesired | undefined {
  if (desired.variables !== undefined) return undefined;
  const runs: PackedRun[] = [];
  let run: PackedRun | undefined;
  for (const resource of desired.resources.values()) {
    const { kind, key, at } = resource;
    if (mayHoldSecret(kind, resource) || resource.members?.some((member) => mayHoldSecret(kind, member)) === true)
      return undefined;
    const parts = Object.keys(key);
    if (run?.kind !== kind || run.file !== at.file || run.parts.join() !== parts.join()) {
      run = { kind, file: at.file, parts, resources: [] };
      runs.push(run);
    }
    run.resources.push(packResource(resource));
  }
  const { resources: _, ...others } = desired;
  return { ...others, runs, collections: [...desired.collections], removed: [...desired.removed] };
}

function mayHoldSecret(kind: string, { fields }: Body): boolean {
  const rules = kindNamed(kind).fields;
  for (const name in fields) if (fields[name]?.is === "secret" || rules[name]?.mayHoldCredentials === true) return true;
  return false;
}

function packResource({ key, at, fields, members, lifecycle }: Resource): PackedResource {
  const { line, col, endCol } = at;
  const place = endCol === undefined || at.uses ? at : ([line, col, endCol] as const);
  const own = [Object.values(key), place, packValues(fields)] as const;
  if (!members && !lifecycle) return own;
  const packed = members?.map((member) => packValues(member.fields)) ?? null;
  return lifecycle ? [...own, packed, lifecycle] : [...own, packed];
}

function packValues(values: Values): PackedValues {
  const packed: Record<string, PackedValue> = {};
  for (const [name, value] of Object.entries(values))
    packed[name] =
      value.is !== "known" || value.implied
        ? value
        : value.written === undefined
          ? [value.value]
          : [value.value, value.written];
  return packed;
}

/** Returns what was packed. */
export function unpackDesired({ runs, collections, removed, ...desired }: PackedDesired): Desired {
  const resources = new Map<Address, Resource>();
  for (const run of runs)
    for (const packed of run.resources) {
      const resource = unpackResource(run, packed);
      resources.set(resource.address, resource);
    }
  return { ...desired, resources, collections: new Map(collections), removed: new Map(removed) };
}

function unpackResource(run: PackedRun, [values, place, fields, members, lifecycle]: PackedResource): Resource {
  const { kind, file, parts } = run;
  const key: Record<string, string> = {};
  for (const [index, part] of parts.entries()) key[part] = values[index] ?? "";
  return {
    address: toAddress(kind, kindNamed(kind).naming.addressParts(key)),
    kind,
    key,
    fields: unpackValues(fields),
    ...(members && { members: members.map((member) => ({ fields: unpackValues(member) })) }),
    ...(lifecycle && { lifecycle }),
    at: isPosition(place) ? place : { file, line: place[0], col: place[1], endCol: place[2] },
  };
}

const isPosition = (place: PackedResource[1]): place is Position => !Array.isArray(place);

function unpackValues(packed: PackedValues): Values {
  const values: Record<string, Value> = {};
  for (const name in packed) {
    const value = packed[name];
    if (value) values[name] = isValue(value) ? value : unpackKnown(value);
  }
  return values;
}

const isValue = (packed: PackedValue): packed is Value => !Array.isArray(packed);

const unpackKnown = ([value, written]: readonly [value: Json, written?: Json]): Value =>
  written === undefined ? { is: "known", value } : { is: "known", value, written };
