import type { Json } from "../../model/json.ts";
import { entriesOf, listAt, own, type Schemas, type Shape } from "./shape.ts";
import { wordsOf } from "./words.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One part of a path: a constant, or a parameter. */
export interface Segment {
  readonly text: string;
  /** The words of a constant; empty for a parameter. */
  readonly noun: string;
  readonly param?: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly shape: Shape;
}

/** One request of a description. */
export interface Operation {
  readonly method: Method;
  readonly path: string;
  readonly segments: readonly Segment[];
  readonly parameters: readonly Parameter[];
  readonly request: Shape | undefined;
  readonly answer: Shape | undefined;
  readonly answerHeaders: readonly string[];
  readonly statuses: readonly string[];
  readonly failure: Shape | undefined;
  readonly limitHeaders: readonly string[];
  readonly isDeprecated: boolean;
}

const methods: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Paths of one description that are looked at. */
const mostPaths = 10_000;

/** Returns the requests that a description offers. */
export function listOperations(schemas: Schemas): Operation[] {
  return entriesOf(own(schemas.document, "paths"))
    .slice(0, mostPaths)
    .filter(([path]) => path.startsWith("/") && path.length < 500)
    .flatMap(([path, node]) => {
      const item = schemas.resolve(node);
      return methods.flatMap((method) => {
        const operation = own(item, method.toLowerCase());
        return operation === undefined ? [] : [readOperation(schemas, { method, path, item, operation })];
      });
    });
}

interface RawOperation {
  readonly method: Method;
  readonly path: string;
  readonly item: Json | undefined;
  readonly operation: Json;
}

function readOperation(schemas: Schemas, { method, path, item, operation }: RawOperation): Operation {
  const answers = entriesOf(own(operation, "responses")).map(
    ([status, answer]) => [status, schemas.resolve(answer)] as const,
  );
  const good = answers.filter(([status]) => status.startsWith("2"));
  const bad = answers.filter(([status]) => /^(?:4|5|default)/iu.test(status));
  const body = schemas.resolve(own(operation, "requestBody"));
  const shapes = (nodes: readonly (Json | undefined)[]) => {
    const found = nodes.flatMap((node) => jsonSchema(node));
    return found.length === 0 ? undefined : schemas.shapeOf(found);
  };
  return {
    method,
    path,
    segments: segmentsOf(path),
    parameters: [...listAt(item, "parameters"), ...listAt(operation, "parameters")].flatMap((node) =>
      readParameter(schemas, node),
    ),
    request: shapes([body]),
    answer: shapes(good.map(([, answer]) => answer).slice(0, 1)),
    answerHeaders: good.flatMap(([, answer]) => headersOf(answer)),
    statuses: answers.map(([status]) => status),
    failure: shapes(bad.map(([, answer]) => answer)),
    limitHeaders: answers.filter(([status]) => status === "429").flatMap(([, answer]) => headersOf(answer)),
    isDeprecated: own(operation, "deprecated") === true,
  };
}

export const segmentsOf = (path: string): Segment[] =>
  path
    .split("/")
    .slice(1)
    .map((text) => {
      const [, param] = /\{([^{}]+)\}/u.exec(text) ?? [];
      return param === undefined ? { text, noun: wordsOf(text) } : { text, noun: "", param };
    });

const headersOf = (answer: Json | undefined): string[] => entriesOf(own(answer, "headers")).map(([name]) => name);

/** Returns the schema of the JSON content of a request or an answer. */
function jsonSchema(node: Json | undefined): Json[] {
  const contents = entriesOf(own(node, "content"));
  const [, content] = contents.find(([type]) => /json/iu.test(type)) ?? [];
  const schema = own(content, "schema");
  return schema === undefined ? [] : [schema];
}

function readParameter(schemas: Schemas, node: Json): Parameter[] {
  const parameter = schemas.resolve(node);
  const name = own(parameter, "name");
  const place = own(parameter, "in");
  if (typeof name !== "string" || typeof place !== "string") return [];
  const schema = own(parameter, "schema");
  return [{ name, in: place, shape: schemas.shapeOf(schema === undefined ? [] : [schema]) }];
}
