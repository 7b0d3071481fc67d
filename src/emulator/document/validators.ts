import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats, { type FormatName } from "ajv-formats";
import { getOrMake } from "../../lib/collect.ts";
import type { Fields } from "../fields.ts";
import type { FieldErrors } from "../refusal.ts";
import type { ApiDocument } from "./api-document.ts";
import { describeErrors } from "./describe-errors.ts";
import type { Operation } from "./router.ts";

export type Validators = ReturnType<typeof buildValidators>;

/** The formats of the document's texts that are checked: another would let every text pass. */
export const formats: readonly FormatName[] = ["date-time", "email"];

/** Validation from the document's own schemas, each compiled when it is first needed. */
export function buildValidators(document: ApiDocument) {
  const bodies = newAjv({ removeAdditional: "all" });
  const queries = newAjv({ coerceTypes: true });
  const records = newAjv({});
  for (const ajv of [bodies, records]) ajv.addSchema({ components: { schemas: document.components.schemas } }, "api");
  const body = remember((schema: string) => bodies.compile({ $ref: `api#/components/schemas/${schema}` }));
  const record = remember((schema: string) => records.compile({ $ref: `api#/components/schemas/${schema}` }));
  // By its text: most lists have the same parameters.
  const queryOf = remember((properties: string) =>
    queries.compile({ type: "object", properties: JSON.parse(properties) as Fields }),
  );
  const query = remember((operation: Operation) => queryOf(JSON.stringify(operation.query)));
  const marked = remember((name: string) => {
    const [schema = "", mark = ""] = name.split(" ");
    const properties = propertiesOf(document, schema);
    return Object.keys(properties).filter((field) => properties[field]?.[mark] === true);
  });
  return {
    /** Checks a value against a schema of the document, in place: fills defaults in and drops what the schema does not know. */
    body: (schema: string, value: Fields): FieldErrors => run(body(schema), value),
    /** Checks a whole record against its schema, apart from its etag. */
    record: (schema: string, value: Fields): FieldErrors => run(record(schema), { ...value, etag: "" }),
    /** Checks query parameters, in place: fills defaults in and turns texts into numbers. */
    query: (operation: Operation, values: Fields): FieldErrors => run(query(operation), values),
    fields: remember((schema: string): readonly string[] => Object.keys(propertiesOf(document, schema))),
    /** Fields of a schema that are marked, as with `x-immutable` or `writeOnly`. */
    marked: (schema: string, mark: string): readonly string[] => marked(`${schema} ${mark}`),
  };
}

const propertiesOf = (document: ApiDocument, schema: string): Record<string, Fields> =>
  (document.components.schemas[schema]?.["properties"] ?? {}) as Record<string, Fields>;

function newAjv(options: { removeAdditional?: "all"; coerceTypes?: boolean }): Ajv2020 {
  const ajv = new Ajv2020({
    ...options,
    allErrors: true,
    useDefaults: true,
    strict: false,
    validateSchema: false,
    verbose: true,
  });
  addFormats.default(ajv, [...formats]);
  return ajv;
}

function run(validate: ValidateFunction, value: Fields): FieldErrors {
  return validate(value) ? {} : describeErrors(validate.errors ?? []);
}

function remember<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => getOrMake(made, key, () => make(key));
}
