import { getOrMake } from "../../lib/collect.ts";
import type { Fields } from "../fields.ts";
import { malformed } from "../refusal.ts";
import type { ApiDocument, OperationObject, Parameter } from "./api-document.ts";

/** One method of one path of the document. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** The path's template. */
  readonly path: string;
  /** The resource group, lower-cased: what a key's permissions are given for. */
  readonly group: string;
  /** Name of the request body's schema in `components.schemas`. */
  readonly bodySchema: string | undefined;
  readonly bodyRequired: boolean;
  /** JSON Schemas of the query parameters by name. */
  readonly query: Readonly<Record<string, Fields>>;
}

export interface Match {
  readonly params: Readonly<Record<string, string>>;
  /** Operations by upper-case method. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** The header `Allow` of a 405. */
  readonly allow: string;
}

interface RouteNode {
  /** By segment; below `parameter` stands the node of a segment that holds one. */
  readonly next: Map<string, RouteNode>;
  /** Its name. */
  parameter: string | undefined;
  end: Pick<Match, "operations" | "allow"> | undefined;
}

const methods = ["get", "post", "put", "delete"] as const;

export type Router = ReturnType<typeof buildRouter>;

/** Routes straight from the document's paths: no table of paths stands anywhere else. */
export function buildRouter(document: ApiDocument) {
  const root = newNode();
  const operations: Operation[] = [];
  for (const [path, item] of Object.entries(document.paths)) {
    const here = methods.flatMap((method) => {
      const object = item[method];
      return object === undefined ? [] : [readOperation(method.toUpperCase(), path, object, document)];
    });
    operations.push(...here);
    const byMethod = new Map(here.map((operation) => [operation.method, operation]));
    nodeAt(root, path).end = { operations: byMethod, allow: item["x-allow"] ?? [...byMethod.keys()].join(", ") };
  }
  return {
    operations: operations as readonly Operation[],
    /** Returns the match of a path (without query), or undefined. Throws a 400 for a bad percent-encoding. */
    match: (path: string): Match | undefined => matchPath(root, path),
  };
}

function readOperation(method: string, path: string, object: OperationObject, document: ApiDocument): Operation {
  const parameters = (object.parameters ?? []).map(({ $ref }) => resolveParameter($ref, document));
  const query = parameters.filter((parameter) => parameter.in === "query");
  return {
    id: object.operationId,
    method,
    path,
    group: object.tags[0].toLowerCase(),
    bodySchema: object.requestBody?.content["application/json"].schema.$ref.split("/").at(-1),
    bodyRequired: object.requestBody?.required ?? false,
    query: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
  };
}

function resolveParameter($ref: string, document: ApiDocument): Parameter {
  const parameter = document.components.parameters[$ref.split("/").at(-1) ?? ""];
  if (parameter === undefined) throw new Error(`The OpenAPI document refers to ${$ref}, which it does not have.`);
  return parameter;
}

/** The key of parameters: no segment of a path is it. */
const parameter = "/";

const newNode = (): RouteNode => ({ next: new Map(), parameter: undefined, end: undefined });

function nodeAt(root: RouteNode, path: string): RouteNode {
  let node = root;
  for (const segment of path.slice(1).split("/")) {
    const name = /^\{(.+)\}$/.exec(segment)?.[1];
    node.parameter ??= name;
    node = getOrMake(node.next, name === undefined ? segment : parameter, newNode);
  }
  return node;
}

function matchPath(root: RouteNode, path: string): Match | undefined {
  const params: Record<string, string> = {};
  let node = root;
  for (const segment of path.slice(1).split("/")) {
    const literal = node.next.get(segment);
    const next = literal ?? (segment === "" ? undefined : node.next.get(parameter));
    if (next === undefined) return undefined;
    if (literal === undefined) params[node.parameter ?? ""] = decode(segment);
    node = next;
  }
  return node.end && { params, ...node.end };
}

/** Decodes a segment of a path. Throws a 400 for a bad percent-encoding. */
export function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw malformed(`The path segment "${segment}" is not valid percent-encoding.`);
  }
}
