import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { parse } from "yaml";

export interface Received {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

type Json = Readonly<Record<string, unknown>>;

interface ResponseObject {
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: { readonly "application/json": { readonly schema: Json } };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { responses: Record<string, { $ref: string }> }>>>>;
  readonly components: {
    readonly schemas: Json;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly headers: Readonly<Record<string, { readonly required?: boolean }>>;
  };
}

export const documentFile = new URL("../../schemas/hosting-api.openapi.yaml", import.meta.url);

/** Holds every answer against the OpenAPI document: status, headers, media type and body. Throws for what it does not describe. */
export function createJudge(): (received: Received) => void {
  const document = parse(readFileSync(documentFile, "utf8")) as Document;
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema({ components: { schemas: document.components.schemas } }, "api");
  const compiled = new Map<string, ValidateFunction>();
  const conforms = (name: string, schema: Json, body: unknown): string[] => {
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components')) as Json;
    const validate = compiled.get(name) ?? ajv.compile(absolute);
    compiled.set(name, validate);
    return validate(body) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  };
  return (received) => {
    const complaints = complain(document, received, conforms);
    if (complaints.length === 0) return;
    const { method, path, status, text } = received;
    throw new Error(`${method} ${path} answered ${status}, against the document:\n${complaints.join("\n")}\n${text}`);
  };
}

function complain(
  document: Document,
  { method, path, status, headers, text }: Received,
  conforms: (name: string, schema: Json, body: unknown) => string[],
): string[] {
  const complaints = headers["x-request-id"] === undefined ? ["X-Request-Id is missing"] : [];
  if ((headers["content-type"] === "application/json") !== (text !== "")) {
    complaints.push(`the body has the Content-Type ${String(headers["content-type"])}`);
  }
  if (status >= 500) complaints.push("the service failed");
  const [name, response] = describedResponse(document, method, path, status);
  if (response === undefined) return [...complaints, "the document has no such response"];
  for (const [header, { $ref }] of Object.entries(response.headers ?? {})) {
    const { required } = document.components.headers[lastPart($ref)] ?? {};
    if (required === true && headers[header.toLowerCase()] === undefined) complaints.push(`${header} is missing`);
  }
  const schema = response.content?.["application/json"].schema;
  if (schema === undefined) return text === "" ? complaints : [...complaints, "there must be no body"];
  return [...complaints, ...conforms(name, schema, JSON.parse(text))];
}

function describedResponse(
  document: Document,
  method: string,
  path: string,
  status: number,
): [name: string, response: ResponseObject | undefined] {
  const { responses } = document.components;
  const item = Object.entries(document.paths).find(([template]) =>
    patternOf(template).test(path.split("?")[0] ?? ""),
  )?.[1];
  const operation = item?.[method.toLowerCase()];
  if (path.startsWith("/_emulator/") && status < 400)
    return ["switch", { content: { "application/json": { schema: {} } } }];
  // A path or method that the document does not list is answered with its Error schema, as its description says.
  if (operation === undefined) return ["error", status >= 400 ? responses["NotFound"] : undefined];
  const reference = operation.responses[status] ?? operation.responses[`${Math.floor(status / 100)}XX`];
  return reference === undefined
    ? ["none", undefined]
    : [lastPart(reference.$ref), responses[lastPart(reference.$ref)]];
}

const patternOf = (template: string): RegExp => new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`);

const lastPart = (reference: string): string => reference.split("/").at(-1) ?? "";
