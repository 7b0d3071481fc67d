import { draftContract } from "../../../src/contract/draft/draft-contract.ts";
import type { ContractDraft } from "../../../src/model/contract-draft.ts";
import type { KindContract } from "../../../src/model/contract.ts";
import type { Json, JsonObject } from "../../../src/model/json.ts";

/** A request of an invented vendor: the schemas of its body and its answer, and the names of its query parameters. */
interface Described {
  readonly answer?: Json;
  readonly body?: Json;
  readonly query?: readonly string[];
  readonly deprecated?: true;
  readonly statuses?: JsonObject;
}

/** Requests by their method and path, such as `GET /domains`. */
export type Requests = Readonly<Record<string, Described>>;

export const text = { type: "string" };
export const whole = { type: "integer" };
export const flag = { type: "boolean" };
export const words = (...values: string[]): JsonObject => ({ type: "string", enum: values });
export const record = (properties: JsonObject): JsonObject => ({ type: "object", properties });
export const listOf = (item: Json): JsonObject => ({ type: "array", items: item });

/** Writes the OpenAPI description of these requests. */
export function describeApi(requests: Requests): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const [request, described] of Object.entries(requests)) {
    const [method = "", path = ""] = request.split(" ");
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(described) };
  }
  return { openapi: "3.1.0", info: { title: "Vendor" }, paths };
}

const contentOf = (schema: Json): JsonObject => ({ content: { "application/json": { schema } } });

const operationOf = ({ answer, body, query = [], deprecated, statuses }: Described): JsonObject => ({
  parameters: query.map((name) => ({ name, in: "query" })),
  ...(body !== undefined && { requestBody: contentOf(body) }),
  responses: { "200": answer === undefined ? {} : contentOf(answer), ...statuses },
  ...(deprecated && { deprecated }),
});

export const draftOf = (requests: Requests): ContractDraft => draftContract(describeApi(requests));

/** Drafts the entry of a kind. */
export function draftEntry(kind: string, requests: Requests): KindContract {
  const { contract, leftOut } = draftOf(requests);
  const entry = contract.kinds[kind];
  if (!entry) throw new Error(`The draft has no ${kind}: ${JSON.stringify(leftOut)}`);
  return entry;
}

/** Drafts the places of a kind's fields in the records of a list. */
export function draftPlaces(kind: string, path: string, properties: JsonObject): Readonly<Record<string, string>> {
  const { fields } = draftEntry(kind, {
    ...(path.includes("{") && parents),
    [`GET ${path}`]: { answer: listOf(record(properties)) },
  });
  return Object.fromEntries(Object.entries(fields).map(([name, { at }]) => [name, at]));
}

/** The lists of what other kinds belong to. */
export const parents: Requests = {
  "GET /websites": { answer: listOf(record({ id: text, domain: text })) },
  "GET /domains": { answer: listOf(record({ id: text, name: text })) },
  "GET /dns/zones": { answer: listOf(record({ id: text, name: text })) },
};
