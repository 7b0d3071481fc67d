import { shorten } from "../lib/shorten.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { jsonText, type Json } from "../model/json.ts";
import { getPointer } from "../model/json-pointer.ts";
import { nearest } from "../model/nearest.ts";

/** An error as the compiled validator gives it (ajv, with `verbose`). */
export interface ContractSchemaError {
  /** A JSON pointer. */
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  /** The key that is wrong, where it is a key. */
  readonly propertyName?: string;
  readonly params: {
    readonly additionalProperty?: string;
    readonly missingProperty?: string;
    readonly allowedValues?: readonly unknown[];
    readonly type?: string | readonly string[];
    readonly allowedValue?: unknown;
    readonly pattern?: string;
    readonly limit?: number;
  };
  readonly parentSchema?: {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly description?: string;
    readonly examples?: readonly Json[];
  };
}

/** An error of the validator in words: what was there, what is expected, what was likely meant. */
export function describeError(
  contract: Json,
  error: ContractSchemaError,
): Pick<Diagnostic, "summary" | "detail" | "hint"> {
  const { instancePath, params, parentSchema = {} } = error;
  const place = pathOf(instancePath).join(" > ") || "the contract";
  const { additionalProperty: extra, missingProperty: missing, allowedValues: allowed } = params;
  if (extra !== undefined) {
    const keys = Object.keys(parentSchema.properties ?? {}).sort();
    const near = nearest(extra, keys);
    return {
      summary: `There is no key "${extra}" in ${place}`,
      ...(keys.length > 0 && { detail: `one of ${keys.join(", ")}` }),
      hint: near === undefined ? "take it out, or write one of these keys" : `did you mean "${near}"?`,
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
export function expectedOf({ keyword, message = keyword, params }: ContractSchemaError): string {
  const { allowedValues: allowed, allowedValue: only, type, pattern, limit = 0, missingProperty: missing } = params;
  if (missing !== undefined) return `the key "${missing}"`;
  if (allowed) return `one of ${allowed.map(String).join(", ")}`;
  if (only !== undefined) return JSON.stringify(only);
  if (type !== undefined)
    return [type]
      .flat()
      .map((each) => typeWords[each] ?? each)
      .join(" or ");
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
function wordsFor(missing: string, { properties = {} }: NonNullable<ContractSchemaError["parentSchema"]>): string {
  const { description, examples: [example] = [] } = (properties[missing] ?? {}) as {
    readonly description?: string;
    readonly examples?: readonly Json[];
  };
  const written = example === undefined ? "…" : JSON.stringify(example);
  return `write ${missing}: ${written}${description === undefined ? "" : ` (${description.replace(/\.$/u, "")})`}`;
}

/** Returns the words to write where a value needs only another form. */
function writtenRight(value: Json | undefined, { params, propertyName }: ContractSchemaError): string | undefined {
  const { allowedValue: only, type, pattern } = params;
  if (only !== undefined) return `write ${JSON.stringify(only)}`;
  if (type === "array" && typeof value === "string") return `write [${value}]`;
  if (pattern === undefined || typeof value !== "string") return undefined;
  const ways = [`/${value}`, value.replace(/\/+$/u, ""), value.replace(/^\w+:\/\/[^/]*/u, "")];
  const right = ways.find((way) => way !== "" && new RegExp(pattern, "u").test(way));
  if (right === undefined) return undefined;
  return propertyName === undefined
    ? `write ${right}`
    : `write ${right}, a place in the body; constants of the body may stand in base`;
}

const longest = 60;

/** The keys of a JSON pointer. */
export const pathOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
