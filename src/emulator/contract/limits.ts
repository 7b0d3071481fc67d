import type { ApiDocument } from "../document/api-document.ts";
import { isFields, type Fields } from "../fields.ts";
import { schemaOf } from "../kinds/kind-name.ts";
import { storedPath } from "./account.ts";
import type { Contract, FieldEntry } from "./contract.ts";
import { getBelow } from "./json.ts";
import { kindsOf } from "./routes.ts";

/** Returns the document with a contract's limits of fields in place of its own. What the contract does not limit stays as it is. */
export function withLimitsOf(contract: Contract, document: ApiDocument): ApiDocument {
  const schemas = structuredClone(document.components.schemas) as Record<string, Fields>;
  for (const [kind, entry] of kindsOf(contract)) {
    const schema = schemaOf(kind);
    for (const [name, field] of Object.entries(entry.fields)) {
      const path = storedPath(kind, name);
      const uses = ["Create", "Update"].map((use) => propertyAt(schemas, schema + use, path));
      const written = uses.filter((property) => property !== undefined);
      for (const property of written) limit(property, field);
      // A record may have come from elsewhere.
      const record = written.length > 0 ? propertyAt(schemas, schema, path) : undefined;
      const { min, max, max_length: most, values, map } = field;
      const isLimited = (min ?? max ?? most ?? values ?? map) !== undefined;
      if (record && isLimited) for (const word of ["minimum", "maximum", "maxLength", "enum"]) delete record[word];
    }
  }
  return { ...document, components: { ...document.components, schemas } };
}

/** Returns the schema of a property, taken out of what it refers to, so that it can be changed alone. */
function propertyAt(schemas: Record<string, Fields>, name: string, path: readonly string[]): Fields | undefined {
  let here: Fields | undefined = schemas[name];
  for (const step of path) {
    const properties = here?.["properties"];
    if (!isFields(properties) || !isFields(properties[step])) return undefined;
    here = properties[step] = resolved(schemas, properties[step]);
  }
  return here;
}

function resolved(schemas: Record<string, Fields>, { $ref, ...own }: Fields): Fields {
  if (typeof $ref !== "string") return own;
  const target = getBelow(schemas, $ref.replace("#/components/schemas/", "").split("/"));
  return { ...resolved(schemas, structuredClone(isFields(target) ? target : {})), ...own };
}

function limit(schema: Fields, { min, max, also, max_length: most, values, map }: FieldEntry): void {
  if (min !== undefined) schema["minimum"] = min;
  if (max !== undefined) schema["maximum"] = max;
  if (most !== undefined) schema["maxLength"] = most;
  if (also !== undefined) {
    const { minimum, maximum } = schema;
    for (const word of ["minimum", "maximum"]) delete schema[word];
    schema["anyOf"] = [{ minimum, maximum }, { enum: also }].map((rule) => JSON.parse(JSON.stringify(rule)) as Fields);
  }
  const words = [...Object.keys(map ?? {}), ...(values ?? [])];
  const items = isFields(schema["items"]) ? (schema["items"] = { ...schema["items"] }) : schema;
  const types = [items["type"]].flat();
  if (words.length === 0 || types.includes("boolean")) return;
  for (const word of ["enum", "pattern"]) delete items[word];
  if (types.includes("integer")) items["enum"] = [...words.map(Number), ...(types.includes("null") ? [null] : [])];
  else items["pattern"] = `^(?:${words.map(globPattern).join("|")})$`;
}

const globPattern = (glob: string) =>
  glob
    .split("*")
    .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join(".*");
