import { readFileSync } from "node:fs";
import fc, { type GeneratorValue } from "fast-check";
import { checkContract } from "../../src/contract/check/check-contract.ts";
import { partsOfKey } from "../../src/contract/check/walk.ts";
import { findKind, kinds } from "../../src/kinds/index.ts";
import { loadValidator } from "../../src/lib/load-validator.ts";
import type { Contract } from "../../src/model/contract.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { getPointer, isObject, omitPointer, setPointer } from "../../src/model/json-pointer.ts";
import { pieces, withPieces, type Pieces } from "./pieces.ts";

interface Schema {
  readonly $ref?: string;
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
}

const whole = JSON.parse(
  readFileSync(new URL("../../schemas/contract.schema.json", import.meta.url), "utf8"),
) as Schema & { readonly $defs: Readonly<Record<string, Schema>> };

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (whole.$defs[schema.$ref.replace("#/$defs/", "")] ?? {});

/** The contract that an entry is drawn for, and the path to the entry. */
interface Place {
  readonly g: GeneratorValue;
  readonly contract: JsonObject;
  readonly path: readonly string[];
}

/** Draws a place in the values, because the generator compares each argument with those of all its earlier calls. */
const pick = <T>({ g }: Pick<Place, "g">, values: readonly T[]): T => values[g(fc.nat, values.length - 1)] as T;

const chance = ({ g }: Pick<Place, "g">, percent: number): boolean => g(fc.nat, 99) < percent;

const kindNames = kinds.map(({ name }) => name);
const kindAt = ({ path }: Place) => (path[0] === "kinds" ? findKind(path[1] ?? "") : undefined);

/** Names that an entry can use: of the fields and key parts of its kind, and of its parameters. */
function namesFor(place: Place) {
  const kind = kindAt(place);
  const entry = kind && getPointer(place.contract, `/kinds/${kind.name}`);
  const params = isObject(entry) && isObject(entry["params"]) ? Object.keys(entry["params"]) : [];
  return {
    fields: Object.keys(kind?.fields ?? { name: 0 }),
    parts: kind ? partsOfKey(kind) : ["name"],
    params: ["id", "p", ...params],
  };
}

const pointers = ["", "/id", "/name", "/type", "/data", "/data/0/x", "/records/value", "/records", "/0", "/meta/total"];
const headers = ["X-One", "Link", "Location", "Retry-After", "ETag"];
const texts = ["", "x", "{p}", "{id}", "u[0-9]+", "n{n}", "(", "active", "done"];

function textFor(place: Place, { pattern }: Schema): string {
  const { fields, parts, params } = namesFor(place);
  const [last = "", before = ""] = place.path.toReversed();
  if (pattern === undefined) {
    if (last === "id_of" || before === "for_each") return pick(place, kindNames);
    if (last === "field" || last === "named_by" || before === "send") return pick(place, fields);
    if (last === "key" || before === "key") return pick(place, parts);
    if (last === "keys") return pick(place, ["ns{n}", "{n}", "{n}{n}"]);
    if (last === "extends") return "v2026";
    return pick(place, [...texts, ...fields, ...params.map((name) => `{${name}}`)]);
  }
  if (pattern.startsWith("^(?!.*//)"))
    return pick(place, [
      "/x",
      "/x/y",
      "/jobs/{job}",
      ...params.flatMap((name) => [`/x/{${name}}`, `/{${name}}/y/{id}`]),
    ]);
  if (pattern.startsWith("^(/(")) return pick(place, pointers);
  if (pattern.startsWith("^[A-Za-z0-9-]")) return pick(place, headers);
  if (pattern.includes("{n\\}")) return pick(place, ["ns{n}", "{n}", "{n}{n}"]);
  return pick(place, ["/v7", "a-name", "Bearer"]);
}

/** Draws the keys of an object whose schema does not name them. */
function keysFor(place: Place): readonly string[] {
  const { fields, parts, params } = namesFor(place);
  const last = place.path.at(-1) ?? "";
  const pool: Readonly<Record<string, readonly string[]>> = {
    kinds: kindNames,
    fields,
    send: fields,
    update_of: fields,
    default_by: fields,
    key: parts,
    params: ["p", "zone", "name", "type"],
    for_each: [...params, "q"],
    parts: ["SRV", "MX", "CAA", "TXT", "A", "URI"],
    body: ["/x", "/records/0/x", "/name", "/x/y"],
  };
  const known = pool[last] ?? (place.path.at(-2) === "parts" ? contentParts : ["true", "null", "active", "1001", "q"]);
  return place.g(fc.subarray<string>, [...known], {
    minLength: last === "default_by" ? 1 : 0,
    maxLength: Math.min(2, known.length),
  });
}

const contentParts = [
  "_service",
  "_protocol",
  "priority weight port",
  "priority",
  "weight",
  "port",
  "target",
  "flags",
  "tag",
  "value",
  "text",
  "address",
];

/** Draws what a schema allows. */
function drawn(place: Place, given: Schema): Json {
  const schema = resolved(given);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return pick(place, schema.enum);
  if (schema.anyOf) return drawn(place, pick(place, schema.anyOf));
  const types =
    typeof schema.type === "string" ? [schema.type] : (schema.type ?? ["string", "number", "boolean", "object"]);
  const type = pick(place, types);
  if (type === "null") return null;
  if (type === "boolean") return pick(place, [true, false]);
  if (type === "integer" || type === "number")
    return pick(
      place,
      [0, 1, 2, 100, 202, 404, 503].map((n) => Math.min(Math.max(n, schema.minimum ?? n), schema.maximum ?? n)),
    );
  if (type === "string") return textFor(place, schema);
  if (type === "array") {
    const count = place.g(fc.integer, {
      min: schema.minItems ?? 0,
      max: schema.maxItems ?? Math.max(2, schema.minItems ?? 0),
    });
    return Array.from({ length: count }, (_, index) =>
      drawn(below(place, String(index)), schema.items ?? { type: "string" }),
    );
  }
  const named = Object.entries(schema.properties ?? {})
    .filter(([name]) => schema.required?.includes(name) === true || chance(place, 30))
    .map(([name, own]) => [name, drawn(below(place, name), own)] as const);
  const { additionalProperties: more } = schema;
  const free =
    typeof more === "object" || (more === undefined && schema.properties === undefined) ? keysFor(place) : [];
  const rest = free.map(
    (name) => [name, drawn(below(place, name), typeof more === "object" ? more : { type: "string" })] as const,
  );
  return Object.fromEntries([...named, ...rest]);
}

const below = (place: Place, name: string): Place => ({ ...place, path: [...place.path, name] });

interface Node {
  readonly path: readonly string[];
  readonly schema: Schema;
}

/** Returns every place of a contract that has an entry, or may have one. */
function nodesOf(value: Json | undefined, given: Schema, path: readonly string[] = []): Node[] {
  const schema = resolved(given);
  const own = [{ path, schema }];
  if (schema.anyOf) return own.concat(schema.anyOf.flatMap((each) => nodesOf(value, each, path).slice(1)));
  const { properties = {}, additionalProperties: more } = schema;
  const named = Object.entries(properties).flatMap(([name, each]) =>
    isObject(value) && Object.hasOwn(value, name)
      ? nodesOf(value[name], each, [...path, name])
      : [{ path: [...path, name], schema: resolved(each) }],
  );
  const free =
    isObject(value) && typeof more === "object"
      ? Object.keys(value).flatMap((name) =>
          Object.hasOwn(properties, name) ? [] : nodesOf(value[name], more, [...path, name]),
        )
      : [];
  return [...own, ...named, ...free];
}

const pointerTo = (path: readonly string[]) =>
  path.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

const hasForm = loadValidator<Contract>("contract");

/** Whether `contract check` takes a contract: what `findMistakes` does, with a validator that is loaded once. */
const isAccepted = (contract: JsonObject) =>
  hasForm(contract) && checkContract(contract as unknown as Contract).every(({ isWarning }) => isWarning === true);

/** Draws a change of one entry: another, none, or one where there was none. */
function changed(g: GeneratorValue, contract: JsonObject): JsonObject {
  const nodes = nodesOf(contract, whole).filter(({ path }) => path.length > 1 && path[0] !== "extends");
  const { path, schema } = pick({ g }, nodes);
  const pointer = pointerTo(path);
  if (chance({ g }, 20)) return omitPointer(contract, pointer);
  const known = getPointer(contract, pointer);
  const made = drawn({ g, contract, path }, schema);
  // Most of what stands in an entry stays, so that it goes on to make sense.
  const laid = isObject(known) && isObject(made) && chance({ g }, 70) ? { ...known, ...made } : made;
  return setPointer(contract, pointer, laid);
}

const noPieces: Pieces = { item: undefined, labels: undefined, numbers: undefined };

/** Draws a contract over the whole language: one that makes sense, with entries changed as far as `contract check` accepts them. */
export function drawContract(g: GeneratorValue, base: Contract, changes: number): Contract {
  const laid = g(() => pieces);
  let contract = base as unknown as JsonObject;
  for (const each of Object.entries(laid)) {
    const next = withPieces(contract as unknown as Contract, { ...noPieces, ...Object.fromEntries([each]) });
    if (isAccepted(next as unknown as JsonObject)) contract = next as unknown as JsonObject;
  }
  for (let index = 0; index < changes; index += 1) {
    const next = changed(g, contract);
    if (isAccepted(next)) contract = next;
  }
  return contract as unknown as Contract;
}
