import type { AnySchemaObject, ErrorObject } from "ajv";
import { typesInWords } from "../../contract/find-mistakes.ts";
import { kinds } from "../../kinds/index.ts";
import { shorten } from "../../lib/shorten.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { diagnosticAt, type Mistake } from "../yaml/diagnostic-at.ts";
import { didYouMean, nearest } from "../../model/nearest.ts";
import type { NodeLocation } from "./locate-node.ts";
import { isHarmless, shownKey } from "../yaml/secret-keys.ts";
import { hideValue, secretKeysFor, shownKeyIn } from "../yaml/secret-spans.ts";
import { itemsOf, positionOf, type Span, type WrittenNode } from "../yaml/written.ts";

/** The diagnostic of a mistake, and the node that holds the mistake. */
export interface Described {
  readonly diagnostic: Diagnostic;
  readonly wrong: WrittenNode;
}

/** An error of the validator in words: what was there, what the schema expects, what to do. */
export function describeMistake(error: ErrorObject, place: NodeLocation): Described {
  const { params } = error;
  const key = params.additionalProperty ?? params.propertyName;
  const entry = key === undefined || place.node.type !== "map" ? undefined : place.node.entries.get(key);
  const wrong = entry?.value ?? place.node;
  const span = entry ?? spanOf(error, place);
  if (wrong.type !== "map" && mayHoldPassword(place.path)) hideValue(wrong);
  const words = (describers[error.keyword] ?? wrongValue)(error, place);
  return { wrong, diagnostic: diagnosticAt(span, words) };
}

/** Returns the span to point at: the value, or its key if the value is empty or lacks something. */
function spanOf({ keyword, params }: ErrorObject, { node, entry, path }: NodeLocation): Span {
  if (keyword === "uniqueItems" && node.type === "list") return node.items[params.j ?? 0] ?? node;
  const isOfKey = entry?.value === node;
  if (isOfKey && (keyword === "required" || node.start === node.end)) return entry;
  return path.length === 0 ? { ...node, end: node.start } : node;
}

const describers: Readonly<Record<string, (error: ErrorObject, place: NodeLocation) => Mistake>> = {
  additionalProperties: unknownKey,
  propertyNames: wrongName,
  required: missingKey,
  type: wrongType,
  enum: notAllowed,
  uniqueItems: twice,
};

function unknownKey({ params, parentSchema = {} }: ErrorObject, place: NodeLocation): Mistake {
  const key = params.additionalProperty ?? "";
  const allowed = Object.keys(parentSchema.properties ?? {}).sort();
  if (parentSchema["x-read-only"]?.includes(key)) return readOnlyKey(key, place, allowed);
  return {
    code: "unknown_key",
    summary: `There is no key "${shownKeyIn(place.node.source, key)}" in ${where(place)}`,
    detail: `one of ${allowed.join(", ")}`,
    hint:
      hintFor(parentSchema, key) ??
      extensionHint(key) ??
      forgottenBlank(key, allowed) ??
      nearKey(key, allowed, parentSchema),
  };
}

function readOnlyKey(key: string, place: NodeLocation, allowed: readonly string[]): Mistake {
  return {
    code: "read_only_key",
    summary: `"${key}" in ${where(place)} is read-only: the platform sets it`,
    detail: `one of ${allowed.join(", ")}`,
    hint: "remove it; another resource can use its value as ${ref:ADDRESS.field}",
  };
}

function wrongName({ params, parentSchema = {} }: ErrorObject, place: NodeLocation): Mistake {
  const name = params.propertyName ?? "";
  return {
    code: "unknown_key",
    summary: `"${shownKeyIn(place.node.source, name)}" is not a key of ${where(place)}`,
    detail: parentSchema["x-names"] ?? "another name",
    hint: didYouMean(nearest(name, Object.keys(parentSchema.properties ?? {}))),
  };
}

function missingKey({ params, parentSchema = {} }: ErrorObject, place: NodeLocation): Mistake {
  const key = params.missingProperty ?? "";
  const schema = parentSchema.properties?.[key] ?? {};
  const [example] = schema.examples ?? [];
  return {
    code: "missing_key",
    summary: `"${key}" is missing in ${where(place)}`,
    ...expecting(parentSchema["x-expected"] ?? schema["x-expected"] ?? key, parentSchema["x-expected"] ? {} : schema),
    hint: typeof example === "string" || typeof example === "number" ? `write ${key}: ${example}` : undefined,
  };
}

function wrongType(error: ErrorObject, place: NodeLocation): Mistake {
  const types = [error.params.type ?? []].flat();
  return { ...wrongValue(error, place), code: "wrong_type", hint: hintForType(types, place.node) };
}

function wrongValue({ keyword, params, parentSchema = {} }: ErrorObject, place: NodeLocation): Mistake {
  return {
    code: codes[keyword] ?? "wrong_value",
    summary: `${named(place)} is ${shown(place)}`,
    ...expecting(
      parentSchema["x-expected"] ?? (params.type === undefined ? "another value" : typesInWords(params.type)),
      parentSchema,
    ),
  };
}

function notAllowed(error: ErrorObject, place: NodeLocation): Mistake {
  const allowed = (error.params.allowedValues ?? []).map(String);
  const written = place.node.type === "scalar" ? place.node.text : "";
  const expected = expecting(`one of ${allowed.join(", ")}`, {});
  return { ...wrongValue(error, place), ...expected, hint: didYouMean(nearest(written, allowed)) };
}

function twice(error: ErrorObject, place: NodeLocation): Mistake {
  const first = itemsOf(place.node)[error.params.i ?? 0];
  return {
    ...wrongValue(error, place),
    summary: `${named(place)} holds one item twice`,
    hint: "remove one of the two",
    ...(first && { related: [{ at: positionOf(first), message: "first written here" }] }),
  };
}

const codes: Readonly<Record<string, string>> = {
  pattern: "wrong_format",
  minLength: "wrong_format",
  minimum: "out_of_range",
  maximum: "out_of_range",
  minItems: "wrong_count",
  maxItems: "wrong_count",
  minProperties: "wrong_count",
  uniqueItems: "duplicate_item",
};

const withPassword = kinds.filter(({ fields }) => fields["password"]).map(({ manifest }) => manifest.split("."));

/** Returns whether a value stands where a resource with a password belongs, or several of them: people write the password alone. */
const mayHoldPassword = (path: NodeLocation["path"]) => {
  const place = path[0] === "templates" ? path.slice(2) : path;
  const isAbove = (parts: readonly string[]) =>
    place.every((key, at) => parts[at]?.startsWith("{") || parts[at] === key);
  return place.length > 0 && withPassword.some(isAbove);
};

/** Describes the written value. A secret is never shown. */
function shown({ node, path }: NodeLocation): string {
  if (node.type === "list") return node.items.length === 0 ? "an empty list" : `a list of ${node.items.length}`;
  if (node.type === "map") return node.entries.size === 0 ? "an empty map" : "a map";
  if (node.value === null) return "null";
  const isSecretKey = secretKeysFor(node.source);
  const isSecret = mayHoldPassword(path) || path.some((key) => typeof key === "string" && isSecretKey(key));
  if (isSecret) return node.plain && isHarmless(node.text) ? node.text : "(sensitive)";
  return typeof node.value === "string" ? `the text "${shorten(node.value, 60)}"` : shorten(node.text, 60);
}

function hintForType(types: readonly string[], node: WrittenNode): string | undefined {
  if (node.type === "scalar" && node.value === null) return "write a value, or leave the key out";
  if (types.includes("boolean")) return "write true or false, without quotes";
  const isQuoted = node.type === "scalar" && !node.plain;
  if (types.includes("integer") && isQuoted && /^\d+$/u.test(node.text)) return "write the number without quotes";
  return undefined;
}

function hintFor({ "x-hints": hints = {} }: AnySchemaObject, key: string): string | undefined {
  return Object.hasOwn(hints, key) ? hints[key] : undefined;
}

const extensionHint = (key: string): string | undefined =>
  key.startsWith("x-")
    ? "keys of your own have no place: what several blocks share is a template (templates: and use:)"
    : undefined;

/** Suggests the nearest key. A key that is often tried in vain is misspelled as often: then the hint has the advice for it, too. */
function nearKey(key: string, allowed: readonly string[], schema: AnySchemaObject): string | undefined {
  const near = nearest(key, [...allowed, ...Object.keys(schema["x-hints"] ?? {})]);
  const advice = near === undefined ? undefined : hintFor(schema, near);
  return advice === undefined ? didYouMean(near) : `${didYouMean(near)} ${advice}`;
}

function forgottenBlank(key: string, allowed: readonly string[]): string | undefined {
  const [name = ""] = key.split(":", 1);
  return key.includes(":") && allowed.includes(name) ? `write a space after "${name}:"` : undefined;
}

const expecting = (detail: string, { description }: AnySchemaObject) => ({ detail, description });

function named(place: NodeLocation): string {
  const last = place.path.at(-1);
  const parent = where({ ...place, path: place.path.slice(0, -1) });
  if (typeof last === "number") return `Item ${last} of ${parent}`;
  return place.path.length < 2 ? `"${last ?? where(place)}"` : `"${last}" in ${parent}`;
}

function where({ path, form = "manifest" }: NodeLocation): string {
  if (path.length === 0) return `the ${form}`;
  return path.map((key) => (typeof key === "number" ? `item ${key}` : shownKey(key))).join(" > ");
}
