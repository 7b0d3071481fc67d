import { kindNamed } from "../kinds/index.ts";
import { getOrMake } from "../lib/collect.ts";
import { toAddress, type Address } from "../model/address.ts";
import type { Position } from "../model/diagnostic.ts";
import type { Json } from "../model/json.ts";
import type {
  Body,
  CollectionId,
  CollectionPolicy,
  Desired,
  Removal,
  Resource,
  Value,
  Values,
} from "../model/resource.ts";

/**
 * The desired state as JSON: maps as lists of their entries, and resources as columns, without what follows from their kind and their
 * neighbours: at most a third of the text that their objects would take.
 */
export type PackedDesired = Omit<Desired, "resources" | "collections" | "removed"> & {
  /** The values of all resources and members. Those that several have stand here once. */
  readonly bodies: readonly PackedValues[];
  readonly runs: readonly PackedRun[];
  readonly collections: readonly (readonly [CollectionId, CollectionPolicy])[];
  readonly removed: readonly (readonly [Address, Removal])[];
};

/** Resources of one kind and file that stand one after another: columns with an item for each of them. */
interface PackedRun {
  readonly kind: string;
  readonly file: string;
  /** The parts of their keys by name; one text where all have the same. */
  readonly keys: Readonly<Record<string, string | readonly string[]>>;
  /** Lines, columns and end columns, one after another. */
  readonly places: readonly number[];
  /** The places of their values in `bodies`: one number where there are no members, else the resource's own and those of its members. */
  readonly values: readonly (number | readonly number[])[];
  /** Rare members of theirs, by their place in the run. */
  readonly others: Readonly<Record<number, PackedOthers>>;
}

interface PackedOthers extends Pick<Resource, "lifecycle"> {
  /** A place that three numbers do not tell. */
  readonly at?: Position;
}

/** A known value, and how it is written, where that is not its normal form. Another value stands as it is. */
type PackedValue = readonly [value: Json, written?: Json] | Value;
type PackedValues = Readonly<Record<string, PackedValue>>;

/** Returns what is desired as JSON; undefined where a file must not hold it: a value is secret, may be one, or comes from outside. */
export function packDesired({ resources, collections, removed, ...others }: Desired): PackedDesired | undefined {
  if (others.variables !== undefined) return undefined;
  const runs: Run[] = [];
  let run: Run | undefined;
  for (const resource of resources.values()) {
    const { kind } = resource;
    if (mayHoldSecret(kind, resource) || resource.members?.some((member) => mayHoldSecret(kind, member)) === true)
      return undefined;
    if (run && isOfRun(run[0], resource)) run.push(resource);
    else runs.push((run = [resource]));
  }
  const [bodies, known] = [[] as PackedValues[], new Map<string, number>()];
  const placeOf = ({ fields }: Body) => {
    const packed = packValues(fields);
    return getOrMake(known, JSON.stringify(packed), () => bodies.push(packed) - 1);
  };
  const packed = runs.map((each) => packRun(each, placeOf));
  return { ...others, bodies, runs: packed, collections: [...collections], removed: [...removed] };
}

type Run = [Resource, ...Resource[]];

const isOfRun = (first: Resource, { kind, at, key }: Resource): boolean =>
  first.kind === kind && first.at.file === at.file && Object.keys(first.key).join() === Object.keys(key).join();

function mayHoldSecret(kind: string, { fields }: Body): boolean {
  const rules = kindNamed(kind).fields;
  for (const name in fields) if (fields[name]?.is === "secret" || rules[name]?.mayHoldCredentials === true) return true;
  return false;
}

function packRun(run: Run, placeOf: (body: Body) => number): PackedRun {
  const [{ kind, key, at }] = run;
  const others: Record<number, PackedOthers> = {};
  for (const [index, { at: place, lifecycle }] of run.entries()) {
    const isPlain = place.endCol !== undefined && !place.uses;
    if (!isPlain || lifecycle) others[index] = { ...(!isPlain && { at: place }), ...(lifecycle && { lifecycle }) };
  }
  const column = (part: string) => {
    const texts = run.map((each) => each.key[part] ?? "");
    return texts.every((text) => text === texts[0]) ? (texts[0] ?? "") : texts;
  };
  return {
    kind,
    file: at.file,
    keys: Object.fromEntries(Object.keys(key).map((part) => [part, column(part)])),
    places: run.flatMap(({ at: { line, col, endCol = 0 } }) => [line, col, endCol]),
    values: run.map((each) => (each.members ? [each, ...each.members].map(placeOf) : placeOf(each))),
    others,
  };
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

/** Returns what was packed. Equal values are one object. */
export function unpackDesired({ bodies, runs, collections, removed, ...desired }: PackedDesired): Desired {
  const unpacked = bodies.map((body): Body => ({ fields: unpackValues(body) }));
  const resources = new Map<Address, Resource>();
  for (const run of runs)
    for (let index = 0; index < run.values.length; index += 1) {
      const resource = unpackResource(run, index, unpacked);
      resources.set(resource.address, resource);
    }
  return { ...desired, resources, collections: new Map(collections), removed: new Map(removed) };
}

function unpackResource(run: PackedRun, index: number, bodies: readonly Body[]): Resource {
  const { kind, file, places, keys } = run;
  const key: Record<string, string> = {};
  for (const part in keys) {
    const texts = keys[part] ?? "";
    key[part] = typeof texts === "string" ? texts : (texts[index] ?? "");
  }
  const address = toAddress(kind, kindNamed(kind).naming.addressParts(key));
  const values = run.values[index] ?? -1;
  const [line = 0, col = 0, endCol = 0] = [places[3 * index], places[3 * index + 1], places[3 * index + 2]];
  const at = { file, line, col, endCol };
  const resource: Resource =
    typeof values === "number"
      ? { address, kind, key, ...bodyAt(bodies, values), at }
      : { address, kind, key, ...bodyAt(bodies, values[0]), members: membersAt(bodies, values), at };
  const others = run.others[index];
  return others ? { ...resource, ...others } : resource;
}

function bodyAt(bodies: readonly Body[], place = -1): Body {
  const body = bodies[place];
  if (!body) throw new Error(`A packed manifest has no values ${place}`);
  return body;
}

const membersAt = (bodies: readonly Body[], [, ...places]: readonly number[]): Body[] =>
  places.map((place) => bodyAt(bodies, place));

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
