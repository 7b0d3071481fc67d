import type { AnySchemaObject, ErrorObject } from "ajv";
import { addTo } from "../lib/collect.ts";
import { loadValidator } from "../lib/load-validator.ts";
import { shorten } from "../lib/shorten.ts";
import type { Contract } from "../model/contract.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { jsonText, type Json, type JsonObject } from "../model/json.ts";
import { getPointer, isObject, splitPointer } from "../model/json-pointer.ts";
import { didYouMean, nearest } from "../model/nearest.ts";
import { checkContract, type FoundMistake } from "./check/check-contract.ts";

/** Finds the mistakes of a whole contract: of its form, and of the content of all that has the right form. */
export function findMistakes(contract: JsonObject): FoundMistake[] {
  const validate = loadValidator<unknown>("contract");
  if (validate(contract)) return checkContract(contract as unknown as Contract);
  const errors = validate.errors ?? [];
  const ofForm = withoutEchoes(errors).map((error) => {
    const extra = error.params.additionalProperty ?? error.propertyName;
    const path = splitPointer(error.instancePath);
    return {
      ...describeError(contract, error),
      path: extra === undefined ? path : [...path, extra],
      isKey: extra !== undefined,
    };
  });
  return [...ofForm, ...contentMistakes(contract, errors)];
}

/** Finds the mistakes of the content of those kinds that have the right form, and of the rules for all if they have it. */
function contentMistakes(contract: JsonObject, errors: readonly ErrorObject[]): FoundMistake[] {
  const { kinds } = contract;
  if (!isObject(kinds)) return [];
  const places = errors.map(({ instancePath }) => splitPointer(instancePath));
  const unchecked = new Set(places.flatMap(([word, kind]) => (word === "kinds" && kind !== undefined ? [kind] : [])));
  const right = Object.fromEntries(Object.entries(kinds).filter(([name]) => !unchecked.has(name)));
  const checked = { ...contract, kinds: right } as unknown as Contract;
  const isWhole = places.every(([word, kind]) => word === "kinds" && kind !== undefined);
  return checkContract(checked, unchecked, isWhole);
}

const isEcho = ({ keyword }: ErrorObject) => keyword === "anyOf" || keyword === "const";

/** Returns the places of errors that repeat no other, and all places above them. */
function placesAbove(errors: readonly ErrorObject[]): ReadonlySet<string> {
  const above = new Set<string>();
  for (const { instancePath } of errors.filter((error) => !isEcho(error)))
    for (let end = instancePath.lastIndexOf("/"); end > 0; end = instancePath.lastIndexOf("/", end - 1))
      above.add(instancePath.slice(0, end));
  return above;
}

/** Leaves out errors that only repeat others: of an alternative that is not meant, and of a key whose name is wrong. */
function withoutEchoes(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const above = placesAbove(errors);
  const distinct = errors.filter(
    (error) => error.keyword !== "propertyNames" && !(isEcho(error) && above.has(error.instancePath)),
  );
  const choices = new Set(distinct.flatMap(({ keyword, instancePath }) => (keyword === "anyOf" ? [instancePath] : [])));
  const isPart = ({ instancePath, keyword }: ErrorObject) => keyword !== "anyOf" && choices.has(instancePath);
  const parts = new Map<string, ErrorObject[]>();
  for (const error of distinct)
    if (isPart(error) && error.params.additionalProperty === undefined) addTo(parts, error.instancePath, error);
  return distinct
    .filter((error) => !isPart(error))
    .map((error) => {
      if (error.keyword !== "anyOf") return error;
      const own = parts.get(error.instancePath) ?? [];
      return { ...error, message: [...new Set(own.map(expectedOf))].join(" or ") };
    });
}

/** An error of the validator in words: what was there, what is expected, what was likely meant. */
function describeError(contract: Json, error: ErrorObject): Pick<Diagnostic, "summary" | "detail" | "hint"> {
  const { instancePath, params, parentSchema = {} } = error;
  const place = splitPointer(instancePath).join(" > ") || "the contract";
  const { additionalProperty: extra, missingProperty: missing, allowedValues: allowed } = params;
  if (extra !== undefined) {
    const keys = Object.keys(parentSchema.properties ?? {}).sort();
    return {
      summary: `There is no key "${extra}" in ${place}`,
      ...(keys.length > 0 && { detail: `one of ${keys.join(", ")}` }),
      hint: didYouMean(nearest(extra, keys)) ?? "take it out, or write one of these keys",
    };
  }
  if (missing !== undefined)
    return { summary: `"${missing}" is missing in ${place}`, hint: wordsFor(missing, parentSchema) };
  const { propertyName } = error;
  const value = propertyName ?? getPointer(contract, instancePath);
  const was = JSON.stringify(value) ?? "nothing";
  const expected = expectedOf(error);
  const { description, examples: [example] = [] } = parentSchema;
  const purpose = description === undefined ? "" : ` (${description.replace(/\.$/u, "")})`;
  const near = nearest(jsonText(value), (allowed ?? []).map(String));
  const write =
    example === undefined || allowed ? `write ${expected}` : `write ${expected}, such as ${JSON.stringify(example)}`;
  return {
    summary: `${place} ${propertyName === undefined ? "is" : "has the key"} ${shorten(was, longest)}`,
    detail: expected + purpose,
    hint: near === undefined ? (writtenRight(value, error) ?? write) : `did you mean ${near}?`,
  };
}

const typeWords: Readonly<Record<string, string>> = {
  object: "a map",
  array: "a list",
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
};

/** Returns the types that a schema allows, as a sentence says them. */
export const typesInWords = (type: string | readonly string[]): string =>
  [type]
    .flat()
    .map((each) => typeWords[each] ?? each)
    .join(" or ");

const limitWords: Readonly<Record<string, readonly [head: string, tail: string]>> = {
  minimum: ["a number of at least ", ""],
  maximum: ["a number of at most ", ""],
  minItems: ["a list of at least ", " item"],
  maxItems: ["a list of at most ", " item"],
  minProperties: ["a map of at least ", " key"],
  maxProperties: ["a map of at most ", " key"],
  minLength: ["text of at least ", " character"],
};

/** Says which values an error of the validator would not have complained of. */
export function expectedOf({
  keyword,
  message = keyword,
  params,
}: Pick<ErrorObject, "keyword" | "message" | "params">): string {
  const { allowedValues: allowed, allowedValue: only, type, pattern, limit = 0, missingProperty: missing } = params;
  if (missing !== undefined) return `the key "${missing}"`;
  if (allowed) return `one of ${allowed.map(String).join(", ")}`;
  if (only !== undefined) return JSON.stringify(only);
  if (type !== undefined) return typesInWords(type);
  if (pattern !== undefined) return formWords.find(([word]) => pattern.includes(word))?.[1] ?? "text of another form";
  const [head, tail] = limitWords[keyword] ?? [];
  return head === undefined ? message : `${head}${limit}${tail}${limit === 1 || tail === "" ? "" : "s"}`;
}

/** The form that a pattern of the schema asks for, in words, by a piece of the pattern; the first that fits counts. */
const formWords: readonly (readonly [piece: string, words: string])[] = [
  ["(?!.*//)", "a path that begins with a slash, with neither a query, ?, #, blanks nor empty parts"],
  ["(?!", "a path that begins with a slash and ends without one, with neither a query, ?, # nor blanks"],
  ["(/", "a JSON pointer: each key with a slash before it, ~1 for a slash in a key and ~0 for a ~"],
  ["^[A-Z", "the name of a header, of letters, digits and hyphens"],
  ["^[a-z", "lower-case letters, digits, dots, hyphens and underscores"],
  ["^[\\t", "one line of text in Latin-1"],
  ["{n", "text with {n}"],
];

/** Returns the words to write for a key that is missing, from its description in the schema. */
function wordsFor(missing: string, { properties = {} }: AnySchemaObject): string {
  const { description, examples: [example] = [] } = properties[missing] ?? {};
  const written = example === undefined ? "…" : JSON.stringify(example);
  return `write ${missing}: ${written}${description === undefined ? "" : ` (${description.replace(/\.$/u, "")})`}`;
}

/** Returns the words to write where a value needs only another form. */
function writtenRight(value: Json | undefined, { params, propertyName }: ErrorObject): string | undefined {
  const { allowedValue: only, type, pattern } = params;
  if (only !== undefined) return `write ${JSON.stringify(only)}`;
  if (type === "array" && typeof value === "string") return `write [${value}]`;
  if (type === "string" && typeof value === "number") return `write "${value}", in quotes`;
  if (pattern === undefined || typeof value !== "string") return undefined;
  const ways = [`/${value}`, value.replace(/\/+$/u, ""), value.replace(/^\w+:\/\/[^/]*/u, "")];
  const right = ways.find((way) => way !== "" && new RegExp(pattern, "u").test(way));
  const use = propertyName === undefined ? "" : ", a place in the body; constants of the body may stand in base";
  return right === undefined ? undefined : `write ${right}${use}`;
}

const longest = 60;
