import type { ErrorObject } from "ajv";
import { keysOf } from "../fields.ts";
import { mergeErrors, type FieldErrors } from "../refusal.ts";

/** Texts of a validation's errors by dotted field; a field's alternatives are described as one. */
export function describeErrors(errors: readonly ErrorObject[]): FieldErrors {
  const described = mergeErrors();
  for (const error of errors) {
    const field = fieldOf(error);
    const text = describe(error);
    const texts = (described[field] ??= []);
    if (!texts.includes(text)) texts.push(text);
  }
  return described;
}

/** The keywords whose errors tell not of the value but of a property of it. */
const aboutProperties = new Set(["required", "additionalProperties", "dependentRequired"]);

function fieldOf({ instancePath, keyword, params }: ErrorObject): string {
  const names = keysOf(instancePath);
  const property = params["missingProperty"] ?? params["additionalProperty"];
  if (aboutProperties.has(keyword)) names.push(String(property));
  return names.join(".") || "body";
}

const texts: Readonly<Record<string, (params: Record<string, unknown>) => string>> = {
  required: () => "is required",
  additionalProperties: () => "is not known here",
  dependentRequired: ({ property }) => `is required with ${String(property)}`,
  type: ({ type }) => `must be ${Array.isArray(type) ? type.join(" or ") : String(type)}`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as unknown[]).join(", ")}`,
  format: ({ format }) => `must be a valid ${String(format)}`,
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
  minLength: ({ limit }) => `must have at least ${String(limit)} characters`,
  maxLength: ({ limit }) => `must have at most ${String(limit)} characters`,
  minItems: ({ limit }) => `must have at least ${String(limit)} items`,
  maxItems: ({ limit }) => `must have at most ${String(limit)} items`,
};

function describe({ keyword, params, message, data, parentSchema }: ErrorObject): string {
  const expected =
    keyword === "pattern"
      ? formOf(parentSchema, params)
      : (texts[keyword]?.(params) ?? message ?? `breaks the rule "${keyword}"`);
  const secret = parentSchema?.["writeOnly"] === true;
  // A validator without `verbose` gives no data.
  return aboutProperties.has(keyword) || secret || data === undefined
    ? expected
    : `${expected}; it was ${shorten(data)}`;
}

/** Describes a pattern by the document's own words, since regular expressions are hard to read. A validator without `verbose` gives none. */
function formOf(schema: ErrorObject["parentSchema"], { pattern }: Record<string, unknown>): string {
  const description: unknown = schema?.["description"];
  return typeof description === "string" ? `does not fit "${description}"` : `must match ${String(pattern)}`;
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
