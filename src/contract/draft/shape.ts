import type { Json, JsonObject } from "../../model/json.ts";
import { getPointer, isObject } from "../../model/json-pointer.ts";

/** All that a description says of a value, from every schema that it may have. */
export interface Shape {
  readonly types: ReadonlySet<string>;
  /** The schemas of each property: several where the value has one of several forms. */
  readonly properties: ReadonlyMap<string, readonly Json[]>;
  readonly required: ReadonlySet<string>;
  readonly items: readonly Json[];
  readonly words: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** The value where none is sent. */
  readonly preset?: number;
  /** Descriptions and examples. */
  readonly texts: readonly string[];
}

/** A description with its references followed: nothing outside of it is ever read. */
export interface Schemas {
  readonly document: JsonObject;
  readonly resolve: (node: Json | undefined) => Json | undefined;
  readonly shapeOf: (schemas: readonly Json[]) => Shape;
}

/** References that lead to references. */
const mostHops = 32;
/** Schemas that one value may be made of. */
const mostSchemas = 400;

/** Reads the schemas of a description, each once. */
export function openSchemas(document: JsonObject): Schemas {
  const known = new WeakMap<object, Shape>();
  const resolve = (node: Json | undefined) => follow(document, node);
  const shapeOf = (schemas: readonly Json[]): Shape => {
    const [first] = schemas;
    const key = schemas.length === 1 && isObject(first) ? first : undefined;
    const shape = (key && known.get(key)) ?? mergeSchemas(flatten(schemas, resolve));
    if (key) known.set(key, shape);
    return shape;
  };
  return { document, resolve, shapeOf };
}

/** Returns the node that a local reference leads to; undefined for another file, a cycle and a reference to nothing. */
function follow(document: JsonObject, node: Json | undefined): Json | undefined {
  let here = node;
  for (let hops = 0; hops < mostHops; hops += 1) {
    const ref: Json | undefined = isObject(here) ? own(here, "$ref") : undefined;
    if (typeof ref !== "string") return here;
    if (!ref.startsWith("#/")) return undefined;
    here = getPointer(document, decoded(ref.slice(1)));
  }
  return undefined;
}

const decoded = (pointer: string): string => {
  try {
    return decodeURIComponent(pointer);
  } catch {
    return pointer;
  }
};

export const own = (node: Json | undefined, key: string): Json | undefined =>
  isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined;

export const listAt = (node: Json | undefined, key: string): readonly Json[] => {
  const value = own(node, key);
  return Array.isArray(value) ? (value as readonly Json[]) : [];
};

/** Returns the schemas with all that they are composed of. */
function flatten(schemas: readonly Json[], resolve: Schemas["resolve"]): JsonObject[] {
  const seen = new Set<Json>();
  const queue = [...schemas];
  for (let at = 0; at < queue.length && seen.size < mostSchemas; at += 1) {
    const schema = resolve(queue[at]);
    if (!isObject(schema) || seen.has(schema)) continue;
    seen.add(schema);
    for (const word of ["allOf", "oneOf", "anyOf"]) queue.push(...listAt(schema, word).slice(0, mostSchemas));
  }
  return [...seen].filter(isObject);
}

function mergeSchemas(schemas: readonly JsonObject[]): Shape {
  const properties = new Map<string, Json[]>();
  for (const schema of schemas)
    for (const [name, value] of entriesOf(own(schema, "properties")))
      properties.set(name, [...(properties.get(name) ?? []), value]);
  const all = (word: string) => schemas.flatMap((schema) => own(schema, word) ?? []);
  const numbers = (word: string) => all(word).filter((value) => typeof value === "number");
  return {
    types: new Set([
      ...texts(schemas.flatMap((schema) => [own(schema, "type") ?? []].flat())),
      ...(properties.size > 0 ? ["object"] : []),
      ...(all("items").length > 0 ? ["array"] : []),
    ]),
    properties,
    required: new Set(texts(schemas.flatMap((schema) => listAt(schema, "required")))),
    items: all("items"),
    words: [...new Set(texts([...schemas.flatMap((schema) => listAt(schema, "enum")), ...all("const")]))],
    ...bound("minimum", numbers("minimum"), Math.max),
    ...bound("maximum", numbers("maximum"), Math.min),
    ...bound("preset", numbers("default"), Math.max),
    texts: [...texts(all("description")), ...texts(all("example")), ...texts(all("examples").flat())],
  };
}

const bound = (name: "minimum" | "maximum" | "preset", values: number[], pick: (...values: number[]) => number) =>
  values.length > 0 && values.length < mostSchemas ? { [name]: pick(...values) } : {};

const texts = (values: readonly Json[]): string[] => values.filter((value) => typeof value === "string");

export const entriesOf = (node: Json | undefined): [string, Json][] => (isObject(node) ? Object.entries(node) : []);

/** A value inside of a value: its pointer, the names that lead to it, and its shape. */
export interface InnerShape {
  readonly pointer: string;
  readonly names: readonly string[];
  readonly shape: Shape;
}

/** Values that are looked at inside of one. */
const mostPlaces = 600;
const deepest = 3;

/** Returns the values inside of a value, the outermost first; not those inside of lists. */
export function placesIn(schemas: Schemas, shape: Shape, depth = deepest): InnerShape[] {
  const found: InnerShape[] = [];
  let level: InnerShape[] = [{ pointer: "", names: [], shape }];
  for (let down = 0; down < depth; down += 1) {
    level = level.flatMap(({ pointer, names, shape: outer }) =>
      [...outer.properties].slice(0, mostPlaces).map(([name, inner]) => ({
        pointer: `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
        names: [...names, name],
        shape: schemas.shapeOf(inner),
      })),
    );
    found.push(...level.slice(0, mostPlaces));
    level = level.slice(0, mostPlaces);
  }
  return found;
}
