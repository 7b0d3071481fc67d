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
  };
  readonly parentSchema?: { readonly properties?: Readonly<Record<string, unknown>>; readonly description?: string };
}

/** An error of the validator in words: what was there, what is expected, what was likely meant. */
export function describeError(
  contract: Json,
  error: ContractSchemaError,
): Pick<Diagnostic, "summary" | "detail" | "hint"> {
  const { instancePath, keyword, params, parentSchema = {}, message = keyword } = error;
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
  const value = getPointer(contract, instancePath);
  const was = JSON.stringify(getPointer(contract, instancePath)) ?? "nothing";
  const types = [params.type ?? []].flat();
  const { allowedValue: only } = params;
  const expected = allowed
    ? `one of ${allowed.map(String).join(", ")}`
    : only === undefined
      ? types.join(" or ") || message
      : JSON.stringify(only);
  const purpose = parentSchema.description === undefined ? "" : ` (${parentSchema.description.replace(/\.$/u, "")})`;
  const near = nearest(jsonText(getPointer(contract, instancePath)), (allowed ?? []).map(String));
  return {
    summary: `${place} is ${was.length > longest ? `${was.slice(0, longest)}…` : was}`,
    detail: expected + purpose,
    hint: near === undefined ? (writtenRight(value, error) ?? `write ${expected}`) : `did you mean ${near}?`,
  };
}

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
  const { allowedValue: only, type, pattern = "" } = params;
  if (only !== undefined) return `write ${JSON.stringify(only)}`;
  if (type === "array" && typeof value === "string") return `write [${value}]`;
  if (propertyName !== undefined && isOfPath(pattern))
    return `write /${propertyName}, a place in the body; constants of the body may stand in base`;
  return typeof value === "string" && !value.startsWith("/") && isOfPath(pattern) ? `write /${value}` : undefined;
}

const isOfPath = (pattern: string) => pattern.startsWith("^/") || pattern.startsWith("^(/");

const longest = 60;

/** The keys of a JSON pointer. */
export const pathOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
